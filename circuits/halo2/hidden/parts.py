"""Takes operators apart in which ezkl puts constants of its own, which nothing would tie.

A mean divides by a number, and a normalisation holds one that keeps its divisor from 0: they are
weights like others.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.halo2.hidden.convolutions import can_multiply, multiplied
from zkagent.circuits.halo2.hidden.surgery import Array, Surgery, attributes_of, made

if TYPE_CHECKING:
    from onnx import NodeProto

Arrays = dict[str, Array]
Shape = tuple[int, ...]
KEEPDIMS = 1  # by default


def take_apart(surgery: Surgery) -> None:
    """In place; results differ by rounding at most."""
    arrays, shapes = dict(surgery.constants()), surgery.shapes()
    parts = (
        each
        for node in surgery.graph.node
        for each in _parts(surgery, node, arrays, shapes.get(node.input[0] if node.input else ""))
    )
    surgery.replace_nodes(parts)


def _parts(
    surgery: Surgery, node: "NodeProto", arrays: Arrays, shape: Shape | None
) -> "Iterator[NodeProto]":
    """shape: of its first input, if it is known."""
    if shape is None:
        yield node
    elif node.op_type == "Conv" and can_multiply(node, arrays):
        yield from multiplied(surgery, node, arrays, shape)
    elif node.op_type == "ReduceMean" and {*node.input[1:]} <= arrays.keys():
        yield from _averaged(surgery, node, arrays, shape)
    elif node.op_type == "LayerNormalization" and len(node.output) == 1:
        yield from _normalised(surgery, node, shape)
    else:
        yield node


def _averaged(
    surgery: Surgery, node: "NodeProto", arrays: Arrays, shape: Shape
) -> "Iterator[NodeProto]":
    given = attributes_of(node)
    axes = [int(each) for name in node.input[1:] for each in arrays[name]]
    axes = axes or given.get("axes") or list(range(len(shape)))
    sizes = [shape[axis] for axis in axes]
    keepdims = given.get("keepdims", KEEPDIMS)
    yield from _mean(surgery, node.input[0], axes, sizes, node.output[0], keepdims=keepdims)


def _mean(
    surgery: Surgery,
    x: str,
    axes: list[int],
    sizes: Sequence[int],
    name: str,
    *,
    keepdims: int = KEEPDIMS,
) -> "Iterator[NodeProto]":
    """A sum times a number; operator sets from 13 on take its axes as an input."""
    total = surgery.fresh(name, "total")
    part = surgery.constant(name, np.array([1 / math.prod(sizes)], np.float32))
    if surgery.opset < 13:
        yield made("ReduceSum", [x], total, axes=axes, keepdims=keepdims)
    else:
        yield made("ReduceSum", [x, surgery.constant(name, axes)], total, keepdims=keepdims)
    yield made("Mul", [total, part], name)


def _normalised(surgery: Surgery, node: "NodeProto", shape: Shape) -> "Iterator[NodeProto]":
    """(x - mean) / sqrt(variance + epsilon), times the scale, plus the bias if there is one."""
    given, x, name = attributes_of(node), node.input[0], node.output[0]
    axis = given.get("axis", -1) % len(shape)
    axes, sizes = list(range(axis, len(shape))), shape[axis:]
    epsilon = surgery.constant(name, np.array([given.get("epsilon", 1e-5)], np.float32))
    mean, centred, squares, variance, held, root, inverse = (
        surgery.fresh(name, part)
        for part in ("mean", "centred", "squares", "variance", "held", "root", "inverse")
    )
    yield from _mean(surgery, x, axes, sizes, mean)
    yield made("Sub", [x, mean], centred)
    yield made("Mul", [centred, centred], squares)
    yield from _mean(surgery, squares, axes, sizes, variance)
    yield made("Add", [variance, epsilon], held)
    yield made("Sqrt", [held], root)
    yield made("Reciprocal", [root], inverse)
    factors = [("Mul", inverse), ("Mul", node.input[1])]
    terms = [("Add", bias) for bias in node.input[2:] if bias]
    yield from _chain(surgery, centred, [*factors, *terms], name)


def _chain(
    surgery: Surgery, x: str, steps: list[tuple[str, str]], output: str
) -> "Iterator[NodeProto]":
    for at, (operator, other) in enumerate(steps, start=1):
        result = output if at == len(steps) else surgery.fresh(output, operator.lower())
        yield made(operator, [x, other], result)
        x = result


__all__ = ["take_apart"]
