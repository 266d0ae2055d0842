"""Which ONNX operators become a circuit that computes what they mean, refused before any long work.

Found by experiment with ezkl 23.0.5: each operator of `OPERATORS` was compiled in a small network
and its integers compared with onnxruntime (the tests repeat that). What ezkl cannot read is not
listed. Forms that it reads and computes wrongly are rewritten before (`rewrites/`) or refused, as
are those on which it fails with a message that names no node (`objections.py`). Exact integer
networks have a shorter list of their own in `zkagent.circuits.networks.network`.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.networks.objections import SHAPES, Graph, objection_to
from zkagent.circuits.networks.rewrites.kinds import constants

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
    Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Tan Tanh ThresholdedRelu
    TopK Transpose Trilu Unsqueeze Where Xor
    """.split()
)
# What users ask for and how to get it.
INSTEAD = {
    "DequantizeLinear": "bring the float network: the circuit quantises it itself",
    "DynamicQuantizeLinear": "bring the float network: the circuit quantises it itself",
    "GlobalLpPool": "it is rewritten for p = 1 and 2: write others as sums of powers",
    "If": "compute both branches and select with Where",
    "Loop": "export it unrolled",
    "Mod": "it is rewritten for integers by 1 to 64: write others as x - d * Floor(x / d)",
    "OneHot": "it is rewritten where depth and values are constant: write others as Equal",
    "QuantizeLinear": "bring the float network: the circuit quantises it itself",
    "Scan": "export it unrolled",
    "Tile": "it is rewritten where repeats are constant: use Expand",
    "Upsample": "it is rewritten in mode nearest with constant sizes",
}
#: What ezkl's reader may compute of constants besides: each takes a few steps for each number.
OF_CONSTANTS = OPERATORS | frozenset(
    "BitShift CastLike DequantizeLinear EyeLike IsInf IsNaN Mod NonZero OneHot QuantizeLinear "
    "ScatterElements ScatterND Tile".split()
)
MOST_NAMED = 3


def check_known(
    path: Path, graph: "GraphProto", more: Collection[tuple[str, str]] = frozenset()
) -> None:
    """Refuse a float network of other operators, by their names alone. more: those that it may have
    besides, by domain and name. Raises NetworkRefused."""
    fixed = {"", *(tensor.name for tensor in graph.initializer)}
    faults = []
    for node in graph.node:
        known = bool(node.input) and all(name in fixed for name in node.input)
        if (known and node.op_type in OF_CONSTANTS) or node.op_type in {"Constant", *SHAPES}:
            fixed.update(node.output)
        elif not _is_known(node) and (node.domain, node.op_type) not in more:
            remedy = INSTEAD.get(node.op_type, "replace it by operators that it knows")
            faults.append(f"ezkl does not know the operator {_named(node)}: {remedy}")
    _refuse(path, faults)


def _is_known(node: "NodeProto") -> bool:
    return node.op_type in OPERATORS and node.domain in ("", "ai.onnx")


def check_operators(path: Path, model: "ModelProto") -> None:
    """Refuse a float network of known operators and sizes that cannot become a circuit, or not one
    that computes the same.

    Names the first nodes at fault. Raises NetworkRefused.
    """
    inferred = _inferred(path, model)
    around = Graph.of(inferred)
    variable = [node for node in inferred.graph.node if not around.is_fixed(node)]
    faults = [fault for node in variable for fault in _faults(node, around)]
    _refuse(path, [*faults, *_infinite(around)])


def _refuse(path: Path, faults: list[str]) -> None:
    if faults:
        more = len(faults) - MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise NetworkRefused(path, "; ".join([*faults[:MOST_NAMED], *rest]))


def _inferred(path: Path, model: "ModelProto") -> "ModelProto":
    """The model with the types of what lies between its nodes."""
    from onnx import shape_inference

    try:
        return shape_inference.infer_shapes(model)
    except shape_inference.InferenceError as exc:
        reason = " ".join(str(exc).split())
        raise NetworkRefused(path, f"its shapes do not fit together ({reason})") from exc


def _infinite(graph: Graph) -> Iterator[str]:
    for name, values in graph.constants.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            yield f"constant {name!r} holds infinite numbers or NaN: write a mask as -10000"


def _faults(node: "NodeProto", graph: Graph) -> Iterator[str]:
    if reason := objection_to(node, graph):
        yield f"{_named(node)} {reason}"


def _named(node: "NodeProto") -> str:
    return f"{node.op_type} (node {node.name or node.output[0]!r})"


__all__ = ["INSTEAD", "OPERATORS", "check_known", "check_operators", "constants"]
