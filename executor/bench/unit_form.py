"""The float network that an integer network is the rounded form of, for ezkl's own calibration.

ezkl's calibration refuses int64 networks (its evaluator has no int64 squares), and fits no scale to
floats as large as their integers. So the baseline is what its users would bring: the same network
in units, where inputs and weights are at most 1. Each number is the integer one divided by a
constant that is one for the whole tensor, so every arg-max within a tensor is the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from zkagent.circuits.errors import NetworkRefused

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

Array = npt.NDArray[Any]
MOVES = frozenset({"Concat", "Flatten", "Gather", "Identity", "Reshape", "Squeeze", "Transpose"})
#: Operands that are places or shapes, not numbers.
PLACES = {"Gather": (1,), "Reshape": (1,), "Squeeze": (1,)}


@dataclass
class Units:
    """The constant that each tensor is divided by; 0 for what has several (a joined output)."""

    path: Path
    constants: dict[str, Array]
    of: dict[str, float] = field(default_factory=dict)

    def read(self, node: "NodeProto") -> None:
        """Learn the unit of a node's output; bring its constants into units."""
        rules: dict[str, Callable[[NodeProto], float]] = {
            "MatMul": self._product,
            "Mul": self._square,
            "Add": self._sum,
        }
        rule = rules.get(node.op_type, self._moved if node.op_type in MOVES else None)
        if rule is None:
            raise NetworkRefused(self.path, f"{node.op_type} has no form in units")
        self.of[node.output[0]] = rule(node)

    def _product(self, node: "NodeProto") -> float:
        data, weights = node.input
        unit = float(np.abs(self.constants[weights]).max()) or 1.0
        self.constants[weights] = self.constants[weights] / unit
        return self.of[data] * unit

    def _square(self, node: "NodeProto") -> float:
        left, right = node.input
        return self.of[left] * self.of[right]

    def _sum(self, node: "NodeProto") -> float:
        data, bias = node.input
        self.constants[bias] = self.constants[bias] / self.of[data]
        return self.of[data]

    def _moved(self, node: "NodeProto") -> float:
        places = PLACES.get(node.op_type, ())
        units = {self.of[name] for i, name in enumerate(node.input) if i not in places}
        return units.pop() if len(units) == 1 else 0.0


def unit_form(path: Path, content: bytes, largest_input: float) -> bytes:
    """The float32 ONNX file whose input x / largest_input gives the same decisions.

    Raises NetworkRefused for a network of other operators than products, sums, squares and moves.
    """
    import onnx
    from onnx import TensorProto, numpy_helper

    model = onnx.load_model_from_string(content)
    graph = model.graph
    kept = _places(model)
    constants = {
        tensor.name: numpy_helper.to_array(tensor).astype(np.float64)
        for tensor in graph.initializer
        if tensor.name not in kept
    }
    units = Units(path, constants, {graph.input[0].name: largest_input})
    for node in graph.node:
        units.read(node)
    for tensor in graph.initializer:
        if tensor.name in constants:
            values = units.constants[tensor.name].astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for value in (*graph.input, *graph.output, *graph.value_info):
        value.type.tensor_type.elem_type = TensorProto.FLOAT
    return bytes(model.SerializeToString(deterministic=True))


def _places(model: "ModelProto") -> set[str]:
    return {
        node.input[index]
        for node in model.graph.node
        for index in PLACES.get(node.op_type, ())
        if index < len(node.input)
    }


__all__ = ["unit_form"]
