"""What rules that write several nodes for one are made of: nodes one after the other, with
constants where they need some, and factors that no circuit has to round.

A circuit holds numbers as v / 2^bits, constants as well. A weight of 0.001 is lost among them, and
so is a reciprocal; a division by a power of two costs nothing and loses nothing, because it only
moves the point. So small factors are written as f 2^k and a division by 2^k.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnx import NodeProto

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

MOST_SHIFT = 20  # bits: what is smaller than a millionth stays so


class Around(Protocol):
    """What a rule may know of the graph around a node, and how it adds names and constants."""

    @property
    def opset(self) -> int:
        """Of the operators that belong to no domain."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Of tensors, where it is known."""

    @property
    def types(self) -> Mapping[str, int]:
        """ONNX's element types of tensors, where they are known."""

    @property
    def constants(self) -> Mapping[str, Array]:
        """Tensors whose values are in the file."""

    @property
    def makers(self) -> "Mapping[str, NodeProto]":
        """The nodes that make tensors."""

    @property
    def users(self) -> "Mapping[str, list[NodeProto]]":
        """The nodes that read tensors."""

    @property
    def outputs(self) -> frozenset[str]:
        """Of the graph."""

    def fresh(self, hint: str) -> str:
        """A name that nothing has."""

    def constant(self, array: Array, hint: str) -> str:
        """The name of a new constant."""


class Builder:
    """Nodes in the order in which they compute. `hint` is part of the names of what they make."""

    def __init__(self, around: Around, hint: str) -> None:
        self.around, self._hint = around, hint
        self.nodes: list[NodeProto] = []

    def add(self, operator: str, *inputs: str, into: str | None = None, **attributes: Any) -> str:
        """The name of the result, which is `into` where that is given."""
        from onnx import helper

        result = into or self.around.fresh(f"{self._hint}_{operator.lower()}")
        self.nodes.append(helper.make_node(operator, inputs, [result], **attributes))
        return result

    def floats(self, values: Any) -> str:
        """A constant of float32."""
        return self.around.constant(np.asarray(values, dtype=np.float32), self._hint)

    def integers(self, values: Any) -> str:
        """A constant of int64."""
        return self.around.constant(np.asarray(values, dtype=np.int64), self._hint)

    def as_float(self, name: str) -> str:
        """The tensor, cast unless it is known to be float32."""
        from onnx import TensorProto

        if self.around.types.get(name) == TensorProto.FLOAT:
            return name
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def columns(self, name: str, indices: Any) -> str:
        """Some columns of a tensor [n, m], which costs nothing in a circuit."""
        return self.add("Gather", name, self.integers(indices), axis=1)

    def summed(self, operator: str, name: str) -> str:
        """A tensor [n, m] reduced to [n, 1] by ReduceSum, ReduceL2 or another one."""
        first_with_input = 13 if operator == "ReduceSum" else 18
        if self.around.opset < first_with_input:
            return self.add(operator, name, axes=[1], keepdims=1)
        return self.add(operator, name, self.integers([1]), keepdims=1)

    def joined(self, names: list[str]) -> str:
        """Tensors [n, ...] side by side."""
        return names[0] if len(names) == 1 else self.add("Concat", *names, axis=1)

    def halved(self, name: str, times: int) -> str:
        """The tensor divided by 2^times."""
        return self.add("Div", name, self.floats(2.0**times)) if times else name

    def multiplied(self, name: str, factors: Floats) -> str:
        """The tensor times `factors`, however small these are."""
        if np.all(factors == 1):
            return name
        shift = shift_of(factors)
        return self.halved(self.add("Mul", name, self.floats(factors * 2.0**shift)), shift)

    def written(self, name: str, output: str) -> None:
        """Let the tensor have the name of one of the node's outputs."""
        self.add("Identity", name, into=output)


def shift_of(values: Floats) -> int:
    """By how many bits the values have to be shifted left so that none is below a half; 0 is no
    value."""
    found = np.abs(values[values != 0])
    if not found.size:
        return 0
    return min(MOST_SHIFT, max(0, math.ceil(-1 - math.log2(float(found.min())))))


def attributes(node: "NodeProto") -> dict[str, Any]:
    """Those of a node by name: numbers, lists, bytes as text, tensors as arrays."""
    from onnx import helper

    return {each.name: _plain(helper.get_attribute_value(each)) for each in node.attribute}


def _plain(value: Any) -> Any:
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


__all__ = ["Around", "Array", "Builder", "Floats", "attributes", "shift_of"]
