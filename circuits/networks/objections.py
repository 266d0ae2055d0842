"""Forms of known operators that would not become what they mean: ezkl fails on them without naming
a node, or computes something else without a word. What `rewrites/` writes in another form is not
met here; these are the forms that no rule has taken, each with what to write instead.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import BOOL, FLOATS, Kinds
from zkagent.circuits.networks.rewrites.surroundings import attribute

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

SHAPES = frozenset({"Shape", "Size"})
MOST_EXPONENT = 64


@dataclass
class Graph:
    """What an objection may ask about a node's surroundings."""

    constants: dict[str, "np.ndarray[Any, Any]"]
    whole: set[str]  # tensors that ezkl holds without bits of fraction
    not_negative: set[str]
    makers: dict[str, "NodeProto"] = field(default_factory=dict)  # by tensor
    read: set[str] = field(default_factory=set)  # tensors that somebody reads
    ranks: dict[str, int] = field(default_factory=dict)
    floats: set[str] = field(default_factory=set)  # tensors of fractions, by their type
    truths: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)  # the same for every input, like shapes

    @classmethod
    def of(cls, model: "ModelProto") -> "Graph":
        """model: with inferred types."""
        kinds, graph = Kinds(model), model.graph
        found = cls(kinds.constants, kinds.whole, kinds.not_negative)
        for node in graph.node:
            found.makers.update(dict.fromkeys(node.output, node))
            found.read.update(node.input)
            if node.op_type in SHAPES or found.is_fixed(node):
                found.fixed.update(node.output)
        found.read.update(each.name for each in graph.output)
        for each in (*graph.input, *graph.value_info):
            if each.type.tensor_type.HasField("shape"):
                found.ranks[each.name] = len(each.type.tensor_type.shape.dim)
        found.floats.update(_typed(graph, FLOATS))
        found.truths.update(_typed(graph, frozenset({BOOL})))
        return found

    def is_fixed(self, node: "NodeProto") -> bool:
        """Whether a node's result is known without an input: ezkl's reader computes it then."""
        known = self.fixed | self.constants.keys() | {""}
        return bool(node.input) and all(name in known for name in node.input)


def objection_to(node: "NodeProto", graph: Graph) -> str | None:
    """Why the node would not be computed as it is meant, and what to write instead."""
    objection = _OBJECTIONS.get(node.op_type)
    return objection(node, graph) if objection else None


def _typed(graph: "GraphProto", kinds: frozenset[int]) -> Iterator[str]:
    for value in (*graph.input, *graph.value_info, *graph.output):
        if value.type.tensor_type.elem_type in kinds:
            yield value.name
    for tensor in graph.initializer:
        if tensor.data_type in kinds:
            yield tensor.name


def _constant(node: "NodeProto", index: int, graph: Graph) -> "np.ndarray[Any, Any] | None":
    return graph.constants.get(node.input[index]) if index < len(node.input) else None


def _windows(node: "NodeProto", graph: Graph) -> str | None:
    if attribute(node, "strides") is None:
        return "leaves out its strides, which ezkl needs written: add strides=[1, ...]"
    if any(size != 1 for size in attribute(node, "dilations", [])):
        return "is dilated, which ezkl does not support: use a larger kernel with zeros"
    if attribute(node, "ceil_mode", 0):
        return "has ceil_mode, which ezkl does not support: pad the input instead"
    return None


def _padded(node: "NodeProto") -> bool:
    automatic = attribute(node, "auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID")
    return automatic or any(attribute(node, "pads", []))


def _max_pool(node: "NodeProto", graph: Graph) -> str | None:
    if any(name in graph.read for name in node.output[1:] if name):
        return "is asked for the places of its maxima, which ezkl does not have: use ArgMax"
    if _padded(node) and node.input[0] not in graph.not_negative:
        return "pads, which ezkl does with 0 instead of -infinity: pool after a Relu"
    return _windows(node, graph)


def _average_pool(node: "NodeProto", graph: Graph) -> str | None:
    if _padded(node) and not attribute(node, "count_include_pad", 0):
        return "leaves out what it pads with, which ezkl counts: set count_include_pad"
    return _windows(node, graph)


def _equal(node: "NodeProto", graph: Graph) -> str | None:
    if not graph.whole.issuperset(node.input):
        return "compares fractions, whose result ezkl scales wrongly: use Greater and Less"
    return None


def _cast(node: "NodeProto", graph: Graph) -> str | None:
    if attribute(node, "to") == BOOL and node.input[0] not in graph.truths:
        return "makes a number a truth value, which ezkl rounds down instead: compare with Greater"
    return None


def _indices(node: "NodeProto", graph: Graph) -> str | None:
    values = _constant(node, 1, graph)
    if values is not None and values.min(initial=0) < 0:
        return "counts from the end, where ezkl takes the first: write indices from 0"
    if values is None and node.input[1] not in graph.whole:
        return "looks up by an index made of a fraction, which ezkl does not round: use ArgMax"
    return None


def _scatter(node: "NodeProto", graph: Graph) -> str | None:
    if attribute(node, "reduction", b"none") != b"none":
        return "combines what it writes with what is there, which ezkl does not: add two tensors"
    if _constant(node, 1, graph) is not None:
        return "has constant indices and tensors of unknown size: export it with fixed shapes"
    return _indices(node, graph)


def _top(node: "NodeProto", graph: Graph) -> str | None:
    if any(name in graph.read for name in node.output[1:] if name):
        return "is asked for places of more than one number, of which ezkl has none: use ArgMax"
    return None


def _mean(node: "NodeProto", graph: Graph) -> str | None:
    if node.input[0] not in graph.floats:
        return "is a mean of integers, which ezkl does not round: cast it to float before"
    return None


def _triangle(node: "NodeProto", graph: Graph) -> str | None:
    if graph.ranks.get(node.input[0], 2) < 3:
        return "is of a matrix, which ezkl leaves as it is: multiply by a mask"
    return None


def _running_sum(node: "NodeProto", graph: Graph) -> str | None:
    if attribute(node, "reverse", 0) or attribute(node, "exclusive", 0):
        return "sums from the end or without a number itself: use the plain form"
    return None


def _pow(node: "NodeProto", graph: Graph) -> str | None:
    exponent, base = _constant(node, 1, graph), _constant(node, 0, graph)
    if exponent is None and (base is None or base.size != 1):
        return "has neither a constant exponent nor a constant base, as ezkl needs one"
    if exponent is not None and exponent.size == 1 and exponent.item() > MOST_EXPONENT:
        return f"has the exponent {exponent.item():g}: at most {MOST_EXPONENT} is multiplied out"
    if exponent is not None and exponent.size != 1:
        return f"has the exponents {exponent.reshape(-1)[:3].tolist()}, of which ezkl takes one"
    if exponent is not None and exponent.item() < 0 and float(exponent.item()).is_integer():
        return f"has the exponent {exponent.item():g}: write it as Reciprocal of a power"
    return None


def _max(node: "NodeProto", graph: Graph) -> str | None:
    for index in range(len(node.input)):
        values = _constant(node, index, graph)
        if values is not None and values.size != 1:
            return f"has a constant of {values.size} numbers, of which ezkl takes one: use Where"
    return None


def _pad(node: "NodeProto", graph: Graph) -> str | None:
    value = _constant(node, 2, graph)
    if attribute(node, "mode", b"constant") != b"constant" or (value is not None and value.any()):
        return "pads with something else than 0, which ezkl does not support: use Concat"
    return None


def _resize(node: "NodeProto", graph: Graph) -> str | None:
    if attribute(node, "mode", b"nearest") != b"nearest":
        return "interpolates, of which ezkl supports mode nearest only"
    return "has sizes that are not constant: export it with fixed shapes"


def _div(node: "NodeProto", graph: Graph) -> str | None:
    values = _constant(node, 1, graph)
    if values is not None and not np.all(values):
        return "divides by 0"
    if node.output[0] in graph.floats or _is_rounded_down(node, graph):
        return None
    return (
        "divides integers, which is rewritten for such from the start and one constant of at most "
        "64: cast them to float and take the Floor"
    )


def _is_rounded_down(node: "NodeProto", graph: Graph) -> bool:
    """Whether it is the form that the rewrite of a quotient has: (2 x + 1) / 2 d."""
    values, total = _constant(node, 1, graph), graph.makers.get(node.input[0])
    if values is None or values.size != 1 or values.item() % 2 or total is None:
        return False
    ones = [graph.constants[name] for name in total.input if name in graph.constants]
    return total.op_type == "Add" and len(ones) == 1 and bool((ones[0] == 1).all())


_OBJECTIONS: dict[str, Callable[["NodeProto", Graph], str | None]] = {
    "AveragePool": _average_pool,
    "Cast": _cast,
    "Conv": _windows,
    "ConvTranspose": _windows,
    "CumSum": _running_sum,
    "Div": _div,
    "Equal": _equal,
    "Gather": _indices,
    "GatherElements": _indices,
    "GatherND": _indices,
    "Max": _max,
    "MaxPool": _max_pool,
    "Pad": _pad,
    "Pow": _pow,
    "ReduceMean": _mean,
    "Resize": _resize,
    "ScatterElements": _scatter,
    "ScatterND": _scatter,
    "TopK": _top,
    "Trilu": _triangle,
}

__all__ = ["SHAPES", "Graph", "objection_to"]
