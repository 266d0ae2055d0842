"""Truth values, comparisons and casts. ezkl has no types: a truth value is 0 or 1, a Cast rounds
down and leaves the scale, and two fractions that are equal give a fraction."""

from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import BOOL
from zkagent.circuits.networks.rewrites.surroundings import (
    Rule,
    Steps,
    Surroundings,
    attribute,
    single,
)

if TYPE_CHECKING:
    from onnx import NodeProto


def equal(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Of numbers with bits of fraction: neither greater nor less."""
    left, right = node.input
    if graph.types.get(left) == BOOL or {left, right} <= graph.whole:
        return None
    steps = graph.steps(node)
    either = steps("Or", steps("Greater", left, right), steps("Less", left, right))
    steps.end("Not", either)
    return steps.nodes


def cast(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """To a truth value: not 0. Of a fraction to an integer: towards 0, not down."""
    from onnx import helper

    to, given = attribute(node, "to"), node.input[0]
    kind = graph.types.get(given)
    if kind is None or kind == BOOL or given in graph.constants:
        return None
    steps = graph.steps(node)
    if to == BOOL:
        _is_not_zero(steps, given)
        return steps.nodes
    whole = helper.tensor_dtype_to_np_dtype(to).kind in "iu"
    if not (whole and graph.is_float(given)) or given in graph.not_negative | graph.whole:
        return None
    down = steps("Mul", steps("Sign", given), steps("Floor", steps("Abs", given)))
    steps.end("Cast", down, to=to)
    steps.settle(node.output[0])
    return steps.nodes


def _is_not_zero(steps: Steps, given: str) -> None:
    zero = steps.constant(0, like=given)
    if given in steps.graph.not_negative:
        steps.end("Greater", given, zero)
    elif given in steps.graph.whole:
        steps.end("Not", steps("Equal", given, zero))
    else:
        steps.end("Or", steps("Greater", given, zero), steps("Less", given, zero))


def choice(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Where between truth values, which onnxruntime does not have."""
    condition, yes, no = node.input
    if graph.types.get(node.output[0]) != BOOL:
        return None
    steps = graph.steps(node)
    chosen, other = steps("And", condition, yes), steps("And", steps("Not", condition), no)
    steps.end("Or", chosen, other)
    return steps.nodes


def one_hot(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """A comparison of each index with each place. Negative indices count from the end."""
    depth, ends = single(graph.value(node, 1)), graph.value(node, 2)
    indices, shape = node.input[0], graph.shapes.get(node.input[0])
    if depth is None or ends is None or shape is None or indices not in graph.whole:
        return None
    rank, count = len(shape) + 1, int(depth)
    axis = attribute(node, "axis", -1) % rank
    along = [1] * rank
    along[axis] = count
    spread = [*shape[:axis], 1, *shape[axis:]]
    steps = graph.steps(node)
    given = steps("Reshape", indices, steps.whole(*spread))
    places = np.arange(count).reshape(along)
    found = steps("Equal", given, steps.constant(places, like=indices))
    if indices not in graph.not_negative:
        from_end = steps("Equal", given, steps.constant(places - count, like=indices))
        found = steps("Or", found, from_end)
    _between(steps, found, ends.reshape(-1), node.input[2])
    return steps.nodes


def _between(
    steps: Steps, found: str, ends: "np.ndarray[tuple[int], np.dtype[np.generic]]", like: str
) -> None:
    """The second of two numbers where it is found, else the first."""
    if steps.graph.types[like] == BOOL:
        off, on = (steps.constant(end, like=like) for end in ends)
        steps.end("Where", found, on, off)
        return
    off, on = ends.tolist()
    kind = steps.graph.types[like]
    if (off, on) == (0, 1):
        steps.end("Cast", found, to=kind)
        return
    number = steps("Cast", found, to=kind)
    moved = steps("Mul", number, steps.constant(on - off, like=like))
    steps.end("Add", moved, steps.constant(off, like=like))


LOGIC: dict[tuple[str, str], Rule] = {
    ("", "Cast"): cast,
    ("", "Equal"): equal,
    ("", "OneHot"): one_hot,
    ("", "Where"): choice,
}

__all__ = ["LOGIC"]
