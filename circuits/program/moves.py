"""ONNX operators that only move numbers, on arrays of anything: they cost nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Attributes = Mapping[str, Any]


def flag(attributes: Attributes, name: str, usual: int) -> bool:
    """An attribute that is 0 or 1. Raises ValueError: engines differ in what others mean."""
    if (value := attributes.get(name, usual)) not in (0, 1):
        raise ValueError(f"its {name} is {value}, expected 0 or 1")
    return bool(value)


def places_of(axes: Array, rank: int) -> list[int]:
    """Axes, of which -1 is the last one, as places from 0 on. Raises ValueError for those that are
    not there, and for one twice."""
    given = [int(axis) for axis in axes.ravel()]
    if any(not -rank <= axis < rank for axis in given):
        raise ValueError(f"axes {given} of a tensor with {rank}")
    found = [axis % rank for axis in given]
    if len({*found}) != len(found):
        raise ValueError(f"one of the axes {given} is there twice")
    return found


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
    if not flag(attributes, "allowzero", 0):
        sizes = [size or data.shape[i] for i, size in enumerate(sizes)]
    return data.reshape(sizes)


def _slice(attributes: Attributes, data: Array, starts: Array, ends: Array, *more: Any) -> Array:
    """more: axes and steps, if given."""
    axes, steps = (*more, None, None)[:2]
    places = range(len(starts)) if axes is None else places_of(axes, data.ndim)
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
    """Without axes, of all that are 1."""
    if axes is None:
        return np.squeeze(data)
    if not axes.size:
        raise ValueError("it has no axes: engines differ in what that means")
    return np.squeeze(data, tuple(places_of(axes, data.ndim)))


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

__all__ = ["MOVES", "flag", "places_of"]
