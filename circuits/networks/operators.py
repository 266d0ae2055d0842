"""Which ONNX operators become a circuit that computes what they mean, refused before any long work.

Found by experiment with ezkl 23.0.5: each operator of `OPERATORS` was compiled in a small network
and its integers compared with onnxruntime (the tests repeat that). What ezkl cannot read is not
listed; forms that it reads and computes wrongly, or fails on with a message that names no node, are
in `_OBJECTIONS` with what to write instead. Exact integer networks have a shorter list of their own
in `zkagent.circuits.networks.network`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zkagent.circuits.errors import NetworkRefused

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

OPERATORS = frozenset(
    """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization Cast
    Ceil Celu Clip Concat Constant ConstantOfShape Conv ConvTranspose Cos Cosh CumSum DepthToSpace
    Div Dropout Einsum Elu Equal Erf Exp Expand Flatten Floor GRU Gather GatherElements GatherND
    Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual HardSigmoid HardSwish Hardmax
    Identity InstanceNormalization LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax
    MatMul Max MaxPool Mean Min Mul Neg Not Or PRelu Pad Pow RNN Range Reciprocal ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
    Relu Reshape Resize Round ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size
    Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Tan Tanh ThresholdedRelu TopK Transpose Trilu
    Unsqueeze Where Xor
    """.split()
)
# What users ask for and how to get it.
INSTEAD = {
    "DequantizeLinear": "bring the float network: the circuit quantises it itself",
    "DynamicQuantizeLinear": "bring the float network: the circuit quantises it itself",
    "Gelu": "export it as Erf or Tanh (an opset below 20)",
    "GlobalLpPool": "ezkl computes it wrongly: write it as sums of powers",
    "GroupNormalization": "write it as Reshape and InstanceNormalization",
    "If": "compute both branches and select with Where",
    "Loop": "export it unrolled",
    "Mod": "write it as x - d * Floor(x / d)",
    "QuantizeLinear": "bring the float network: the circuit quantises it itself",
    "Scan": "export it unrolled",
    "Tile": "use Expand or Concat",
    "TreeEnsembleClassifier": "export the trees as tensors (Hummingbird's GEMM strategy)",
    "TreeEnsembleRegressor": "export the trees as tensors (Hummingbird's GEMM strategy)",
}
SHAPES = frozenset({"Shape", "Size"})
#: What ezkl's reader may compute of constants besides: each takes a few steps for each number.
OF_CONSTANTS = OPERATORS | frozenset(
    "BitShift CastLike DequantizeLinear EyeLike IsInf IsNaN Mod NonZero OneHot QuantizeLinear "
    "ScatterElements ScatterND Tile".split()
)
MOST_EXPONENT = 64
NOT_NEGATIVE = frozenset({"Abs", "Exp", "HardSigmoid", "Relu", "Sigmoid", "Softmax", "Softplus"})
MOST_NAMED = 3


@dataclass
class Graph:
    """What an objection may ask about a node's surroundings."""

    constants: dict[str, "np.ndarray[Any, Any]"] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)  # tensor -> operator that makes it
    floats: set[str] = field(default_factory=set)  # tensors of fractions
    fixed: set[str] = field(default_factory=set)  # the same for every input, like shapes

    @classmethod
    def of(cls, graph: "GraphProto") -> "Graph":
        found = cls(dict(constants(graph)))
        for node in graph.node:
            found.makers.update(dict.fromkeys(node.output, node.op_type))
            if node.op_type in SHAPES or found.is_fixed(node):
                found.fixed.update(node.output)
        found.floats.update(_floats(graph))
        return found

    def is_fixed(self, node: "NodeProto") -> bool:
        """Whether a node's result is known without an input: ezkl's reader computes it then."""
        known = self.fixed | self.constants.keys() | {""}
        return bool(node.input) and all(name in known for name in node.input)


def check_known(path: Path, graph: "GraphProto") -> None:
    """Refuse a float network of other operators, by their names alone. Raises NetworkRefused."""
    fixed = {"", *(tensor.name for tensor in graph.initializer)}
    faults = []
    for node in graph.node:
        known = bool(node.input) and all(name in fixed for name in node.input)
        if (known and node.op_type in OF_CONSTANTS) or node.op_type in {"Constant", *SHAPES}:
            fixed.update(node.output)
        elif node.op_type not in OPERATORS or node.domain not in ("", "ai.onnx"):
            remedy = INSTEAD.get(node.op_type, "replace it by operators that it knows")
            faults.append(f"ezkl does not know the operator {_named(node)}: {remedy}")
    _refuse(path, faults)


def check_operators(path: Path, model: "ModelProto") -> None:
    """Refuse a float network of known operators and sizes that cannot become a circuit, or not one
    that computes the same.

    Names the first nodes at fault. Raises NetworkRefused.
    """
    graph = _inferred(path, model)
    around = Graph.of(graph)
    variable = [node for node in graph.node if not around.is_fixed(node)]
    faults = [fault for node in variable for fault in _faults(node, around)]
    _refuse(path, [*faults, *_infinite(around)])


def _refuse(path: Path, faults: list[str]) -> None:
    if faults:
        more = len(faults) - MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise NetworkRefused(path, "; ".join([*faults[:MOST_NAMED], *rest]))


def constants(graph: "GraphProto") -> Iterator[tuple[str, "np.ndarray[Any, Any]"]]:
    """Name and values of every initializer and Constant node."""
    from onnx import TensorProto, helper, numpy_helper

    for tensor in graph.initializer:
        yield tensor.name, numpy_helper.to_array(tensor)
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            value = helper.get_attribute_value(attribute)
            is_tensor = isinstance(value, TensorProto)
            yield node.output[0], numpy_helper.to_array(value) if is_tensor else np.asarray(value)


def _inferred(path: Path, model: "ModelProto") -> "GraphProto":
    """The graph with the types of what lies between its nodes."""
    from onnx import shape_inference

    try:
        return shape_inference.infer_shapes(model).graph
    except shape_inference.InferenceError as exc:
        reason = " ".join(str(exc).split())
        raise NetworkRefused(path, f"its shapes do not fit together ({reason})") from exc


def _infinite(graph: Graph) -> Iterator[str]:
    for name, values in graph.constants.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            yield f"constant {name!r} holds infinite numbers or NaN: write a mask as -10000"


def _faults(node: "NodeProto", graph: Graph) -> Iterator[str]:
    objection = _OBJECTIONS.get(node.op_type)
    reason = objection(node, graph) if objection else None
    if reason:
        yield f"{_named(node)} {reason}"


def _named(node: "NodeProto") -> str:
    return f"{node.op_type} (node {node.name or node.output[0]!r})"


def _floats(graph: "GraphProto") -> Iterator[str]:
    from onnx import TensorProto

    kinds = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16}
    for value in (*graph.input, *graph.value_info, *graph.output):
        if value.type.tensor_type.elem_type in kinds:
            yield value.name
    for tensor in graph.initializer:
        if tensor.data_type in kinds:
            yield tensor.name


def _attribute(node: "NodeProto", name: str, default: Any = None) -> Any:
    from onnx import helper

    for attribute in node.attribute:
        if attribute.name == name:
            return helper.get_attribute_value(attribute)
    return default


def _constant(node: "NodeProto", index: int, graph: Graph) -> "np.ndarray[Any, Any] | None":
    return graph.constants.get(node.input[index]) if index < len(node.input) else None


def _windows(node: "NodeProto", graph: Graph) -> str | None:
    if _attribute(node, "strides") is None:
        return "leaves out its strides, which ezkl needs written: add strides=[1, ...]"
    if any(size != 1 for size in _attribute(node, "dilations", [])):
        return "is dilated, which ezkl does not support: use a larger kernel with zeros"
    if _attribute(node, "ceil_mode", 0):
        return "has ceil_mode, which ezkl does not support: pad the input instead"
    return None


def _max_pool(node: "NodeProto", graph: Graph) -> str | None:
    automatic = _attribute(node, "auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID")
    padded = automatic or any(_attribute(node, "pads", []))
    if padded and graph.makers.get(node.input[0]) not in NOT_NEGATIVE:
        return "pads, which ezkl does with 0 instead of -infinity: pool after a Relu"
    return _windows(node, graph)


def _equal(node: "NodeProto", graph: Graph) -> str | None:
    if any(name in graph.floats for name in node.input):
        return "compares fractions, whose result ezkl scales wrongly: use Greater and Less"
    return None


def _cast(node: "NodeProto", graph: Graph) -> str | None:
    from onnx import TensorProto

    if _attribute(node, "to") == TensorProto.BOOL and node.input[0] in graph.floats:
        return (
            "makes a fraction a truth value, which ezkl rounds down instead: compare with Greater"
        )
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
    if _attribute(node, "mode", b"constant") != b"constant" or (value is not None and value.any()):
        return "pads with something else than 0, which ezkl does not support: use Concat"
    return None


def _resize(node: "NodeProto", graph: Graph) -> str | None:
    if _attribute(node, "mode", b"nearest") != b"nearest":
        return "interpolates, of which ezkl supports mode nearest only"
    return None


def _div(node: "NodeProto", graph: Graph) -> str | None:
    values = _constant(node, 1, graph)
    if values is not None and not np.all(values):
        return "divides by 0"
    return None


_OBJECTIONS: dict[str, Callable[["NodeProto", Graph], str | None]] = {
    "AveragePool": _windows,
    "Cast": _cast,
    "Conv": _windows,
    "ConvTranspose": _windows,
    "Div": _div,
    "Equal": _equal,
    "Max": _max,
    "MaxPool": _max_pool,
    "Pad": _pad,
    "Pow": _pow,
    "Resize": _resize,
}

__all__ = ["INSTEAD", "OPERATORS", "check_known", "check_operators"]
