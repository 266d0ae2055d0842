"""Builds ONNX graphs of int64 tensors, node by node, which onnxruntime and ezkl evaluate exactly.

Each constant is an initializer of its own (ezkl range-checks shared ones); wires are Gathers with
constant indices, which cost a circuit nothing. Byte-identical for identical graphs. Opset and form
as in `onnx_export`, which the classifier and the small networks do not share with the policy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from zkagent.models.networks.onnx_export import IR_VERSION, OPSET

#: The first one with BitwiseAnd.
BITS_OPSET = 18


class IntegerGraph:
    """A graph with one input "x" and one output "y", both int64 [1, n]. Methods return names.

    opset: `BITS_OPSET` for graphs with `bits` in them.
    """

    def __init__(self, name: str, inputs: int, opset: int = OPSET) -> None:
        self.name, self.inputs, self.opset = name, inputs, opset
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def node(self, operator: str, sources: list[str], **attributes: Any) -> str:
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, sources, [name], name=name, **attributes))
        return name

    def constant(self, values: npt.ArrayLike) -> str:
        name = f"constant_{len(self._constants)}"
        array = np.ascontiguousarray(values, dtype=np.int64)
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def pick(self, source: str, places: npt.ArrayLike) -> str:
        """The columns `places` of a [1, n] tensor: a permutation, or any choice."""
        return self.node("Gather", [source, self.constant(np.ravel(places))], axis=1)

    def reshape(self, source: str, shape: Sequence[int]) -> str:
        return self.node("Reshape", [source, self.constant(shape)])

    def matmul(self, source: str, weights: npt.ArrayLike) -> str:
        """`source` [..., m, k] times `weights` [..., k, n], a constant's name or its values."""
        return self.node("MatMul", [source, self._named(weights)])

    def blocks(self, source: str, weights: npt.NDArray[np.int64]) -> str:
        """A block-diagonal layer: [1, B * k] times `weights` [B, k, n] to [1, B * n]."""
        count, inputs, outputs = weights.shape
        if count == 1:
            return self.matmul(source, weights[0])
        product = self.matmul(self.reshape(source, [count, 1, inputs]), weights)
        return self.reshape(product, [1, count * outputs])

    def add(self, source: str, bias: npt.ArrayLike) -> str:
        """`source` [1, n] plus `bias` [n], a constant's name or its values."""
        return self.node("Add", [source, self._named(bias)])

    def positive(self, source: str) -> str:
        """1 where a number is more than 0, and else 0."""
        return self.node("Clip", [source, self.constant(0), self.constant(1)])

    def bits(self, source: str, masks: npt.ArrayLike) -> str:
        """Whether numbers have the bits of `masks`, in two's complement, each of them a power of
        two."""
        return self.positive(self.node("BitwiseAnd", [source, self.constant(masks)]))

    def select(self, chosen: str, yes: str, no: str) -> str:
        """`yes` where `chosen`, which is 0 or 1, is 1, and `no` elsewhere."""
        truth = self.node("Cast", [chosen], to=TensorProto.BOOL)
        return self.node("Where", [truth, yes, no])

    def square(self, source: str) -> str:
        return self.node("Mul", [source, source])

    def concat(self, sources: Sequence[str]) -> str:
        return self.node("Concat", list(sources), axis=1)

    def _named(self, values: npt.ArrayLike) -> str:
        return values if isinstance(values, str) else self.constant(np.atleast_2d(values))

    def finish(self, output: str, outputs: int) -> bytes:
        """The serialized model whose "y" [1, outputs] is the tensor `output`, the last one made."""
        assert self._nodes[-1].output[0] == output
        self._nodes[-1].output[0] = "y"
        graph = helper.make_graph(
            self._nodes,
            self.name,
            [helper.make_tensor_value_info("x", TensorProto.INT64, [1, self.inputs])],
            [helper.make_tensor_value_info("y", TensorProto.INT64, [1, outputs])],
            self._constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = IR_VERSION
        model.producer_name, model.producer_version = "zkagent", ""
        onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString(deterministic=True))
