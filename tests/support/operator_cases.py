"""One small float network for each ONNX operator, with samples that its function is defined on."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper, shape_inference

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
IMAGE = (1, 2, 4, 4)
Attributes = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`operator` applied to x and `constants`, its first output as floats.

    low, high: where the samples lie. first: whether x comes before the constants. two: x and
    something made of it are its inputs. truths: its inputs are x > 0 and x < 1.
    """

    operator: str
    constants: tuple[Any, ...] = ()
    attributes: Attributes = field(default_factory=dict)
    shape: tuple[int, ...] = (1, 4)
    low: float = -2.0
    high: float = 2.0
    outputs: int = 1
    first: bool = True
    two: bool = False
    truths: int = 0
    opset: int = 17
    domain: str = ""

    def __str__(self) -> str:
        return self.operator

    def content(self) -> bytes:
        """The ONNX file: x of `shape` to y."""
        nodes, constants = [], [(f"c{at}", value) for at, value in enumerate(self.constants)]
        sources = ["x", *(name for name, _ in constants)]
        if self.two:
            nodes.append(helper.make_node("Neg", ["x"], ["n"]))
            sources.append("n")
        if self.truths:
            nodes.append(helper.make_node("Greater", ["x", "zero"], ["t0"]))
            nodes.append(helper.make_node("Less", ["x", "one"], ["t1"]))
            constants += [("zero", np.float32(0)), ("one", np.float32(1))]
            sources = ["t0", "t1"][: self.truths]
        nodes.append(self._node(sources if self.first else [*sources[1:], "x"]))
        return model(nodes, constants, self.shape, self.opset)

    def _node(self, sources: list[str]) -> NodeProto:
        outputs = ["r", *(f"unused{index}" for index in range(1, self.outputs))]
        return helper.make_node(
            self.operator, sources, outputs, name="it", domain=self.domain, **self.attributes
        )


def model(
    nodes: list[NodeProto], constants: list[tuple[str, Any]], shape: tuple[int, ...], opset: int
) -> bytes:
    """`nodes` lead from x to r; y is r as floats."""
    graph = helper.make_graph(
        [*nodes, helper.make_node("Cast", ["r"], ["y"], name="cast", to=FLOAT)],
        "case",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info("y", FLOAT, shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants],
    )
    domains = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)]
    made = helper.make_model(graph, opset_imports=domains, ir_version=8)
    # The output's own shape, where it is another one than x's.
    made.graph.output[0].type.tensor_type.ClearField("shape")
    inferred = shape_inference.infer_shapes(made, data_prop=True)
    if not inferred.graph.output[0].type.tensor_type.HasField("shape"):
        inferred.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, shape))
    return bytes(inferred.SerializeToString())


def floats(*values: Any) -> Any:
    return np.array(values, dtype=np.float32)


def integers(*values: Any) -> Any:
    return np.array(values, dtype=np.int64)


def window(*sizes: int, stride: int = 1, **more: Any) -> Attributes:
    return {"kernel_shape": list(sizes), "strides": [stride] * len(sizes), **more}


def recurrent(gates: int) -> tuple[Any, Any]:
    return np.full((1, 2 * gates, 4), 0.25, np.float32), np.full(
        (1, 2 * gates, 2), 0.25, np.float32
    )


W = np.arange(-4, 4, dtype=np.float32).reshape(4, 2) / 4
K = np.linspace(-1, 1, 2 * 2 * 9, dtype=np.float32).reshape(2, 2, 3, 3)
ROW = floats([1, 2, 3, 4])
LAST, ONE = {"axes": [1]}, np.float32(1)

PLAIN = """
    Abs Asinh Atan Ceil Celu Cos Cosh Dropout Elu Erf Exp Floor HardSigmoid HardSwish Hardmax
    Identity LeakyRelu LogSoftmax Neg Relu Round Selu Shape Shrink Sigmoid Sign Sin Sinh Size
    Softmax Softplus Softsign Tanh ThresholdedRelu
""".split()
SUPPORTED = [
    *map(Case, PLAIN),
    Case("Acos", low=-0.9, high=0.9),
    Case("Acosh", low=1.2),
    Case("Add", (ROW,)),
    Case("And", truths=2),
    Case("ArgMax", (), {"axis": 1}),
    Case("ArgMin", (), {"axis": 1}),
    Case("Asin", low=-0.9, high=0.9),
    Case("Atanh", low=-0.9, high=0.9),
    Case("AveragePool", (), window(2, 2, stride=2), IMAGE),
    Case(
        "BatchNormalization", tuple(floats(*v) for v in ((1, 2), (0, 1), (0, 1), (1, 2))), {}, IMAGE
    ),
    Case("Cast", (), {"to": INT64}, low=0),
    Case("Clip", (-ONE, ONE)),
    Case("Concat", (floats([1, 2]),), {"axis": 1}),
    Case("Conv", (K,), window(3, 3, pads=[1, 1, 1, 1]), IMAGE),
    Case("Conv", (K[:, :1].copy(), floats(1, 2)), window(3, 3, group=2), IMAGE),
    Case("Conv", (K[:, :, 0].copy(),), window(3), (1, 2, 6)),
    Case("ConvTranspose", (K,), window(3, 3), IMAGE),
    Case("CumSum", (np.int64(1),)),
    Case("DepthToSpace", (), {"blocksize": 2}, (1, 4, 2, 2)),
    Case("Div", (ROW,)),
    Case("Div", (ONE,), first=False, low=0.5),
    Case("Einsum", (W,), {"equation": "bi,ij->bj"}),
    Case("Equal", truths=2),
    Case("Expand", (integers(3, 4),)),
    Case("Flatten", (), {}, IMAGE),
    Case("GRU", recurrent(3), {"hidden_size": 2}, (3, 1, 4), outputs=2),
    Case("Gather", (integers(-1, 0),), {"axis": 1}),
    Case("GatherElements", (integers([2, 0]),), {"axis": 1}),
    Case("GatherND", (integers([0, 2]),)),
    Case("Gemm", (W.T.copy(), floats(1, 2)), {"transB": 1, "alpha": 0.5}),
    Case("GlobalAveragePool", (), {}, IMAGE),
    Case("GlobalMaxPool", (), {}, IMAGE),
    Case("Greater", (ROW - 2,)),
    Case("GreaterOrEqual", (ROW - 2,)),
    Case("InstanceNormalization", (floats(1, 2), floats(0, 1)), {}, IMAGE),
    Case("LSTM", recurrent(4), {"hidden_size": 2}, (3, 1, 4), outputs=3),
    Case("LayerNormalization", (floats(1, 2, 1, 1), floats(0, 1, 0, 0)), {"axis": -1}),
    Case("Less", (ROW - 2,)),
    Case("LessOrEqual", (ROW - 2,)),
    Case("Log", low=0.2),
    Case("MatMul", (np.stack([W, W]),)),
    Case("MatMul", two=True, shape=(2, 2)),
    Case("Max", (np.float32(0.5),)),
    Case("Max", two=True),
    Case("MaxPool", (), window(2, 2, stride=2), IMAGE),
    Case("Mean", (ROW,)),
    Case("Min", two=True),
    Case("Mul", (ROW,)),
    Case("Mul", (np.float32(0.25),)),
    Case("Not", truths=1),
    Case("Or", truths=2),
    Case("PRelu", (ROW / 8,)),
    Case("Pad", (integers(0, 1, 0, 1),)),
    Case("Pow", (np.float32(3),)),
    Case("Pow", (np.float32(0.5),), low=0.2),
    Case("Pow", (np.float32(2),), first=False),
    Case("RNN", recurrent(1), {"hidden_size": 2}, (3, 1, 4), outputs=2),
    Case("Reciprocal", low=0.5),
    Case("ReduceL1", (), LAST),
    Case("ReduceL2", (), LAST),
    Case("ReduceLogSum", (), LAST, low=0.5),
    Case("ReduceLogSumExp", (), LAST),
    Case("ReduceMax", (), LAST),
    Case("ReduceMean", (), LAST),
    Case("ReduceMean", (integers(1),), opset=18),
    Case("ReduceMin", (), LAST),
    Case("ReduceProd", (), LAST),
    Case("ReduceSum", (integers(1),)),
    Case("ReduceSumSquare", (), LAST),
    Case("Reshape", (integers(2, -1),)),
    Case("Resize", (floats(), floats(1, 1, 2, 2)), {"mode": "nearest"}, IMAGE),
    Case("Slice", (integers(1), integers(3), integers(1))),
    Case("ScatterElements", (integers([-1, 0]), floats([5, 6])), {"axis": 1}),
    Case("ScatterND", (integers([0, 2]), floats(5))),
    Case("SpaceToDepth", (), {"blocksize": 2}, IMAGE),
    Case("Split", (), {"axis": 1}, outputs=2),
    Case("Sqrt", low=0.2),
    Case("Squeeze", (integers(0),)),
    Case("Sub", (ROW,)),
    Case("Sum", (ROW,)),
    Case("Tan", low=-1, high=1),
    Case("TopK", (integers(2),), {"axis": 1}, outputs=2),
    Case("Transpose", (), {"perm": [1, 0]}),
    Case("Trilu", (), {}, (1, 4, 4)),
    Case("Unsqueeze", (integers(0),)),
    Case("Xor", truths=2),
]
# Made by others of this module, or without a function of x.
ELSEWHERE = {"Constant", "ConstantOfShape", "Range", "Where"}

REFUSED = [
    (Case("Det", (), {}, (1, 2, 2)), "does not know the operator Det .node 'it'"),
    (Case("Pow", (ROW,)), r"Pow .* has the exponents \[1.0, 2.0, 3.0\]"),
    (Case("Pow", (np.float32(4e9),)), r"Pow .* has the exponent 4e\+09: at most 64"),
    (Case("Pow", (np.float32(-65),), low=1), "Pow .* has the exponent -65: write it as Reciprocal"),
    (Case("Pow", two=True), "Pow .* has neither a constant exponent nor"),
    (
        Case("Resize", (floats(), floats(1, 1, 2, 2)), {"mode": "linear"}, IMAGE),
        "Resize .* interpolates",
    ),
    (Case("GlobalLpPool", (), {"p": 3}, IMAGE), "GlobalLpPool .* write others as sums of powers"),
    (Case("Div", (ROW - 1,)), "Div .* divides by 0"),
    (Case("Add", (ROW * np.inf,)), "constant 'c0' holds infinite numbers"),
]
MATRIX = (3, 3)
# What ezkl would take without a word and compute otherwise, and what is rewritten for that.
MISREAD = [
    Case("AveragePool", (), window(2, 2, pads=[1, 1, 1, 1]), IMAGE, low=1),
    Case("Cast", (), {"to": BOOL}, low=0.2, high=0.8),
    Case("Cast", (), {"to": INT64}, low=-2, high=-1),
    Case("Div", (np.float32(300),), low=0, high=3000),
    Case("Equal", (floats([-2, 0, 2, 4]),)),
    Case("Gather", (integers(-2, -3),), {"axis": 1}),
    Case("GatherElements", (integers([-2, -3]),), {"axis": 1}),
    Case("GlobalAveragePool", (), {}, (1, 1, 15, 20), low=0, high=90),
    Case("GlobalLpPool", (), {}, IMAGE),
    Case("MaxPool", (), window(2, 2, pads=[1, 1, 1, 1]), IMAGE, high=-1),
    Case("Mul", (np.float32(1 / 300),), low=0, high=3000),
    Case("Pow", (np.float32(-1),), low=0.5),
    Case("ReduceMean", (), LAST, (1, 300), low=0, high=90),
    Case("Trilu", (), {}, MATRIX),
]
