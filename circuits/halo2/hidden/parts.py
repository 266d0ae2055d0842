"""Takes operators apart in which ezkl puts constants of its own, which nothing would tie.

A normalisation holds the number that keeps its divisor from 0: it is a weight like others.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.halo2.hidden.convolutions import can_multiply, multiplied
from zkagent.circuits.halo2.hidden.surgery import Array, Surgery, attributes_of, made

if TYPE_CHECKING:
    from onnx import NodeProto


def take_apart(surgery: Surgery) -> None:
    """In place; results differ by rounding at most."""
    arrays, shapes = dict(surgery.constants()), surgery.shapes()
    parts = (each for node in surgery.graph.node for each in _parts(surgery, node, arrays, shapes))
    surgery.replace_nodes(parts)


def _parts(
    surgery: Surgery,
    node: "NodeProto",
    arrays: dict[str, Array],
    shapes: dict[str, tuple[int, ...]],
) -> "Iterator[NodeProto]":
    if node.op_type == "Conv" and can_multiply(node, arrays, shape := shapes.get(node.input[0])):
        assert shape
        yield from multiplied(surgery, node, arrays, shape)
    elif node.op_type == "LayerNormalization" and _over_last(node):
        yield from _normalised(surgery, node)
    else:
        yield node


def _over_last(node: "NodeProto") -> bool:
    """Whether its axes are counted from the end, and its mean and deviation are not asked for."""
    return len(node.output) == 1 and attributes_of(node).get("axis", -1) < 0


def _normalised(surgery: Surgery, node: "NodeProto") -> "Iterator[NodeProto]":
    """(x - mean) / sqrt(variance + epsilon), times the scale, plus the bias if there is one."""
    given, x, name = attributes_of(node), node.input[0], node.output[0]
    epsilon = surgery.constant(name, np.array([given.get("epsilon", 1e-5)], np.float32))
    centred, squares, held, root, inverse = (
        surgery.fresh(name, part) for part in ("centred", "squares", "held", "root", "inverse")
    )
    mean, average = _mean(surgery, x, name, given)
    variance, spread = _mean(surgery, squares, name, given)
    yield average
    yield made("Sub", [x, mean], centred)
    yield made("Mul", [centred, centred], squares)
    yield spread
    yield made("Add", [variance, epsilon], held)
    yield made("Sqrt", [held], root)
    yield made("Reciprocal", [root], inverse)
    factors = [("Mul", inverse), ("Mul", node.input[1])]
    terms = [("Add", bias) for bias in node.input[2:] if bias]
    yield from _chain(surgery, centred, [*factors, *terms], name)


def _mean(surgery: Surgery, x: str, name: str, given: Mapping[str, Any]) -> "tuple[str, NodeProto]":
    """Over the normalised axes; operator sets from 18 on take them as an input."""
    mean, axes = surgery.fresh(name, "mean"), list(range(given.get("axis", -1), 0))
    if surgery.opset < 18:
        return mean, made("ReduceMean", [x], mean, axes=axes, keepdims=1)
    return mean, made("ReduceMean", [x, surgery.constant(name, axes)], mean, keepdims=1)


def _chain(
    surgery: Surgery, x: str, steps: list[tuple[str, str]], output: str
) -> "Iterator[NodeProto]":
    for at, (operator, other) in enumerate(steps, start=1):
        result = output if at == len(steps) else surgery.fresh(output, operator.lower())
        yield made(operator, [x, other], result)
        x = result


__all__ = ["take_apart"]
