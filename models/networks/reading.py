"""The network behind the reader: which of up to eight tools a prompt means, and how well candidates
fit the best one's parameters, in integers.

Prompt and tools are directions in 64 dimensions, of int8, two in each feature. A tool scores their
inner product; what a tool has to score for the prompt to be about it at all, the prompt says.

    score_t = gain (p . T_t)           of tools that are there
    none = w relu(W p + b) + c
    y = the best tool, the first of equals; by how much it scores more than the next; than none;
        and the scores of `models/networks/filling.py`

In a proof each product costs one constraint, each feature as many as its bits.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.filling import (
    NUMBERS,
    PAIR_FEATURES,
    PAIRS,
    SHARING,
    FillingWeights,
    pair_scores,
)
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph

Weights = npt.NDArray[np.int64]
TOOLS, SIZE = 8, 64
HALF_BITS = 8
FEATURE_BITS = 2 * HALF_BITS
#: Prompt, tools, and which tools are there: bit t of the last of these features.
VECTORS = TOOLS + 1
TOOL_FEATURES = VECTORS * SIZE // 2 + 1
#: Then pairs of a parameter and a candidate, and which parameters share their candidates.
FEATURES = TOOL_FEATURES + PAIR_FEATURES
CHOICES = 3
OUTPUTS = CHOICES + PAIRS


@dataclass(frozen=True)
class ReadingWeights:
    """hidden [H, 64], hidden_bias [H], none [H], none_bias and gain: integers."""

    gain: int
    hidden: Weights
    hidden_bias: Weights
    none: Weights
    none_bias: int


def export_reading(weights: ReadingWeights, filling: FillingWeights) -> bytes:
    """The ONNX file. x [1, 434], y [1, 51]."""
    graph = IntegerGraph("reading", FEATURES, BITS_OPSET)
    values = _values(graph, 0, VECTORS * SIZE)
    prompt = graph.pick(values, range(SIZE))
    scores = _scores(graph, weights, values)
    hidden = graph.add(graph.matmul(prompt, weights.hidden.T), weights.hidden_bias)
    none = graph.matmul(graph.node("Relu", [hidden]), weights.none[:, None])
    none = graph.add(none, [weights.none_bias])
    best, second = _two_best(graph, scores)
    which = graph.node("ArgMax", [scores], axis=1)
    ahead, fits = (graph.node("Sub", [best, other]) for other in (second, none))
    pairs = _values(graph, TOOL_FEATURES, PAIRS * NUMBERS)
    sharing = graph.bits(graph.pick("x", [FEATURES - 1] * SHARING), (1 << np.arange(SHARING))[None])
    scores = pair_scores(graph, filling, pairs, sharing)
    return graph.finish(graph.concat([which, ahead, fits, scores]), OUTPUTS)


def _values(graph: IntegerGraph, first: int, numbers: int) -> str:
    """[1, numbers]: the two halves of each feature from `first` on, the higher one first, in two's
    complement."""
    count = numbers * HALF_BITS
    masks = 1 << (FEATURE_BITS - 1 - np.arange(count) % FEATURE_BITS)
    bits = graph.bits(graph.pick("x", first + np.arange(count) // FEATURE_BITS), masks[None])
    worth = 1 << np.arange(HALF_BITS)[::-1]
    worth[0] *= -1
    halves = graph.reshape(bits, [1, count // HALF_BITS, HALF_BITS])
    return graph.reshape(graph.matmul(halves, worth[:, None]), [1, count // HALF_BITS])


def _scores(graph: IntegerGraph, weights: ReadingWeights, values: str) -> str:
    """[1, 8]: of a tool that is absent less than any that is there has."""
    prompts = graph.pick(values, np.tile(np.arange(SIZE), TOOLS))
    products = graph.node("Mul", [prompts, graph.pick(values, np.arange(SIZE, SIZE * VECTORS))])
    rows = graph.reshape(products, [1, TOOLS, SIZE])
    sums = graph.node("ReduceSum", [rows, graph.constant([2])], keepdims=0)
    masks = 1 << np.arange(TOOLS)
    there = graph.bits(graph.pick("x", [TOOL_FEATURES - 1] * TOOLS), masks[None])
    gained = graph.matmul(sums, np.eye(TOOLS, dtype=np.int64) * weights.gain)
    beyond = graph.matmul(there, np.eye(TOOLS, dtype=np.int64) * beneath(weights))
    return graph.node("Add", [gained, graph.add(beyond, [-beneath(weights)] * TOOLS)])


def beneath(weights: ReadingWeights) -> int:
    """How much less a tool that is absent scores: more than two that are there are apart."""
    largest = SIZE << 2 * (HALF_BITS - 1)
    return 2 * largest * weights.gain + 1


def _two_best(graph: IntegerGraph, scores: str) -> tuple[str, str]:
    """The largest of eight, and the largest of the others, each [1, 1]."""
    singles = [graph.pick(scores, [tool]) for tool in range(TOOLS)]
    best, second = _ordered(graph, *singles[:2])
    for score in singles[2:]:
        best, least = _ordered(graph, best, score)
        second = graph.node("Max", [second, least])
    return best, second


def _ordered(graph: IntegerGraph, one: str, other: str) -> tuple[str, str]:
    """The larger and the smaller."""
    larger = graph.node("Max", [one, other])
    return larger, graph.node("Sub", [graph.node("Add", [one, other]), larger])


__all__ = ["CHOICES", "FEATURES", "OUTPUTS", "SIZE", "TOOLS", "TOOL_FEATURES", "ReadingWeights"]
__all__ += ["beneath", "export_reading"]
