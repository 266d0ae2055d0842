"""Quotients, powers and means in the forms that ezkl computes as they are meant.

ezkl rounds each constant to the bits of fraction of the circuit: 1/300 at ten bits is 3/1024, and a
mean over 300 numbers is then wrong by an eighth. A small factor becomes two here, one of them a
power of two, which costs nothing and is exact.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import FLOAT, INT32, INT64, is_square
from zkagent.circuits.networks.rewrites.surroundings import (
    Array,
    Rule,
    Steps,
    Surroundings,
    attribute,
    single,
    size_of,
)

if TYPE_CHECKING:
    from onnx import NodeProto

LEAST_FACTOR = 0.25  # smaller ones are taken apart
FACTOR_BITS = 2  # the larger of the two is below 2^2, and at least half of that
#: Powers that other operators compute, one after the other.
UNARY = {
    1.0: ("Identity",),
    0.5: ("Sqrt",),
    -0.5: ("Sqrt", "Reciprocal"),
    -1.0: ("Reciprocal",),
}
HARD_SWISH = 14  # the opset that has it
MOST_EXPONENT = 64  # multiplied out, each time rounded
MOST_SHIFTED = 1 << 16
MOST_DIVISOR = 64  # a quotient of integers must be told from the next one at 7 bits of fraction


def small_factor(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """x * c for constants near 0."""
    for index in (0, 1):
        factors, other = graph.value(node, index), node.input[1 - index]
        if factors is not None and other not in graph.constants and graph.is_float(other):
            return _taken_apart(node, graph, other, factors)
    return None


def hard_swish(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """x times its hard sigmoid, as exporters write it; ezkl has a table for all of it."""
    for given, bent in (node.input, reversed(node.input)):
        maker = graph.makers.get(bent)
        if maker is None or maker.op_type != "HardSigmoid" or maker.input[0] != given:
            continue
        slope, middle = attribute(maker, "alpha", 0.2), attribute(maker, "beta", 0.5)
        if abs(slope - 1 / 6) < 1e-6 and middle == 0.5 and graph.opset >= HARD_SWISH:
            steps = graph.steps(node)
            steps.end("HardSwish", given)
            return steps.nodes
    return None


def _taken_apart(
    node: "NodeProto", graph: Surroundings, other: str, factors: Array
) -> "list[NodeProto] | None":
    if not 0 < float(np.abs(factors).max(initial=0)) < LEAST_FACTOR:
        return None
    if _is_power(factors):
        return None
    steps = graph.steps(node)
    scale(steps, other, factors.astype(np.float64), like=other)
    return steps.nodes


def _is_power(factors: Array) -> bool:
    """Whether a constant is one power of two, which ezkl takes as a shift."""
    return factors.size == 1 and math.frexp(float(factors.reshape(-1)[0]))[0] == 0.5


def scale(steps: Steps, name: str, factors: Array, like: str) -> None:
    """As the node's own output: `name` times small factors, in the type of `like`."""
    shift = FACTOR_BITS - math.frexp(float(np.abs(factors).max()))[1]
    moved = steps("Mul", name, steps.constant(2.0**-shift, like=like))
    steps.end("Mul", moved, steps.constant(factors * 2.0**shift, like=like))


def quotient(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """x / c, of fractions by constants away from 0, and of integers by one number."""
    divisors, given = graph.value(node, 1), node.input[0]
    if divisors is None or given in graph.constants or not divisors.all():
        return None
    if not graph.is_float(given):
        return _integer_quotient(node, graph, divisors)
    factors = 1 / divisors.astype(np.float64)
    return _taken_apart(node, graph, given, factors)


def _integer_quotient(
    node: "NodeProto", graph: Surroundings, divisors: Array
) -> "list[NodeProto] | None":
    """|x| / d rounded down, with the quotient's sign. ezkl's own quotient has bits of fraction; at
    (2 |x| + 1) / 2 d it is far enough from any integer to be rounded down right."""
    divisor = alike(node, graph, divisors)
    if divisor is None or not _divides(abs(divisor)) or node.input[0] not in graph.whole:
        return None
    steps = graph.steps(node)
    _whole_quotient(steps, node.input[0], int(divisor))
    return steps.nodes


def _divides(divisor: float) -> bool:
    """Powers of two are shifts, which ezkl does not round."""
    shift = math.frexp(divisor)[0] == 0.5
    return 0 < divisor <= (MOST_SHIFTED if shift else MOST_DIVISOR)


def _whole_quotient(steps: Steps, given: str, divisor: int) -> None:
    if given in steps.graph.not_negative:
        whole = _rounded_down(steps, given, abs(divisor))
        steps.end("Neg" if divisor < 0 else "Identity", whole)
        return
    sign = steps("Sign", given)
    if divisor < 0:
        sign = steps("Neg", sign)
    steps.end("Mul", sign, _rounded_down(steps, steps("Abs", given), abs(divisor)))


def _rounded_down(steps: Steps, size: str, divisor: int) -> str:
    """The quotient of two integers that are not negative."""
    doubled = steps("Mul", size, steps.constant(2, kind=np.int64))
    between = steps("Add", doubled, steps.constant(1, kind=np.int64))
    exact = steps.settle(steps("Div", between, steps.constant(2 * divisor, kind=np.int64)))
    fraction = steps("Cast", exact, to=FLOAT)
    return steps.settle(steps("Cast", fraction, to=INT64))


def remainder(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """x mod d of integers, with the sign of d, or with fmod that of x."""
    divisor, given = single(graph.value(node, 1)), node.input[0]
    if divisor is None or not _divides(divisor) or given not in graph.whole:
        return None
    if graph.is_float(given):
        return None
    steps, count = graph.steps(node), int(divisor)
    signed = given not in graph.not_negative
    size = steps("Abs", given) if signed else given
    taken = steps("Mul", _rounded_down(steps, size, count), steps.constant(count, kind=np.int64))
    if not signed:
        steps.end("Sub", size, taken)
    elif attribute(node, "fmod", 0):
        steps.end("Mul", steps("Sign", given), steps("Sub", size, taken))
    else:
        rest, nothing = steps("Sub", size, taken), steps.constant(0, kind=np.int64)
        below = steps("And", steps("Less", given, nothing), steps("Greater", rest, nothing))
        upper = steps("Sub", steps.constant(count, kind=np.int64), rest)
        steps.end("Where", below, upper, rest)
    return steps.nodes


def power(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Powers that are products, roots or reciprocals, alike for all numbers."""
    exponents, given = graph.value(node, 1), node.input[0]
    if exponents is None or given in graph.constants or not graph.is_float(given):
        return None
    if (exponent := alike(node, graph, exponents)) is None:
        return None
    steps = graph.steps(node)
    if exponent in UNARY:
        *before, last = UNARY[exponent]
        for operator in before:
            given = steps(operator, given)
        steps.end(last, given)
    elif exponent < 0 and exponent.is_integer() and exponent >= -MOST_EXPONENT:
        product = steps("Pow", given, steps.constant(-exponent, like=node.input[0]))
        steps.end("Reciprocal", product)
    elif exponents.size != 1:
        steps.end("Pow", given, steps.constant(exponent, like=node.input[1]))
    else:
        return None
    return steps.nodes


def mean(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """A mean over a number of values that is no power of two: the sum first."""
    given = node.input[0]
    shape = graph.shapes.get(given)
    if shape is None or not graph.is_float(given):
        return None
    axes = _axes(node, graph, len(shape))
    if axes is None or _is_of_squares(graph, given):
        return None
    return _averaged(node, graph, axes, bool(attribute(node, "keepdims", 1)))


def _is_of_squares(graph: Surroundings, name: str) -> bool:
    """ezkl has an operator of its own for these, which divides last."""
    maker = graph.makers.get(name)
    return (
        maker is not None
        and maker.op_type in ("Mul", "Pow")
        and is_square(maker, graph.constants)
        and len(graph.users[name]) == 1
    )


def global_mean(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """The same over an image."""
    shape = graph.shapes.get(node.input[0])
    if shape is None:
        return None
    return _averaged(node, graph, list(range(2, len(shape))), True)


def _averaged(
    node: "NodeProto", graph: Surroundings, axes: list[int], keep: bool
) -> "list[NodeProto] | None":
    given = node.input[0]
    count = size_of(tuple(graph.shapes[given][axis] for axis in axes))
    if count < 1 or count & (count - 1) == 0:
        return None
    steps = graph.steps(node)
    total = steps.reduce("ReduceSum", given, axes, keep=keep)
    scale(steps, total, np.array(1 / count), like=given)
    return steps.nodes


def _axes(node: "NodeProto", graph: Surroundings, rank: int) -> list[int] | None:
    """Along which it reduces; None where that is not constant."""
    given = attribute(node, "axes")
    if given is None and len(node.input) > 1 and node.input[1]:
        values = graph.value(node, 1)
        if values is None:
            return None
        given = values.reshape(-1).tolist()
    if not given:
        return [] if attribute(node, "noop_with_empty_axes", 0) else list(range(rank))
    return sorted(axis % rank for axis in given)


def alike(node: "NodeProto", graph: Surroundings, values: Array) -> float | None:
    """The one number of a constant, where it does not give x another shape."""
    same = graph.shapes.get(node.input[0]) == graph.shapes.get(node.output[0])
    return float(values.reshape(-1)[0]) if same and np.unique(values).size == 1 else None


def product(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Of integers, which ezkl's reader takes for sizes behind a Cast to int64: as int32."""
    if any(graph.types.get(name) != INT64 for name in node.input):
        return None
    steps = graph.steps(node)
    short = [steps("Cast", name, to=INT32) for name in node.input]
    steps.end("Cast", steps("MatMul", *short), to=INT64)
    return steps.nodes


def extreme(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """The largest of x and constants that are not one number: ezkl takes none in a Max."""
    values = [graph.value(node, index) for index in range(len(node.input))]
    if len(values) < 2 or all(each is None or each.size == 1 for each in values):
        return None
    steps, (first, *others, last) = graph.steps(node), node.input
    for other in others:
        first = steps("Max", first, other)
    if others:
        steps.end("Max", first, last)
    else:
        steps.end("Where", steps("Greater", first, last), first, last)
    return steps.nodes


def running_sum(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """From the end, or without a number itself, in terms of the plain CumSum."""
    shape, axis = graph.shapes.get(node.input[0]), single(graph.value(node, 1))
    backwards, without = attribute(node, "reverse", 0), attribute(node, "exclusive", 0)
    if shape is None or axis is None or not (backwards or without):
        return None
    steps, given, along = graph.steps(node), node.input[0], int(axis) % len(shape)
    if backwards:
        given = steps.reverse(given, along, shape[along])
    total = steps("CumSum", given, steps.constant(along, kind=np.int64))
    if without:
        total = steps("Sub", total, given)
    steps.end("Identity", steps.reverse(total, along, shape[along]) if backwards else total)
    return steps.nodes


def clipped(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Of integers, for which ezkl's reader has no bounds."""
    if graph.types.get(node.input[0]) != INT64 or len(node.input) < 2:
        return None
    steps, (given, *bounds) = graph.steps(node), node.input
    for operator, bound in zip(("Max", "Min"), bounds, strict=False):
        given = steps(operator, given, bound) if bound else given
    steps.end("Identity", given)
    return steps.nodes


ARITHMETIC: dict[tuple[str, str], Rule] = {
    ("", "Clip"): clipped,
    ("", "CumSum"): running_sum,
    ("", "Div"): quotient,
    ("", "GlobalAveragePool"): global_mean,
    ("", "MatMul"): product,
    ("", "Max"): extreme,
    ("", "Mod"): remainder,
    ("", "Mul"): small_factor,
    ("", "Pow"): power,
    ("", "ReduceMean"): mean,
}

__all__ = ["ARITHMETIC", "hard_swish"]
