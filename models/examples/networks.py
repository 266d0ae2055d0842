"""The example networks by name, each with samples that it was not fitted on."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from zkagent.models.examples.data import Task, boxes, clusters, digits
from zkagent.models.examples.graph import FloatGraph, Floats
from zkagent.models.examples.trees import grow_forest, tensors
from zkagent.models.whole import write_file

Weights = npt.NDArray[np.float64]

FITTED, SAMPLES = 2000, 256
SEED = 5


@dataclass(frozen=True)
class Example:
    """content: the ONNX file, input "x", output "y" [1, classes]. samples: [n, *input shape]."""

    name: str
    content: bytes
    samples: Floats
    labels: npt.NDArray[np.int64]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write NAME.onnx and NAME.npz into `folder`; their paths."""
        onnx, samples = folder / f"{self.name}.onnx", folder / f"{self.name}.npz"
        packed = io.BytesIO()
        np.savez_compressed(packed, x=self.samples, labels=self.labels)
        write_file(onnx, self.content)
        write_file(samples, packed.getvalue())
        return onnx, samples


def mlp() -> Example:
    """64-32-8 with ReLU: which of eight directions an input points to."""
    task = clusters(FITTED, (1, 64), 8, SEED, noise=2.0)
    graph = FloatGraph("mlp", (1, 64))
    hidden = graph.linear("x", _random((64, 32), 1), np.zeros(32))
    y = graph.fitted(graph.node("Relu", hidden), task.x, task.labels)
    return _example("mlp", graph.finish(y, 8), clusters(SAMPLES, (1, 64), 8, SEED + 1, 2.0))


def cnn(filters: int = 3, stride: int = 3) -> Example:
    """Convolution, ReLU, pooling and a linear layer: which digit 28 x 28 pixels show."""
    task = digits(FITTED, SEED)
    graph = FloatGraph("cnn", (1, 1, 28, 28))
    kernels = graph.constant(_filters(filters))
    bias = graph.constant(np.zeros(filters))
    maps = graph.node("Conv", "x", kernels, bias, strides=[stride] * 2, kernel_shape=[5, 5])
    pooled = graph.node("MaxPool", graph.node("Relu", maps), kernel_shape=[2, 2], strides=[2, 2])
    features = graph.node("Flatten", pooled, axis=1)
    y = graph.fitted(features, task.x, task.labels)
    return _example("cnn", graph.finish(y, 10), digits(SAMPLES, SEED + 1))


def transformer(steps: int = 4, width: int = 8, heads: int = 2) -> Example:
    """One layer over `steps` of `width` numbers: which of four patterns they follow."""
    classes = 4
    task = clusters(FITTED, (1, steps, width), classes, SEED, noise=1.0)
    graph = FloatGraph("transformer", (1, steps, width))
    attended = _attention(graph, "x", steps, width, heads)
    first = _normalised(graph, graph.node("Add", "x", attended), width)
    inner = graph.node(
        "Relu", graph.linear(first, _random((width, 2 * width), 6), np.zeros(2 * width))
    )
    outer = graph.linear(inner, _random((2 * width, width), 7), np.zeros(width))
    second = _normalised(graph, graph.node("Add", first, outer), width)
    features = graph.node("Reshape", second, graph.constant([1, steps * width]))
    y = graph.fitted(features, task.x, task.labels)
    fresh = clusters(SAMPLES, (1, steps, width), classes, SEED + 1, 1.0)
    return _example("transformer", graph.finish(y, classes), fresh)


def trees(count: int = 8, depth: int = 4) -> Example:
    """Complete trees over sixteen features in 0..1, as matrix products."""
    forest = grow_forest(boxes(FITTED, 16, SEED), count, depth, SEED)
    a, b, c, d, e = tensors(forest, 16)
    graph = FloatGraph("trees", (1, 16))
    asked = graph.node("MatMul", "x", graph.constant(a))
    left = graph.node("Cast", graph.node("Less", asked, graph.constant(b)), to=1)
    path = graph.node("MatMul", left, graph.constant(c))
    # No path sum exceeds D, so "equals D" is "above D - 1/2"; ezkl gives Equal a wrong scale.
    leaf = graph.node("Cast", graph.node("Greater", path, graph.constant(d - 0.5)), to=1)
    votes = graph.node("MatMul", leaf, graph.constant(e))
    y = graph.node("ReduceSum", votes, graph.constant([0]), keepdims=0)
    return _example("trees", graph.finish(y, e.shape[-1]), boxes(SAMPLES, 16, SEED + 1))


EXAMPLES: dict[str, Callable[[], Example]] = {
    "mlp": mlp,
    "cnn": cnn,
    "transformer": transformer,
    "trees": trees,
}


def _example(name: str, content: bytes, task: Task) -> Example:
    return Example(name, content, task.x, task.labels)


def _attention(graph: FloatGraph, source: str, steps: int, width: int, heads: int) -> str:
    """Self-attention (Vaswani et al. 2017) over `source` [1, steps, width]."""
    each = width // heads
    split = [1, steps, heads, each]

    def projected(seed: int, scale: float, order: list[int]) -> str:
        flat = graph.node("MatMul", source, graph.constant(scale * _random((width, width), seed)))
        return graph.node(
            "Transpose", graph.node("Reshape", flat, graph.constant(split)), perm=order
        )

    q = projected(2, each**-0.5, [0, 2, 1, 3])
    k = projected(3, 1.0, [0, 2, 3, 1])
    v = projected(4, 1.0, [0, 2, 1, 3])
    weights = graph.node("Softmax", graph.node("MatMul", q, k), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", weights, v), perm=[0, 2, 1, 3])
    joined = graph.node("Reshape", mixed, graph.constant([1, steps, width]))
    return graph.node("MatMul", joined, graph.constant(_random((width, width), 5)))


def _normalised(graph: FloatGraph, source: str, width: int) -> str:
    scale, bias = graph.constant(np.ones(width)), graph.constant(np.zeros(width))
    return graph.node("LayerNormalization", source, scale, bias, axis=-1, epsilon=1e-5)


def _random(shape: tuple[int, ...], seed: int) -> Weights:
    """Weights that keep the size of what passes through them."""
    weights = np.random.default_rng(seed).normal(size=shape)
    scaled: Weights = weights / np.sqrt(shape[0])
    return scaled


def _filters(count: int) -> Weights:
    """Random edges [count, 1, 5, 5] that answer nothing to an even patch."""
    filters = np.random.default_rng(8).normal(size=(count, 1, 5, 5))
    means = filters.mean(axis=(1, 2, 3), keepdims=True)
    edges: Weights = (filters - means) / 4
    return edges
