"""ONNX operators that only move numbers, on arrays of anything: they cost nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Attributes = Mapping[str, Any]


def _concat(attributes: Attributes, *parts: Array) -> Array:
    return np.concatenate(parts, axis=attributes["axis"])


def _flatten(attributes: Attributes, data: Array) -> Array:
    axis = attributes.get("axis", 1)
    return data.reshape(int(np.prod(data.shape[:axis])), -1)


def _gather(attributes: Attributes, data: Array, places: Array) -> Array:
    return np.take(data, places.astype(np.int64), axis=attributes.get("axis", 0))


def _identity(attributes: Attributes, data: Array) -> Array:
    return data


def _reshape(attributes: Attributes, data: Array, shape: Array) -> Array:
    sizes = [int(size) for size in shape]
    if not attributes.get("allowzero", 0):
        sizes = [size or data.shape[i] for i, size in enumerate(sizes)]
    return data.reshape(sizes)


def _slice(attributes: Attributes, data: Array, starts: Array, ends: Array, *more: Any) -> Array:
    """more: axes and steps, if given."""
    axes, steps = (*more, None, None)[:2]
    places = range(len(starts)) if axes is None else [int(axis) for axis in axes]
    strides = [1] * len(starts) if steps is None else [int(step) for step in steps]
    for axis, start, end, step in zip(places, starts, ends, strides, strict=True):
        data = np.take(data, _cut(data.shape[axis], int(start), int(end), step), axis=axis)
    return data


def _cut(size: int, start: int, end: int, step: int) -> list[int]:
    """The indices of a Slice: as Python's, but with the clamping of ONNX."""
    least, most = (0, size) if step > 0 else (-1, size - 1)
    start = min(max(start + size if start < 0 else start, 0), most)
    end = min(max(end + size if end < 0 else end, least), most)
    return list(range(start, end, step))


def _squeeze(attributes: Attributes, data: Array, axes: Array | None = None) -> Array:
    return np.squeeze(data, None if axes is None else tuple(int(axis) for axis in axes))


def _transpose(attributes: Attributes, data: Array) -> Array:
    return np.transpose(data, attributes.get("perm"))


def _unsqueeze(attributes: Attributes, data: Array, axes: Array) -> Array:
    return np.expand_dims(data, tuple(int(axis) for axis in axes))


MOVES: dict[str, Callable[..., Array]] = {
    "Concat": _concat,
    "Flatten": _flatten,
    "Gather": _gather,
    "Identity": _identity,
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}

__all__ = ["MOVES"]
