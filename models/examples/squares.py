"""The integer 64-32-8 network with squares that benchmarks compare with ezkl's default for ReLUs.

    y = (x W1 + b1)**2 W2 + b2         2,304 products, 32 squares, no comparison

It really learns something: which of eight hidden subspaces an input lies in, where x and -x are
equally likely. That takes squares: a linear network gets a quarter right. Trained here in numpy
within seconds, without the training extra.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.integer_graph import IntegerGraph

INPUTS, HIDDEN, OUTPUTS = 64, 32, 8
INPUT_LIMIT, WEIGHT_LIMIT = 127, 127
TASK_SEED = 7
STEPS, BATCH, LEARNING_RATE = 1500, 256, 0.02

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SquareNetwork:
    """Integer weights: w1 [inputs, hidden], b1 [hidden], w2 [hidden, outputs], b2 [outputs]."""

    w1: Integers
    b1: Integers
    w2: Integers
    b2: Integers

    def evaluate(self, x: Integers) -> Integers:
        """Scores [B, outputs] of inputs [B, inputs], exact for |x| <= 127."""
        h = x @ self.w1 + self.b1
        return (h * h) @ self.w2 + self.b2


def synthetic_task(count: int, seed: int) -> tuple[Integers, Integers]:
    """Inputs [count, 64] within +-127 and their classes: the directions that they vary in."""
    directions = np.linalg.qr(np.random.default_rng(TASK_SEED).normal(size=(INPUTS, HIDDEN)))[0].T
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, OUTPUTS, count)
    inside = directions.reshape(OUTPUTS, HIDDEN // OUTPUTS, INPUTS)[labels]
    signal = np.einsum("nj,nji->ni", rng.normal(size=(count, HIDDEN // OUTPUTS)), inside)
    x = 60 * signal + 10 * rng.normal(size=(count, INPUTS))
    return np.rint(x).clip(-INPUT_LIMIT, INPUT_LIMIT).astype(np.int64), labels


def train_square_network(seed: int = 0, steps: int = STEPS) -> SquareNetwork:
    """Train from `seed` by Adam (Kingma and Ba 2015), then round: the same integers each time."""
    rng = np.random.default_rng(seed)
    parameters = [
        rng.normal(size=(INPUTS, HIDDEN)) / INPUTS**0.5,
        np.zeros(HIDDEN),
        rng.normal(size=(HIDDEN, OUTPUTS)) / HIDDEN**0.5,
        np.zeros(OUTPUTS),
    ]
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    for step, (x, labels) in enumerate(_batches(seed, steps), start=1):
        rate = LEARNING_RATE * (1 - step / (steps + 1))
        gradients = _gradients(parameters, x, labels)
        for p, m, v, g in zip(parameters, means, squares, gradients, strict=True):
            m[...] += 0.1 * (g - m)
            v[...] += 0.001 * (g * g - v)
            p[...] -= rate * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)) ** 0.5 + 1e-8)
    return _rounded(*parameters)


def export_square_network(network: SquareNetwork) -> bytes:
    """As ONNX: input "x" int64 [1, 64], output "y" int64 [1, 8]."""
    graph = IntegerGraph("square_network", len(network.w1))
    h = graph.add(graph.matmul("x", network.w1), network.b1)
    y = graph.add(graph.matmul(graph.square(h), network.w2), network.b2)
    return graph.finish(y, len(network.b2))


def _batches(seed: int, steps: int) -> Iterator[tuple[Floats, Integers]]:
    """Inputs in units of the largest one."""
    x, labels = synthetic_task(BATCH * steps, seed + 1)
    for at in range(0, len(x), BATCH):
        yield x[at : at + BATCH] / INPUT_LIMIT, labels[at : at + BATCH]


def _gradients(parameters: list[Floats], x: Floats, labels: Integers) -> list[Floats]:
    """Of the mean cross-entropy."""
    w1, b1, w2, b2 = parameters
    h = x @ w1 + b1
    y = (h * h) @ w2 + b2
    p = np.exp(y - y.max(axis=1, keepdims=True))
    error = p / p.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = 2 * h * (error @ w2.T)
    return [x.T @ back, back.sum(axis=0), (h * h).T @ error, error.sum(axis=0)]


def _rounded(w1: Floats, b1: Floats, w2: Floats, b2: Floats) -> SquareNetwork:
    """Weights as int8, biases in the units that follow, as float32 holds them (ezkl reads that)."""
    unit1, unit2 = np.abs(w1).max() / WEIGHT_LIMIT, np.abs(w2).max() / WEIGHT_LIMIT
    hidden_unit = unit1 / INPUT_LIMIT
    return SquareNetwork(
        _integers(w1 / unit1),
        _integers(b1 / hidden_unit),
        _integers(w2 / unit2),
        _integers(b2 / (hidden_unit**2 * unit2)),
    )


def _integers(values: Floats) -> Integers:
    return np.rint(values).astype(np.float32).astype(np.int64)
