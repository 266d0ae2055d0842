"""Operators that only move numbers, written as one Gather: it costs a circuit nothing.

Where from each number comes is not worked out here but seen: onnxruntime moves a tensor of numbered
places. ezkl takes fewer forms of these operators, counts no index from the end but the last, and
pads with nothing but 0.
"""

from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import INT32, INT64
from zkagent.circuits.networks.rewrites.surroundings import (
    Array,
    Rule,
    Surroundings,
    attribute,
    attributes_of,
    single,
    size_of,
)
from zkagent.models.networks.inference import open_session

if TYPE_CHECKING:
    from onnx import NodeProto


def tile(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Repeated along axes."""
    shape, repeats = graph.shapes.get(node.input[0]), graph.value(node, 1)
    if shape is None or repeats is None or not repeats.all():
        return None
    steps, given = graph.steps(node), node.input[0]
    for axis, (size, times) in enumerate(zip(shape, repeats.reshape(-1).tolist(), strict=True)):
        if times != 1:
            places = np.tile(np.arange(size), times)
            given = steps("Gather", given, steps.constant(places, kind=np.int64), axis=axis)
    steps.end("Identity", given)
    return steps.nodes


def gather(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """With constant indices that count from the end."""
    indices, shape = graph.value(node, 1), graph.shapes.get(node.input[0])
    if indices is None or shape is None or indices.min(initial=0) >= 0:
        return None
    steps, size = graph.steps(node), shape[attribute(node, "axis", 0)]
    known = steps.constant(np.where(indices < 0, indices + size, indices), kind=np.int64)
    steps.end(node.op_type, node.input[0], known, **attributes_of(node))
    return steps.nodes


def gather_numbers(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """GatherND with constant indices."""
    return _moved(node, graph, [0])


def scatter(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """With constant indices; both the numbers and what replaces some of them may vary."""
    plain = attribute(node, "reduction", b"none") == b"none"
    if not plain or graph.value(node, 1) is None:
        return None
    return _moved(node, graph, [0, 2])


def resize(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """To the nearest place."""
    if attribute(node, "mode", b"nearest") != b"nearest":
        return None
    return _moved(node, graph, [0])


def pad(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """With other numbers than 0: those at the edge, or one that is given."""
    filled = _filled(node, graph)
    constant = attribute(node, "mode", b"constant") == b"constant"
    if constant and (filled is None or not filled.any()):
        return None
    return _moved(node, graph, [0])


def _filled(node: "NodeProto", graph: Surroundings) -> Array | None:
    """What a Pad stores or has as an attribute, by its opset."""
    value = attribute(node, "value")
    return np.array(value, dtype=np.float32) if value is not None else graph.value(node, 2)


def _moved(node: "NodeProto", graph: Surroundings, given: list[int]) -> "list[NodeProto] | None":
    """given: the inputs of which numbers are moved; all others are constants."""
    names = [node.input[index] for index in given]
    others = [n for at, n in enumerate(node.input) if n and at not in given]
    known = all(name in graph.constants for name in others)
    if not known or not all(name in graph.shapes for name in (*names, node.output[0])):
        return None
    places, fill = _places(node, graph, given)
    steps = graph.steps(node)
    flat = [steps("Reshape", name, steps.whole(-1)) for name in names]
    if fill is not None:
        flat.append(steps.constant(fill.reshape(1), like=names[0]))
    together = steps("Concat", *flat, axis=0) if len(flat) > 1 else flat[0]
    moved = steps("Gather", together, steps.constant(places, kind=np.int64), axis=0)
    steps.end("Reshape", moved, steps.whole(*graph.shapes[node.output[0]]))
    return steps.nodes


def _places(
    node: "NodeProto", graph: Surroundings, given: list[int]
) -> "tuple[Array, Array | None]":
    """Where from each number of the result comes, counted through all that is given, and what
    stands after these: what the result is filled up with."""
    from onnx import helper

    inputs, first = {}, 1
    for index, name in enumerate(node.input):
        inputs[f"i{index}"] = graph.constants.get(name) if name else None
        if index in given:
            last = first + size_of(graph.shapes[name])
            numbered = np.arange(first, last, dtype=np.float32)
            inputs[f"i{index}"], first = numbered.reshape(graph.shapes[name]), last
    names = [name if inputs[name] is not None else "" for name in inputs]
    alone = helper.make_node(node.op_type, names, ["moved"])
    alone.attribute.extend(node.attribute)
    fill = _filled(node, graph) if node.op_type == "Pad" else None
    if fill is not None and "i2" in inputs:
        inputs["i2"] = np.array(first, dtype=np.float32)
    for each in alone.attribute if fill is not None else ():
        if each.name == "value":
            each.f = first
    moved = _computed(alone, {k: v for k, v in inputs.items() if v is not None}, graph.opset)
    places = moved.reshape(-1).astype(np.int64) - 1
    if places.min(initial=0) < 0:  # what is 0 now has come from nowhere
        return np.where(places < 0, first - 1, places), np.zeros(1)
    return places, fill


def _computed(node: "NodeProto", inputs: "dict[str, Array]", opset: int) -> Array:
    """What onnxruntime makes of constants by one node."""
    from onnx import TensorProto, helper, numpy_helper

    output = helper.make_tensor_value_info("moved", TensorProto.FLOAT, None)
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in inputs.items()]
    graph = helper.make_graph([node], "alone", [], [output], tensors)
    domains = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=8)
    (found,) = open_session(model.SerializeToString()).run(None, {})
    return np.asarray(found)


def triangle(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Trilu; ezkl's does nothing to a matrix of two axes."""
    return _moved(node, graph, [0])


def places_of_nonzero(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """Of a constant, which onnxruntime leaves as it is."""
    from onnx import numpy_helper

    values = graph.value(node, 0)
    if values is None:
        return None
    steps = graph.steps(node)
    found = np.stack(np.nonzero(np.atleast_1d(values)))
    steps.end("Constant", value=numpy_helper.from_array(found.astype(np.int64)))
    return steps.nodes


def top(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """The first of all and its place. ezkl finds no places of several."""
    count = single(graph.value(node, 1)) if len(node.input) > 1 else attribute(node, "k")
    shape = graph.shapes.get(node.input[0])
    asked = [bool(name) and graph.is_read(name) for name in node.output]
    if count != 1 or shape is None or len(asked) < 2 or not asked[1]:
        return None
    axis = attribute(node, "axis", -1) % len(shape)
    side = "Max" if attribute(node, "largest", 1) else "Min"
    steps = graph.steps(node)
    if asked[0]:
        steps.reduce(f"Reduce{side}", node.input[0], [axis], keep=True, end=True)
    steps.end(f"Arg{side}", node.input[0], output=1, axis=axis, keepdims=1)
    return steps.nodes


def place(node: "NodeProto", graph: Surroundings) -> "list[NodeProto] | None":
    """ArgMax and ArgMin: the last place of equal ones, and of integers."""
    shape, axis = graph.shapes.get(node.input[0]), attribute(node, "axis", 0)
    keep = attribute(node, "keepdims", 1)
    if shape is None:
        return None
    steps, axis = graph.steps(node), axis % len(shape)
    if attribute(node, "select_last_index", 0):
        behind = steps.reverse(node.input[0], axis, shape[axis])
        found = steps(node.op_type, behind, axis=axis, keepdims=keep)
        steps.end("Sub", steps.constant(shape[axis] - 1, kind=np.int64), found)
    elif graph.types.get(node.input[0]) == INT64 and node.input[0] not in graph.given:
        # ezkl's reader takes for sizes what a Cast makes an int64
        short = steps("Cast", node.input[0], to=INT32)
        steps.end(node.op_type, short, axis=axis, keepdims=keep)
    else:
        return None
    return steps.nodes


MOVEMENT: dict[tuple[str, str], Rule] = {
    ("", "ArgMax"): place,
    ("", "ArgMin"): place,
    ("", "Gather"): gather,
    ("", "GatherElements"): gather,
    ("", "GatherND"): gather_numbers,
    ("", "NonZero"): places_of_nonzero,
    ("", "Pad"): pad,
    ("", "Resize"): resize,
    ("", "ScatterElements"): scatter,
    ("", "ScatterND"): scatter,
    ("", "Tile"): tile,
    ("", "TopK"): top,
    ("", "Trilu"): triangle,
    ("", "Upsample"): resize,
}

__all__ = ["MOVEMENT"]
