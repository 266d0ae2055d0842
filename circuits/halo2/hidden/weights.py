"""Makes one tensor of a network's weights, of two uses, so that its hash is of what computes."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.halo2.hidden.parts import take_apart
from zkagent.circuits.halo2.hidden.surgery import Array, Surgery, made
from zkagent.circuits.networks.operators import constants
from zkagent.circuits.networks.prepare import graph_inputs

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto

# Inputs of operators that are constants to ezkl, and no weights.
CONSTANT_PLACES = {
    "Clip": {1, 2},
    "ConstantOfShape": {0},
    "Expand": {1},
    "Gather": {1},
    "GatherElements": {1},
    "GatherND": {1},
    "OneHot": {1, 2},
    "Pad": {1, 2, 3},
    "Pow": {1},
    "Range": {0, 1, 2},
    "ReduceMax": {1},
    "ReduceMean": {1},
    "ReduceMin": {1},
    "ReduceProd": {1},
    "ReduceSum": {1},
    "Reshape": {1},
    "Resize": {1, 2, 3},
    "Slice": {1, 2, 3, 4},
    "Split": {1},
    "Squeeze": {1},
    "Tile": {1},
    "TopK": {1},
    "Unsqueeze": {1},
}


def bind_weights(surgery: Surgery, *, integer: bool) -> int:
    """Let all nodes gather their weights from one tensor; how many there are.

    integer: whether weights are integers; otherwise they are fractions.
    """
    _name_constants(surgery)
    take_apart(surgery)
    found = _found(surgery, integer)
    if not found:
        return 0
    count = sum(array.size for array in found.values())
    kind = next(iter(found.values())).dtype
    # The last one is 0: see _gathered.
    flat = np.concatenate([*(array.reshape(-1) for array in found.values()), np.zeros(1)])
    nodes = list(surgery.graph.node)
    whole, added = _laid_out(surgery, flat.astype(kind))
    at = 0
    for name, array in found.items():
        own = surgery.fresh(name, "tied")
        places = np.arange(at, at + array.size).reshape(array.shape)
        added += _gathered(surgery, whole, places, count, own)
        _rename(surgery, nodes, name, own)
        at += array.size
    surgery.prepend(added)
    surgery.drop_unused()
    return count + 1


def bound_count(graph: "GraphProto") -> int:
    """Numbers in the tensor that `bind_weights` made; 0 where there is none."""
    twice = {
        node.input[0]
        for node in graph.node
        if node.op_type == "Concat" and len(node.input) == 3 and node.input[0] == node.input[1]
    }
    return sum(math.prod(each.dims) for each in graph.initializer if each.name in twice)


def _name_constants(surgery: Surgery) -> None:
    """Constant nodes as initializers."""
    nodes = surgery.graph.node
    named = {node.output[0] for node in nodes if node.op_type == "Constant"}
    arrays = {name: array for name, array in constants(surgery.graph) if name in named}
    surgery.replace_nodes(node for node in list(nodes) if node.output[0] not in arrays)
    for name, array in arrays.items():
        surgery.initialize(name, array)


def _found(surgery: Surgery, integer: bool) -> dict[str, Array]:
    """What nodes compute with, by name."""
    arrays, kinds = dict(surgery.constants()), "i" if integer else "f"
    return {
        name: arrays[name]
        for node in surgery.graph.node
        for name in _variable_inputs(node)
        if name in arrays and arrays[name].size and arrays[name].dtype.kind in kinds
    }


def _variable_inputs(node: "NodeProto") -> Iterator[str]:
    fixed = CONSTANT_PLACES.get(node.op_type, set())
    yield from (name for place, name in enumerate(node.input) if place not in fixed)


def _rename(surgery: Surgery, nodes: "list[NodeProto]", old: str, new: str) -> None:
    for node in nodes:
        fixed = CONSTANT_PLACES.get(node.op_type, set())
        for place, name in enumerate(node.input):
            if name == old and place not in fixed:
                node.input[place] = new


def _laid_out(surgery: Surgery, weights: Array) -> "tuple[str, list[NodeProto]]":
    """The name of what all are gathered from, and the nodes that make it."""
    given, cast = _beside(surgery, weights.dtype)
    flat, first, whole = (surgery.fresh("weights", part) for part in ("x", "first", "whole"))
    tensor = surgery.constant("weights", weights)
    return whole, [
        *cast,
        made("Reshape", [given, surgery.constant("weights_shape", [-1])], flat),
        made("Gather", [flat, surgery.constant("weights_at", [0])], first, axis=0),
        made("Concat", [tensor, tensor, first], whole, axis=0),
    ]


def _beside(surgery: Surgery, kind: "np.dtype[Any]") -> "tuple[str, list[NodeProto]]":
    """An input of the weights' type, or one cast to it."""
    from onnx import helper

    wanted, inputs = helper.np_dtype_to_tensor_dtype(kind), graph_inputs(surgery.graph)
    for value in inputs:
        if value.type.tensor_type.elem_type == wanted:
            return value.name, []
    cast = surgery.fresh(inputs[0].name, "cast")
    return cast, [made("Cast", [inputs[0].name], cast, to=wanted)]


def _gathered(
    surgery: Surgery, whole: str, places: Array, zero: int, name: str
) -> "list[NodeProto]":
    """A weight that lies at these places. A single number is the sum of it and of 0: gathering it
    alone would be a slice to ezkl's reader, and the slice of a constant a constant of its own."""
    if places.size > 1:
        return [made("Gather", [whole, surgery.constant(name, places)], name, axis=0)]
    two, scalar = surgery.fresh(name, "two"), surgery.fresh(name, "scalar")
    shape = np.array(places.shape, np.int64)
    return [
        made("Gather", [whole, surgery.constant(name, [places.item(), zero])], two, axis=0),
        made("ReduceSum", [two], scalar, keepdims=0),
        made("Reshape", [scalar, surgery.constant(name, shape)], name),
    ]


__all__ = ["CONSTANT_PLACES", "bind_weights", "bound_count"]
