"""Small networks for each rewrite, in onnx's own text form, and neighbours that none touches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx.parser

KINDS: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}


def written(text: str, opset: int = 17) -> bytes:
    """The ONNX file of a graph in text form; the shapes of its outputs are inferred."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}')
    said = [onnx.ValueInfoProto.FromString(each.SerializeToString()) for each in model.graph.output]
    for each in model.graph.output:
        each.type.tensor_type.ClearField("shape")
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    del model.graph.value_info[:]
    for each, before in zip(model.graph.output, said, strict=True):
        if not each.type.tensor_type.HasField("shape"):
            each.CopyFrom(before)
    return bytes(model.SerializeToString())


@dataclass(frozen=True)
class Network:
    """`text` is a graph. low, high: where its numbers lie; integers are from the same range.

    exact: whether onnxruntime must give the very same numbers for the rewritten one. held: whether
    a circuit must, too, up to rounding.
    """

    name: str
    text: str
    low: float = -2.0
    high: float = 2.0
    opset: int = 17
    exact: bool = True
    held: bool = True

    def __str__(self) -> str:
        return self.name

    def content(self) -> bytes:
        """The ONNX file."""
        return written(self.text, self.opset)

    def samples(self, inputs: Any, count: int) -> "list[dict[str, npt.NDArray[Any]]]":
        """Numbers for onnxruntime's inputs, the same in each run."""
        generator = np.random.default_rng(7)
        return [{each.name: self._drawn(generator, each) for each in inputs} for _ in range(count)]

    def _drawn(self, generator: np.random.Generator, given: Any) -> "npt.NDArray[Any]":
        kind = np.dtype(KINDS[given.type])
        if kind.kind == "f":
            return generator.uniform(self.low, self.high, given.shape).astype(kind)
        low, high = (0, 1) if kind.kind == "b" else (int(self.low), int(self.high))
        return generator.integers(low, high + 1, given.shape).astype(kind)


def image(name: str, operator: str, shape: str = "1,2,5,5", **more: Any) -> Network:
    """One operator on an image; the result's shape is inferred."""
    return Network(name, f"g (float[{shape}] x) => (float y) {{ y = {operator} }}", **more)


KERNEL = "<float[2,2,2,2] w = {1,-1,2,0.5,-0.25,1,1,-2,0.5,0.5,1,1,-1,2,-1,0.25}>"


def convolved(name: str, attributes: str, **more: Any) -> Network:
    body = f"{{ y = Conv<{attributes}>(x, w) }}"
    return Network(name, f"g (float[1,2,5,5] x) => (float y) {KERNEL} {body}", **more)


REWRITTEN = [
    Network("Tile", "g (float[1,3] x) => (float y) <int64[2] r = {2,3}> { y = Tile(x, r) }"),
    Network(
        "Gather",
        "g (float[1,4] x) => (float y) <int64[2] i = {-2,1}> { y = Gather<axis=1>(x, i) }",
    ),
    Network(
        "GatherElements",
        "g (float[2,3] x) => (float y) <int64[1,3] i = {-2,1,-1}> { y = GatherElements(x, i) }",
    ),
    Network(
        "GatherND",
        "g (float[2,3] x) => (float y) <int64[2,2] i = {0,-2,1,-3}> { y = GatherND(x, i) }",
    ),
    Network(
        "GatherND of rows",
        "g (float[2,3] x) => (float y) <int64[2,1] i = {1,0}> { y = GatherND(x, i) }",
    ),
    Network(
        "ScatterND",
        "g (float[4] x, float[2] u) => (float y) <int64[2,1] i = {-1,1}> { y = ScatterND(x,i,u) }",
    ),
    Network(
        "ScatterElements",
        "g (float[1,4] x, float[1,2] u) => (float y) <int64[1,2] i = {3,0}>"
        "{ y = ScatterElements<axis=1>(x, i, u) }",
    ),
    Network(
        "ScatterND into a constant",
        "g (float[2] u) => (float y) <float[3] z = {5,6,7}, int64[2,1] i = {2,0}>"
        "{ y = ScatterND(z, i, u) }",
    ),
    Network(
        "Pad by reflection",
        "g (float[1,1,3,3] x) => (float y) <int64[8] p = {0,0,1,1,0,0,1,2}>"
        '{ y = Pad<mode="reflect">(x, p) }',
    ),
    Network(
        "Pad with edges",
        'g (float[1,4] x) => (float y) <int64[4] p = {0,2,0,1}> { y = Pad<mode="edge">(x, p) }',
    ),
    Network(
        "Pad with a number",
        "g (float[1,4] x) => (float y) <int64[4] p = {0,2,0,1}, float c = {-1.5}>"
        "{ y = Pad(x, p, c) }",
    ),
    Network(
        "Pad with a number, in its old form",
        "g (float[1,4] x) => (float y) { y = Pad<pads=[0,2,0,1], value = 1.5>(x) }",
        opset=10,
    ),
    Network(
        "Resize to less",
        "g (float[1,1,4,4] x) => (float y) <float[4] s = {1,1,0.5,0.75}>"
        '{ y = Resize<mode="nearest">(x, , s) }',
    ),
    Network(
        "Resize to a size",
        "g (float[1,1,4,4] x) => (float y) <int64[4] s = {1,1,7,5}>"
        '{ y = Resize<mode="nearest">(x, , , s) }',
    ),
    Network(
        "Upsample",
        "g (float[1,1,2,2] x) => (float y) <float[4] s = {1,1,2,3}>"
        '{ y = Upsample<mode="nearest">(x, s) }',
        opset=9,
    ),
    Network("Trilu of a matrix", "g (float[3,3] x) => (float y) { y = Trilu<upper=0>(x) }"),
    Network(
        "Trilu beside the diagonal",
        "g (float[2,3] x) => (float y) <int64 k = {1}> { y = Trilu(x, k) }",
    ),
    Network(
        "TopK as the place of the most",
        "g (float[2,5] x) => (float v, int64 y) <int64[1] k = {1}> { v, y = TopK<axis=1>(x, k) }",
    ),
    Network(
        "TopK as the place of the least",
        "g (float[2,5] x) => (int64 y) <int64[1] k = {1}> { v, y = TopK<axis=0, largest=0>(x, k) }",
    ),
    Network(
        "ArgMax of the last of equals",
        "g (int64[2,5] x) => (int64 y) { y = ArgMax<axis=1, keepdims=0, select_last_index=1>(x) }",
    ),
    Network(
        "ArgMax of truths",
        "g (float[2,5] x) => (int64 y) <float z = {0}>"
        "{ t = Greater(x, z) n = Cast<to=7>(t) y = ArgMax<axis=1, keepdims=0>(n) }",
    ),
    image(
        "MaxPool that pads", "MaxPool<kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]>(x)", high=-1
    ),
    image("MaxPool of one axis", "MaxPool<kernel_shape=[3],pads=[1,1]>(x)", "1,2,5", high=-1),
    image("MaxPool that is dilated", "MaxPool<kernel_shape=[2,2],dilations=[2,1]>(x)"),
    image(
        "MaxPool that pads and is dilated",
        "MaxPool<kernel_shape=[3,2],dilations=[2,2],pads=[2,1,1,0]>(x)",
        high=-1,
    ),
    image(
        "MaxPool that rounds up",
        "MaxPool<kernel_shape=[2,2],strides=[2,2],ceil_mode=1>(x)",
        high=-1,
    ),
    image("MaxPool without strides", "MaxPool<kernel_shape=[2,2]>(x)"),
    image(
        "MaxPool of the same size",
        'MaxPool<kernel_shape=[2,2],strides=[1,1],auto_pad="SAME_UPPER">(x)',
        high=-1,
    ),
    image(
        "AveragePool that pads",
        "AveragePool<kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]>(x)",
        exact=False,
    ),
    image(
        "AveragePool that rounds up",
        "AveragePool<kernel_shape=[2,2],strides=[2,2],ceil_mode=1>(x)",
        exact=False,
    ),
    image("AveragePool without strides", "AveragePool<kernel_shape=[2,2]>(x)", exact=False),
    convolved("Conv without strides", "kernel_shape=[2,2]", exact=False),
    convolved("Conv that is dilated", "dilations=[2,3],strides=[1,2]", exact=False),
    convolved("Conv that is dilated and pads", "dilations=[2,2],pads=[2,1,0,1]", exact=False),
    Network(
        "ConvTranspose without strides",
        f"g (float[1,2,3,3] x) => (float y) {KERNEL} {{ y = ConvTranspose(x, w) }}",
        exact=False,
    ),
    Network(
        "ConvTranspose with strides",
        f"g (float[1,2,3,4] x) => (float y) {KERNEL} {{ y = ConvTranspose<strides=[2,1]>(x, w) }}",
        exact=False,
    ),
    Network(
        "ConvTranspose that takes away and adds",
        "g (float[1,2,3,4] x) => (float y) <float[2,2,3,4] w = {"
        + ",".join(str((7 * at) % 11 - 5) for at in range(48))
        + "}, float[2] b = {1,-1}> { y = ConvTranspose<strides=[2,3],pads=[2,1,1,0],"
        "output_padding=[1,1]>(x, w, b) }",
        exact=False,
    ),
    Network(
        "ConvTranspose of groups",
        "g (float[1,4,3] x) => (float y) <float[4,1,4] w = {"
        + ",".join(str((5 * at) % 7 - 3) for at in range(16))
        + "}> { y = ConvTranspose<strides=[2],pads=[1,1],group=2>(x, w) }",
        exact=False,
    ),
    Network(
        "Mul by less",
        "g (float[1,4] x) => (float y) <float c = {0.0039215689}> { y = Mul(x, c) }",
        low=0,
        high=255,
        exact=False,
    ),
    Network(
        "Div by more",
        "g (float[1,3] x) => (float y) <float[3] c = {255,300,1000}> { y = Div(x, c) }",
        low=0,
        high=999,
        exact=False,
    ),
    Network(
        "ReduceMean",
        "g (float[1,300] x) => (float y) { y = ReduceMean<axes=[1],keepdims=0>(x) }",
        low=0,
        high=90,
        exact=False,
    ),
    Network(
        "ReduceMean of all, as a later opset has it",
        "g (float[2,150] x) => (float y) { y = ReduceMean<keepdims=0>(x) }",
        low=0,
        high=90,
        opset=18,
        exact=False,
    ),
    image("GlobalAveragePool", "GlobalAveragePool(x)", "1,2,9,11", low=0, high=90, exact=False),
    image("GlobalLpPool", "GlobalLpPool(x)", exact=False),
    image("GlobalLpPool of sums", "GlobalLpPool<p=1>(x)", exact=False),
    Network(
        "Div of integers",
        "g (int64[1,9] x) => (int64 y) <int64 d = {3}> { y = Div(x, d) }",
        low=-20,
        high=20,
    ),
    Network(
        "Div of integers by less than 0",
        "g (int64[1,9] x) => (int64 y) <int64 d = {-64}> { y = Div(x, d) }",
        low=-200,
        high=200,
    ),
    Network(
        "Div of places",
        "g (float[7,9] x) => (int64 y) <int64 d = {2}>{ a = ArgMax<axis=0>(x) y = Div(a, d) }",
    ),
    Network(
        "Mod",
        "g (int64[1,9] x) => (int64 y) <int64 d = {5}> { y = Mod(x, d) }",
        low=-20,
        high=20,
    ),
    Network(
        "Mod with the sign of x",
        "g (int64[1,9] x) => (int64 y) <int64 d = {4}> { y = Mod<fmod=1>(x, d) }",
        low=-20,
        high=20,
    ),
    Network("Pow of 0.5", "g (float[4] x) => (float y) <float e={0.5}> {y=Pow(x,e)}", low=0.2),
    Network(
        "Pow of -0.5",
        "g (float[4] x) => (float y) <float e = {-0.5}> { y = Pow(x, e) }",
        low=0.5,
        exact=False,
    ),
    Network(
        "Pow of -1",
        "g (float[4] x) => (float y) <float e = {-1}> { y = Pow(x, e) }",
        low=0.5,
        exact=False,
    ),
    Network(
        "Pow of -3",
        "g (float[4] x) => (float y) <float e = {-3}> { y = Pow(x, e) }",
        low=0.8,
        exact=False,
    ),
    Network(
        "Pow of exponents that are alike",
        "g (float[4] x) => (float y) <float[4] e = {2,2,2,2}> { y = Pow(x, e) }",
        exact=False,
    ),
    Network(
        "Max with several numbers",
        "g (float[1,3] x) => (float y) <float[3] c={0.5,1,-1}> {y=Max(x,c)}",
    ),
    Network(
        "Max of three with several numbers",
        "g (float[1,3] x) => (float y) <float[3] c={0.5,1,-1}> { n = Neg(x) y = Max(x, c, n) }",
    ),
    Network(
        "MatMul of truths",
        "g (float[1,3] x) => (int64 y) <float z = {0}, int64[3,2] w = {1,2,3,4,5,6}>"
        "{ t = Less(x, z) n = Cast<to=7>(t) y = MatMul(n, w) }",
    ),
    Network(
        "Clip of integers",
        "g (float[1,5] x) => (int64 y) <int64 low = {1}, int64 high = {3}>"
        "{ a = ArgMax<axis=0>(x) y = Clip(a, low, high) }".replace("[1,5]", "[5,7]"),
    ),
    Network(
        "CumSum from the end",
        "g (float[2,4] x) => (float y) <int64 a = {1}> { y = CumSum<reverse=1>(x, a) }",
        exact=False,
    ),
    Network(
        "CumSum without the number itself",
        "g (float[2,4] x) => (float y) <int64 a = {-1}>"
        "{ y = CumSum<reverse=1, exclusive=1>(x, a) }",
        exact=False,
    ),
    Network(
        "Equal of fractions",
        "g (float[1,4] x) => (bool y) <float h = {0.5}>"
        "{ d = Mul(x, h) r = Round(d) y = Equal(d, r) }",
        low=-4,
        high=4,
    ),
    Network(
        "Equal of integers made of fractions",
        "g (float[1,6] x) => (bool y) <int64 k = {1}> { i = Cast<to=7>(x) y = Equal(i, k) }",
    ),
    Network(
        "Cast of a fraction to a truth",
        "g (float[1,4] x) => (bool y) { r = Relu(x) y = Cast<to=9>(r) }",
    ),
    Network(
        "Cast of any fraction to a truth", "g (float[1,4] x) => (bool y) { y = Cast<to=9>(x) }"
    ),
    Network("Cast of an integer to a truth", "g (int64[1,6] x) => (bool y) { y = Cast<to=9>(x) }"),
    Network("Cast towards 0", "g (float[1,8] x) => (int64 y) { y = Cast<to=7>(x) }"),
    Network(
        "OneHot",
        "g (int64[2] x) => (float y) <int64 d = {4}, float[2] v = {0,1}> { y = OneHot(x, d, v) }",
        low=-4,
        high=3,
    ),
    Network(
        "OneHot of other numbers",
        "g (float[2,3] x) => (float y) <int64 d = {3}, float[2] v = {-1,2.5}>"
        "{ a = ArgMax<axis=1,keepdims=0>(x) y = OneHot<axis=0>(a, d, v) }",
    ),
    Network(
        "BatchNormalization",
        "g (float[1,2,3] x) => (float y) <float[2] s={1,2}, float[2] b={0,1}, float[2] m={0.5,3},"
        "float[2] v = {300,1000}> { y = BatchNormalization(x, s, b, m, v) }",
        high=90,
        exact=False,
    ),
    Network(
        "LayerNormalization",
        "g (float[2,5] x) => (float y) <float[5] s={1,2,1,0.5,1}, float[5] b={0,1,0,0,2}>"
        "{ y = LayerNormalization(x, s, b) }",
        exact=False,
    ),
    Network(
        "LayerNormalization of small numbers",
        "g (float[2,6] x) => (float y) <float[6] s={1,2,1,0.5,1,1}>"
        "{ y = LayerNormalization(x, s) }",
        low=-0.05,
        high=0.05,
        exact=False,
    ),
    Network(
        "InstanceNormalization",
        "g (float[1,2,3,3] x) => (float y) <float[2] s={1,2}, float[2] b={0,1}>"
        "{ y = InstanceNormalization(x, s, b) }",
        low=-0.1,
        high=0.1,
        exact=False,
    ),
    Network(
        "Softmax of old opsets",
        "g (float[2,2,3] x) => (float y) { y = Softmax<axis=1>(x) }",
        opset=11,
        exact=False,
    ),
    Network("Gelu", "g (float[1,8] x) => (float y) { y = Gelu(x) }", opset=20, exact=False),
    Network(
        "Gelu by Tanh",
        'g (float[1,8] x) => (float y) { y = Gelu<approximate="tanh">(x) }',
        opset=20,
        exact=False,
    ),
    Network(
        "GroupNormalization",
        "g (float[1,4,3] x) => (float y) <float[4] s={1,2,3,1}, float[4] b={0,1,0,2}>"
        "{ y = GroupNormalization<num_groups=2>(x, s, b) }",
        opset=21,
        exact=False,
    ),
    Network(
        "HardSwish that is written out",
        "g (float[1,8] x) => (float y)"
        "{ h = HardSigmoid<alpha=0.16666667, beta=0.5>(x) y = Mul(x, h) }",
        exact=False,
    ),
    Network(
        "BitShift",
        "g (uint8[1,4] x) => (uint8 y) <uint8 b = {2}>"
        '{ r = BitShift<direction="RIGHT">(x, b) y = BitShift<direction="LEFT">(r, b) }',
        low=0,
        high=100,
    ),
]
#: In a form that ezkl computes as it is.
UNTOUCHED = [
    Network(
        "Gather from the start",
        "g (float[1,4] x) => (float y) <int64[2] i = {2,1}> { y = Gather<axis=1>(x, i) }",
    ),
    Network(
        "GatherElements from the start",
        "g (float[2,3] x) => (float y) <int64[1,3] i = {0,1,1}> { y = GatherElements(x, i) }",
    ),
    Network(
        "ScatterElements by places that vary",
        "g (float[1,4] x, int64[1,2] i, float[1,2] u) => (float y)"
        "{ y = ScatterElements<axis=1>(x, i, u) }",
        low=0,
        high=1,
        held=False,
    ),
    Network(
        "Pad with nothing", "g (float[1,4] x) => (float y) <int64[4] p={0,2,0,1}> {y = Pad(x, p)}"
    ),
    Network(
        "TopK without places",
        "g (float[2,5] x) => (float y) <int64[1] k = {2}> { y, p = TopK<axis=1>(x, k) }",
    ),
    Network("ArgMax", "g (float[2,5] x) => (int64 y) { y = ArgMax<axis=1, keepdims=0>(x) }"),
    Network(
        "MaxPool that pads what is not negative",
        "g (float[1,2,5,5] x) => (float y) { r = Relu(x) "
        "y = MaxPool<kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]>(r) }",
    ),
    image("MaxPool", "MaxPool<kernel_shape=[2,2],strides=[2,2]>(x)"),
    image(
        "AveragePool that counts what it pads",
        "AveragePool<kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1],count_include_pad=1>(x)",
    ),
    convolved("Conv", "strides=[1,1],pads=[1,0,0,1]"),
    Network("Mul by half", "g (float[1,4] x) => (float y) <float c = {0.5}> { y = Mul(x, c) }"),
    Network(
        "Mul by 1/4096", "g (float[1,4] x) => (float y) <float c={0.00024414062}> {y=Mul(x,c)}"
    ),
    Network("Div by 3", "g (float[1,4] x) => (float y) <float c = {3}> { y = Div(x, c) }"),
    Network("ReduceMean of 4", "g (float[1,4] x) => (float y) { y = ReduceMean<axes=[1]>(x) }"),
    Network(
        "ReduceMean of squares",
        "g (float[1,5] x) => (float y) { s = Mul(x, x) y = ReduceMean<axes=[1]>(s) }",
    ),
    Network("Pow of 3", "g (float[4] x) => (float y) <float e = {3}> { y = Pow(x, e) }"),
    Network("Pow of -0.3", "g (float[4] x) => (float y) <float e={-0.3}> {y=Pow(x,e)}", low=0.5),
    Network("Max with a number", "g (float[1,3] x) => (float y) <float c={0.5}> {y=Max(x,c)}"),
    Network("CumSum", "g (float[2,4] x) => (float y) <int64 a = {1}> { y = CumSum(x, a) }"),
    Network(
        "Equal of places",
        "g (float[2,3] x) => (bool y) <int64 k = {1}> { a = ArgMax<axis=1>(x) y = Equal(a, k) }",
    ),
    Network(
        "Cast of what is not negative",
        "g (float[1,8] x) => (int64 y) { r = Relu(x) y = Cast<to=7>(r) }",
    ),
    Network("Cast of a truth", "g (bool[1,8] x) => (float y) { y = Cast<to=1>(x) }"),
    Network(
        "Where",
        "g (bool[1,8] c, float[1,8] x) => (float y) { n = Neg(x) y = Where(c, x, n) }",
    ),
    Network("Softmax", "g (float[2,2,3] x) => (float y) { y = Softmax<axis=1>(x) }"),
    Network(
        "Sqrt beside a number",
        "g (float[1,4] x) => (float y) <float e = {0.00001}> "
        "{ r = Relu(x) a = Add(r, e) y = Sqrt(a) }",
    ),
]
