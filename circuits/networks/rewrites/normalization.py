"""Normalisations and functions that ezkl lacks, or of which its reader makes small constants."""

from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import is_square
from zkagent.circuits.networks.rewrites.surroundings import (
    Array,
    Rule,
    Steps,
    Surroundings,
    attribute,
    attributes_of,
    single,
    size_of,
)

if TYPE_CHECKING:
    from onnx import NodeProto

EPSILON = 1e-5  # where a node says none
MOST_EPSILON = 2.0**-10
SPREAD_BITS = 4
AXES_APART = 13  # the opset since which a Softmax has one axis


def batch(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """With constant statistics: a factor and a summand for each channel."""
    values = [graph.value(node, index) for index in range(1, 5)]
    shape = graph.shapes.get(node.input[0])
    read = any(name and graph.is_read(name) for name in node.output[1:])
    if shape is None or read or attribute(node, "training_mode", 0):
        return None
    if any(each is None for each in values):
        return None
    factor, summand, mean, variance = (np.asarray(each, dtype=np.float64) for each in values)
    factor = factor / np.sqrt(variance + attribute(node, "epsilon", EPSILON))
    along = [-1, *[1] * (len(shape) - 2)]
    steps, given = graph.steps(node), node.input[0]
    scaled = steps("Mul", given, steps.constant(factor.reshape(along), like=given))
    moved = (summand - mean * factor).reshape(along)
    steps.end("Add", scaled, steps.constant(moved, like=given))
    return steps.nodes


def layer(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """By its definition; ezkl's reader rounds the share of each number, and then the variance."""
    shape, given = graph.shapes.get(node.input[0]), node.input[0]
    if shape is None or any(name and graph.is_read(name) for name in node.output[1:]):
        return None
    first = attribute(node, "axis", -1) % len(shape)
    steps, axes = graph.steps(node), list(range(first, len(shape)))
    normal = _normal(steps, given, axes, attribute(node, "epsilon", EPSILON))
    summand = node.input[2] if len(node.input) > 2 else ""
    _moved(steps, normal, node.input[1], summand)
    return steps.nodes


def instance(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """The same over each channel of an image."""
    shape, given = graph.shapes.get(node.input[0]), node.input[0]
    factor, summand = graph.value(node, 1), graph.value(node, 2)
    if shape is None or len(shape) < 3 or factor is None or summand is None:
        return None
    steps, along = graph.steps(node), [-1, *[1] * (len(shape) - 2)]
    axes = list(range(2, len(shape)))
    normal = _normal(steps, given, axes, attribute(node, "epsilon", EPSILON))
    channels = [steps.constant(each.reshape(along), like=given) for each in (factor, summand)]
    _moved(steps, normal, *channels)
    return steps.nodes


def _normal(steps: Steps, given: str, axes: list[int], epsilon: float) -> str:
    apart = steps("Sub", given, steps.reduce("ReduceMean", given, axes, keep=True))
    variance = steps.reduce("ReduceMean", steps("Mul", apart, apart), axes, keep=True)
    kept = steps("Add", variance, steps.constant(epsilon, like=given))
    return steps("Div", apart, steps("Sqrt", kept))


def _moved(steps: Steps, normal: str, factor: str, summand: str) -> None:
    if not summand:
        steps.end("Mul", normal, factor)
    else:
        steps.end("Add", steps("Mul", normal, factor), summand)


def root(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Sqrt(mean of d^2 + epsilon), as norms have it: of 16 d and 256 epsilon, and a 16th of that.

    Small variances would be rounded to few bits, and epsilon to 0, by which norms then divide."""
    found = _variance(node, graph)
    if found is None:
        return None
    mean, apart, epsilon = found
    steps = graph.steps(node)
    name = apart
    for _ in range(SPREAD_BITS):
        name = steps("Add", name, name)
    again = steps("ReduceMean", steps("Mul", name, name), *mean.input[1:], **attributes_of(mean))
    kept = steps("Add", again, steps.constant(epsilon * 4**SPREAD_BITS, like=apart))
    larger = steps.settle(steps("Sqrt", kept))
    steps.end("Mul", larger, steps.constant(2.0**-SPREAD_BITS, like=apart))
    return steps.nodes


def _variance(node: "NodeProto", graph: Surroundings) -> "tuple[NodeProto, str, float] | None":
    """The mean, what is squared in it, and the small number beside it."""
    total = graph.makers.get(node.input[0])
    if total is None or total.op_type != "Add":
        return None
    for index in (0, 1):
        epsilon, mean = single(graph.value(total, index)), graph.makers.get(total.input[1 - index])
        if epsilon is None or not 0 < epsilon < MOST_EPSILON or mean is None:
            continue
        square = graph.makers.get(mean.input[0])
        if mean.op_type != "ReduceMean" or square is None or square.op_type not in ("Mul", "Pow"):
            continue
        plain = square.op_type == "Mul" or single(graph.value(square, 1)) == 2
        if plain and is_square(square, graph.constants):
            return mean, square.input[0], epsilon
    return None


def group(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """As InstanceNormalization of the groups, then each channel's factor and summand."""
    shape, given = graph.shapes.get(node.input[0]), node.input[0]
    factor, summand = graph.value(node, 1), graph.value(node, 2)
    groups = attribute(node, "num_groups")
    if shape is None or factor is None or summand is None:
        return None
    steps = graph.steps(node)
    apart = steps("Reshape", given, steps.whole(shape[0], groups, -1))
    ones, zeros = (steps.constant(np.full(groups, each), like=given) for each in (1, 0))
    epsilon = attribute(node, "epsilon", EPSILON)
    normal = steps("InstanceNormalization", apart, ones, zeros, epsilon=epsilon)
    back = steps("Reshape", normal, steps.whole(*shape))
    along, times = [-1, *[1] * (len(shape) - 2)], shape[1] // factor.size
    channels: list[Array] = [np.repeat(each, times).reshape(along) for each in (factor, summand)]
    scaled = steps("Mul", back, steps.constant(channels[0], like=given))
    steps.end("Add", scaled, steps.constant(channels[1], like=given))
    return steps.nodes


def flat(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Softmax and its like of old opsets, which took all axes from one on as one."""
    shape, axis = graph.shapes.get(node.input[0]), attribute(node, "axis", 1)
    if graph.opset >= AXES_APART or shape is None or axis % len(shape) == len(shape) - 1:
        return None
    steps, first = graph.steps(node), axis % len(shape)
    two = steps.whole(size_of(shape[:first]), size_of(shape[first:]))
    made = steps(node.op_type, steps("Reshape", node.input[0], two), axis=1)
    steps.end("Reshape", made, steps.whole(*shape))
    return steps.nodes


def gelu(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """By Erf, or by Tanh where the node says so."""
    steps, given = graph.steps(node), node.input[0]

    def number(value: float) -> str:
        return steps.constant(value, like=given)

    if attribute(node, "approximate", b"none") == b"tanh":
        cube = steps("Mul", steps("Mul", given, given), given)
        inner = steps("Add", given, steps("Mul", cube, number(0.044715)))
        bent = steps("Tanh", steps("Mul", inner, number(np.sqrt(2 / np.pi))))
    else:
        bent = steps("Erf", steps("Mul", given, number(np.sqrt(0.5))))
    half = steps("Mul", given, number(0.5))
    steps.end("Mul", half, steps("Add", bent, number(1)))
    return steps.nodes


def norm(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """GlobalLpPool of sums and of squares."""
    shape, power = graph.shapes.get(node.input[0]), attribute(node, "p", 2)
    if shape is None or power not in (1, 2):
        return None
    steps = graph.steps(node)
    _norm(steps, node.input[0], list(range(2, len(shape))), power)
    return steps.nodes


def _norm(steps: Steps, given: str, axes: list[int], power: int) -> None:
    if power == 1:
        steps.reduce("ReduceSum", steps("Abs", given), axes, keep=True, end=True)
    else:
        total = steps.reduce("ReduceSum", steps("Mul", given, given), axes, keep=True)
        steps.end("Sqrt", total)


NORMALIZATION: dict[tuple[str, str], Rule] = {
    ("", "BatchNormalization"): batch,
    ("", "Gelu"): gelu,
    ("", "GlobalLpPool"): norm,
    ("", "GroupNormalization"): group,
    ("", "Hardmax"): flat,
    ("", "InstanceNormalization"): instance,
    ("", "LayerNormalization"): layer,
    ("", "LogSoftmax"): flat,
    ("", "Softmax"): flat,
    ("", "Sqrt"): root,
}

__all__ = ["NORMALIZATION"]
