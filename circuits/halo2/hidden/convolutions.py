"""Convolutions as products of matrices: what each output sees is gathered, which costs no rows.

ezkl's convolution adds a bias even where there is none, a constant of its own, and takes it at the
scale of the result, which only a constant can have. Neither is tied to the hash of weights.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.halo2.hidden.surgery import Array, Surgery, attributes_of, made

if TYPE_CHECKING:
    from onnx import NodeProto

Shape = tuple[int, ...]


def multiplied(
    surgery: Surgery, node: "NodeProto", arrays: dict[str, Array], shape: Shape
) -> "Iterator[NodeProto]":
    """The nodes that take its place. arrays: constants by name. shape: of its input, [n, c, *]."""
    given, weights, name = attributes_of(node), arrays[node.input[1]], node.output[0]
    axes, groups = len(shape) - 2, given.get("group", 1)
    pads = given.get("pads", [0] * 2 * axes)
    seen = _windows(
        _wide(shape, pads),
        weights.shape[2:],
        given.get("strides", [1] * axes),
        given.get("dilations", [1] * axes),
    )  # [n, c, *output, *kernel], each the number of an input
    n, out = seen.shape[0], seen.shape[2 : 2 + axes]
    fan_in = math.prod(weights.shape[1:])
    columns = _columns(seen, groups, fan_in)
    factors = weights.reshape(groups, -1, fan_in).swapaxes(1, 2)  # [groups, fan-in, outputs]
    flat, taken, product, parted, turned = (
        surgery.fresh(name, part) for part in ("flat", "taken", "product", "parted", "turned")
    )
    x = node.input[0]
    if any(pads):
        sides = [0, 0, *pads[:axes], 0, 0, *pads[axes:]]
        x = surgery.fresh(name, "padded")
        yield _pad(surgery, node.input[0], sides, x)
    bias = [each for each in node.input[2:] if each]
    summed = surgery.fresh(name, "sums") if bias else name
    parts = [groups, n, math.prod(out), factors.shape[2]]
    yield made("Reshape", [x, surgery.constant(name, [-1])], flat)
    yield made("Gather", [flat, surgery.constant(name, columns)], taken, axis=0)
    yield made("MatMul", [taken, surgery.constant(name, factors)], product)
    yield made("Reshape", [product, surgery.constant(name, parts)], parted)
    yield made("Transpose", [parted], turned, perm=[1, 0, 3, 2])
    shaped = [n, weights.shape[0], *out]
    yield made("Reshape", [turned, surgery.constant(name, shaped)], summed)
    for each in bias:
        added = arrays[each].reshape(1, -1, *[1] * axes)
        yield made("Add", [summed, surgery.constant(name, added)], name)


def can_multiply(node: "NodeProto", arrays: dict[str, Array]) -> bool:
    """Whether its weights are constants, and its padding is written."""
    usual = attributes_of(node).get("auto_pad", b"NOTSET") == b"NOTSET"
    return usual and {*filter(None, node.input[1:])} <= arrays.keys()


def _pad(surgery: Surgery, x: str, sides: list[int], name: str) -> "NodeProto":
    """With zeros; operator sets from 11 on take its sides as an input."""
    if surgery.opset < 11:
        return made("Pad", [x], name, pads=sides)
    return made("Pad", [x, surgery.constant(name, sides)], name)


def _wide(shape: Shape, pads: list[int]) -> Shape:
    axes = len(shape) - 2
    spaces = zip(shape[2:], pads[:axes], pads[axes:], strict=True)
    return (*shape[:2], *(size + before + after for size, before, after in spaces))


def _windows(shape: Shape, kernel: Shape, strides: list[int], dilations: list[int]) -> Array:
    numbers = np.arange(math.prod(shape)).reshape(shape)
    spans = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True))
    axes = tuple(range(2, len(shape)))
    seen = np.lib.stride_tricks.sliding_window_view(numbers, spans, axes)
    steps = tuple(slice(None, None, step) for step in (*strides, *dilations))
    return seen[:, :, *steps]


def _columns(seen: Array, groups: int, fan_in: int) -> Array:
    """[groups, n outputs, fan-in] of [n, c, *output, *kernel]."""
    n, channels, *rest = seen.shape
    axes = len(rest) // 2
    split = seen.reshape(n, groups, channels // groups, math.prod(rest[:axes]), -1)
    return split.transpose(1, 0, 3, 2, 4).reshape(groups, -1, fan_in)


__all__ = ["can_multiply", "multiplied"]
