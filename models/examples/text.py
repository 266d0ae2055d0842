"""An integer network that reads text, with random weights: what such a network costs to prove.

x [64] --rows of a table--> [64, 32] --convolution, squared, twice--> h [64, 32]
sum of h --arg-max of 16--> action        h --arg-max over positions, four times--> pointers
"""

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.integer_graph import IntegerGraph

POSITIONS, WIDTH, ROWS, ACTIONS, POINTERS = 64, 32, 5400, 16, 4
INPUT_BITS = 14  # a row's number takes 13, and a sign
WINDOW, LAYERS = 3, 2
LOW_BITS, RANK = 6, 2
SEED = 14

Integers = npt.NDArray[np.int64]


def text_network() -> bytes:
    """x: the tokens' rows. y: the action, and four positions."""
    rng = np.random.default_rng(SEED)
    graph = IntegerGraph("text", POSITIONS)
    table = text_table(rng)
    actions, pointers = (_small(rng, WIDTH, count) for count in (ACTIONS, POINTERS))
    h = graph.node("Gather", [graph.constant(table), "x"])
    for _ in range(LAYERS):
        h = _convolution(graph, h, rng)
    pool = graph.node("ReduceSum", [h, graph.constant([1])], keepdims=0)
    action = graph.node("ArgMax", [graph.matmul(pool, actions)], axis=1)
    places = graph.node("ArgMax", [graph.matmul(h, pointers)], axis=1, keepdims=0)
    return graph.finish(graph.concat([action, places]), 1 + POINTERS)


def text_table(rng: np.random.Generator) -> Integers:
    """Each column is a sum of two products: of a function of the lower six bits and one of the
    others."""
    high = _small(rng, WIDTH, -(-ROWS >> LOW_BITS), RANK)
    low = _small(rng, WIDTH, RANK, 1 << LOW_BITS)
    return np.asarray((high @ low).reshape(WIDTH, -1).T[:ROWS])


def text_samples(count: int) -> Integers:
    """Random rows' numbers [count, 1, 64]."""
    return np.random.default_rng(SEED).integers(0, ROWS, (count, 1, POSITIONS))


def _convolution(graph: IntegerGraph, h: str, rng: np.random.Generator) -> str:
    """Over windows of three positions, zeros beyond the ends, squared."""
    padded = graph.node("Pad", [h, graph.constant([0, 1, 0, 0, 1, 0])])
    windows = [[at + step for step in range(WINDOW)] for at in range(POSITIONS)]
    read = graph.node("Gather", [padded, graph.constant(windows)], axis=1)
    rows = graph.reshape(read, [1, POSITIONS, WINDOW * WIDTH])
    total = graph.matmul(rows, _small(rng, WINDOW * WIDTH, WIDTH))
    biased = graph.node("Add", [total, graph.constant(rng.integers(-9, 10, WIDTH))])
    return graph.square(biased)


def _small(rng: np.random.Generator, *shape: int) -> Integers:
    return rng.integers(-1, 2, shape)


__all__ = ["INPUT_BITS", "POSITIONS", "ROWS", "text_network", "text_samples", "text_table"]
