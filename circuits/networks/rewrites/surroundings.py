"""What a rule may ask about the graph around a node, and how it writes the nodes that take its
place.

Rules are pure: they change nothing but by the nodes that they return and the constants that they
add here. All that is asked about was inferred when the walk over the graph began.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.networks.rewrites.kinds import FLOATS, Kinds

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Rule = Callable[["NodeProto", "Surroundings"], "list[NodeProto] | None"]


@dataclass
class Surroundings:
    """Of one walk over a graph.

    shapes: of all tensors whose sizes are known. types: of tensors, as TensorProto counts them.
    constants: of initializers and Constant nodes. makers, users: the nodes that write and read a
    tensor. given, outputs: the graph's own. whole: tensors that ezkl holds as integers without bits
    of fraction. not_negative: tensors that no input can drive below 0. taken: all names. settled:
    what is in its last form, which no rule may touch again. added: what rules have stored.
    """

    opset: int
    shapes: Mapping[str, Shape]
    types: Mapping[str, int]
    constants: dict[str, Array]
    makers: Mapping[str, "NodeProto"]
    users: Mapping[str, "list[NodeProto]"]
    given: frozenset[str]
    outputs: frozenset[str]
    whole: frozenset[str]
    not_negative: frozenset[str]
    taken: set[str]
    settled: set[str]
    added: "list[TensorProto]" = field(default_factory=list)

    @classmethod
    def of(cls, model: "ModelProto", settled: set[str]) -> "Surroundings":
        """model: with the types and shapes of what lies between its nodes."""
        graph, kinds = model.graph, Kinds(model)
        values = (*graph.input, *graph.value_info, *graph.output)
        shapes = {each.name: shape for each in values if (shape := _shape(each)) is not None}
        types = {each.name: each.type.tensor_type.elem_type for each in values}
        for tensor in graph.initializer:
            shapes[tensor.name], types[tensor.name] = tuple(tensor.dims), tensor.data_type
        users: dict[str, list[NodeProto]] = {}
        for node in graph.node:
            for name in dict.fromkeys(node.input):
                users.setdefault(name, []).append(node)
        names = (name for node in graph.node for name in (*node.input, *node.output))
        return cls(
            opset=next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1),
            shapes=shapes,
            types=types,
            constants=kinds.constants,
            makers={name: node for node in graph.node for name in node.output if name},
            users=users,
            given=frozenset(each.name for each in graph.input),
            outputs=frozenset(each.name for each in graph.output),
            whole=frozenset(kinds.whole),
            not_negative=frozenset(kinds.not_negative),
            taken={*names, *shapes},
            settled=settled,
        )

    def is_float(self, name: str) -> bool:
        """Whether a tensor holds fractions, by its type."""
        return self.types.get(name) in FLOATS

    def value(self, node: "NodeProto", index: int) -> Array | None:
        """A node's input, where it is there and constant."""
        present = index < len(node.input) and node.input[index]
        return self.constants.get(node.input[index]) if present else None

    def is_read(self, name: str) -> bool:
        """Whether a node or the network's user reads a tensor."""
        return name in self.users or name in self.outputs

    def fresh(self, hint: str) -> str:
        """A name that no tensor has."""
        name, number = hint, 0
        while name in self.taken:
            name, number = f"{hint}_{number}", number + 1
        self.taken.add(name)
        return name

    def constant(self, array: Array, hint: str) -> str:
        """Store a constant of its own (ezkl checks what two nodes share) and return its name."""
        from onnx import numpy_helper

        name = self.fresh(hint)
        self.added.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def steps(self, node: "NodeProto") -> "Steps":
        """For the nodes that take this one's place."""
        return Steps(self, node)


class Steps:
    """The nodes that take one's place, in the making; names are of the node's own output."""

    def __init__(self, graph: Surroundings, node: "NodeProto") -> None:
        self.graph, self._node = graph, node
        self._hint = node.output[0] or next(filter(None, node.output))
        self.nodes: list[NodeProto] = []

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Write one node and return its output's name."""
        return self._write(
            operator, inputs, self.graph.fresh(f"{self._hint}_{operator}"), attributes
        )

    def end(self, operator: str, *inputs: str, output: int = 0, **attributes: Any) -> None:
        """Write the node that makes the replaced one's own output."""
        self._write(operator, inputs, self._node.output[output], attributes)

    def constant(self, values: Any, like: str | None = None, kind: Any = None) -> str:
        """Store numbers, in numpy's `kind` or the type of the tensor `like`."""
        from onnx import helper

        if like is not None:
            kind = helper.tensor_dtype_to_np_dtype(self.graph.types[like])
        return self.graph.constant(np.asarray(values, dtype=kind), f"{self._hint}_constant")

    def whole(self, *values: int) -> str:
        """Store a list of int64, such as a shape."""
        return self.constant(values, kind=np.int64)

    def reduce(
        self, operator: str, name: str, axes: Sequence[int], *, keep: bool, end: bool = False
    ) -> str:
        """Along axes, in the form of the file's opset. end: as the node's own output."""
        write: Any = self.end if end else self
        since = 13 if operator == "ReduceSum" else 18
        if self.graph.opset >= since:
            made = write(operator, name, self.whole(*axes), keepdims=int(keep))
        else:
            made = write(operator, name, axes=list(axes), keepdims=int(keep))
        return str(made or self._node.output[0])

    def reverse(self, name: str, axis: int, size: int) -> str:
        """From the last number to the first along an axis of `size`."""
        return self("Gather", name, self.whole(*range(size - 1, -1, -1)), axis=axis)

    def settle(self, name: str) -> str:
        """No rule is to touch the node that makes this."""
        self.graph.settled.add(name)
        return name

    def _write(
        self, operator: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Any]
    ) -> str:
        from onnx import helper

        given = {key: value for key, value in attributes.items() if value is not None}
        label = self._node.name and f"{self._node.name}/{operator}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], label, **given))
        return output


def attribute(node: "NodeProto", name: str, default: Any = None) -> Any:
    """A node's attribute as Python holds it."""
    from onnx import helper

    for each in node.attribute:
        if each.name == name:
            return helper.get_attribute_value(each)
    return default


def attributes_of(node: "NodeProto") -> dict[str, Any]:
    """All of a node's, as Python holds them."""
    return {each.name: attribute(node, each.name) for each in node.attribute}


def single(values: Array | None) -> float | None:
    """A constant's only number."""
    return float(values.reshape(-1)[0]) if values is not None and values.size == 1 else None


def size_of(shape: Shape) -> int:
    return math.prod(shape)


def _shape(value: Any) -> Shape | None:
    kind = value.type.tensor_type
    sizes = tuple(each.dim_value if each.HasField("dim_value") else -1 for each in kind.shape.dim)
    return sizes if kind.HasField("shape") and all(size >= 0 for size in sizes) else None


__all__ = [
    "Array",
    "Rule",
    "Shape",
    "Steps",
    "Surroundings",
    "attribute",
    "attributes_of",
    "single",
    "size_of",
]
