"""What is known of a graph's tensors besides their types: which ones ezkl holds without bits of
fraction, and which ones cannot be below 0.

ezkl has no types: a Cast changes nothing about a number but its fraction, and leaves its scale. So
an integer made of a fraction is not held like one that was an integer from the start.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

BOOL, FLOAT, INT32, INT64 = 9, 1, 6, 7  # of onnx's TensorProto.DataType
FLOATS = frozenset({FLOAT, 10, 11, 16})  # float32, float16, float64, bfloat16

TRUTHS = frozenset(
    "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor".split()
)
COUNTS = TRUTHS | frozenset("ArgMax ArgMin Hardmax NonZero Shape Size".split())
#: Whose result has neither bits of fraction nor signs where all of its inputs have none.
KEEPING = frozenset(
    """
    Add Concat CumSum DepthToSpace Expand Flatten GatherND Identity MatMul Max MaxPool Min Mul
    ReduceMax ReduceMin ReduceProd ReduceSum Reshape Slice SpaceToDepth Split Squeeze Sum TopK
    Transpose Unsqueeze GlobalMaxPool Gather GatherElements Tile Trilu
    """.split()
)
#: How many of the inputs are values; others are axes, indices, shapes.
VALUES = dict.fromkeys(
    "CumSum Expand Gather GatherElements GatherND Reshape Slice Split Squeeze Tile TopK "
    "Trilu Unsqueeze ReduceMax ReduceMin ReduceProd ReduceSum ReduceMean".split(),
    1,
)
NOT_NEGATIVE = frozenset(
    """
    Abs Exp GlobalLpPool HardSigmoid LpPool ReduceL1 ReduceL2 ReduceSumSquare Relu Sigmoid Softmax
    Softplus Sqrt
    """.split()
)
#: Which keep the sign besides.
SIGNED = frozenset(
    "AveragePool Cast Ceil Dropout Floor GlobalAveragePool Mean ReduceMean Round".split()
)


class Kinds:
    """constants: by tensor. whole: without bits of fraction. not_negative: at least 0."""

    def __init__(self, model: "ModelProto") -> None:
        self.constants = dict(constants(model.graph))
        self.whole: set[str] = set()
        self.not_negative: set[str] = set()
        for name, values in self.constants.items():
            self._mark(name, values.dtype.kind in "biu", bool((values >= 0).all()))
        for given in model.graph.input:
            kind = given.type.tensor_type.elem_type
            self._mark(given.name, kind not in FLOATS, kind == BOOL)
        for node in model.graph.node:
            for name in filter(None, node.output):
                self._mark(name, self._is_whole(node), self._is_not_negative(node))

    def _mark(self, name: str, whole: bool, not_negative: bool) -> None:
        if whole:
            self.whole.add(name)
        if not_negative:
            self.not_negative.add(name)

    def _is_whole(self, node: "NodeProto") -> bool:
        operator = node.op_type
        if operator == "Where":
            return self.whole.issuperset(node.input[1:])
        keeps = operator in KEEPING or operator in ("Abs", "Cast", "Neg", "Sub")
        if operator == "Sign":
            return True
        return operator in COUNTS or (keeps and self._all(node, self.whole))

    def _is_not_negative(self, node: "NodeProto") -> bool:
        operator = node.op_type
        if operator == "Where":
            return self.not_negative.issuperset(node.input[1:])
        if operator == "Max":
            return any(name in self.not_negative for name in node.input)
        if operator == "Clip" and len(node.input) > 1:
            most = node.input[2:] and node.input[2]
            above = any(name in self.not_negative for name in node.input[:2])
            return above and (not most or most in self.not_negative)
        if operator in ("Mul", "Pow") and is_square(node, self.constants):
            return True
        keeps = operator in KEEPING or operator in SIGNED
        made = operator in COUNTS or operator in NOT_NEGATIVE
        return made or (keeps and self._all(node, self.not_negative))

    def _all(self, node: "NodeProto", kind: set[str]) -> bool:
        count = VALUES.get(node.op_type, len(node.input))
        return bool(node.input) and all(name in kind for name in node.input[:count] if name)


def is_square(node: "NodeProto", known: "dict[str, np.ndarray[Any, Any]]") -> bool:
    """Whether it multiplies a number by itself, or has an even exponent."""
    if node.op_type == "Mul":
        return bool(node.input[0] == node.input[1])
    exponent = known.get(node.input[1])
    return exponent is not None and bool(np.all(exponent % 2 == 0))


def constants(graph: "GraphProto") -> "Iterator[tuple[str, np.ndarray[Any, Any]]]":
    """Name and values of every initializer and Constant node."""
    from onnx import TensorProto, helper, numpy_helper

    for tensor in graph.initializer:
        yield tensor.name, numpy_helper.to_array(tensor)
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            value = helper.get_attribute_value(attribute)
            is_tensor = isinstance(value, TensorProto)
            yield node.output[0], numpy_helper.to_array(value) if is_tensor else np.asarray(value)


__all__ = ["BOOL", "FLOAT", "FLOATS", "INT32", "INT64", "Kinds", "constants", "is_square"]
