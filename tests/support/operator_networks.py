"""Small integer networks of the operators that text needs: sums along axes, convolutions over
padded positions, arg-max, rows of tables at computed places, and single bits."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tests.support.small_networks import network, node
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph

Table = npt.NDArray[np.int64]
POSITIONS, WIDTH = 6, 3


def table(rows: int, columns: int = WIDTH, seed: int = 11) -> Table:
    return np.random.default_rng(seed).integers(-99, 100, (rows, columns))


def low_rank_table(rows: int, columns: int, rank: int, low: int) -> Table:
    """Each column is a sum of products of a function of the lower `low` bits and one of the
    others."""
    rng = np.random.default_rng(12)
    high = rng.integers(-9, 10, (columns, -(-rows >> low), rank))
    right = rng.integers(-9, 10, (columns, rank, 1 << low))
    return np.asarray((high @ right).reshape(columns, -1).T[:rows])


def sums() -> bytes:
    """Over two axes of three, backwards without themselves, and of all."""
    nodes = [
        node("Reshape", ["x", "shape"], "r"),
        node("ReduceSum", ["r", "outer"], "s", keepdims=0),
        node("ReduceSum", ["r", "last"], "k", keepdims=1),
        node("CumSum", ["s", "first"], "c", reverse=1, exclusive=1),
        node("CumSum", ["k", "middle"], "d"),
        node("Reshape", ["d", "flat"], "e"),
        node("Reshape", ["c", "flat"], "f"),
        node("Concat", ["e", "f"], "y", axis=1),
    ]
    constants = {"shape": [1, 4, 3], "outer": [0, 2], "last": [-1], "first": [0], "middle": [1]}
    return network(nodes, {**constants, "flat": [1, 4]}, inputs=12, outputs=8)


def convolutions() -> bytes:
    """Two over six positions, with zeros beyond the ends, and squares between them."""
    rng = np.random.default_rng(13)
    windows = [[at, at + 1, at + 2] for at in range(POSITIONS)]
    nodes = [node("Reshape", ["x", "shape"], "h0")]
    for layer in range(2):
        nodes += [
            node("Pad", [f"h{layer}", "pads"], f"p{layer}"),
            node("Gather", [f"p{layer}", "windows"], f"g{layer}", axis=1),
            node("Reshape", [f"g{layer}", f"rows{layer}"], f"r{layer}"),
            node("MatMul", [f"r{layer}", f"w{layer}"], f"m{layer}"),
            node("Add", [f"m{layer}", f"b{layer}"], f"a{layer}"),
            node("Mul", [f"a{layer}", f"a{layer}"], f"h{layer + 1}"),
        ]
    nodes.append(node("Reshape", ["h2", "flat"], "y"))
    constants = {
        "shape": [1, POSITIONS, WIDTH],
        "pads": [0, 1, 0, 0, 1, 0],
        "windows": windows,
        "rows0": [1, POSITIONS, 3 * WIDTH],
        "rows1": [1, POSITIONS, 12],
        "w0": rng.integers(-3, 4, (3 * WIDTH, 4)),
        "b0": rng.integers(-9, 10, 4),
        "w1": rng.integers(-3, 4, (12, 2)),
        "b1": rng.integers(-9, 10, 2),
        "flat": [1, 2 * POSITIONS],
    }
    return network(nodes, constants, inputs=POSITIONS * WIDTH, outputs=2 * POSITIONS)


def largest() -> bytes:
    """The place of the largest of each of three rows, and a table's row at each place."""
    nodes = [
        node("Reshape", ["x", "shape"], "r"),
        node("ArgMax", ["r"], "a", axis=2, keepdims=0),
        node("Gather", ["t", "a"], "g"),
        node("Reshape", ["g", "flat"], "f"),
        node("Concat", ["a", "f"], "y", axis=1),
    ]
    constants = {"shape": [1, 3, 5], "t": table(7), "flat": [1, 9]}
    return network(nodes, constants, inputs=15, outputs=12)


def looked_up(values: Table, count: int = 3) -> bytes:
    """Rows of a table at the inputs, added up."""
    nodes = [
        node("Gather", ["t", "x"], "g"),
        node("ReduceSum", ["g", "first"], "y", keepdims=0),
    ]
    constants = {"t": values, "first": [1]}
    return network(nodes, constants, inputs=count, outputs=values.shape[1])


def bits(inputs: int = 5) -> bytes:
    """Bits of features, whether sums of them and of their bits are more than 0, and one of two
    numbers by each of these."""
    rng, graph = np.random.default_rng(17), IntegerGraph("bits", inputs, BITS_OPSET)
    picked = rng.permutation(np.repeat(np.arange(inputs), 8))
    masks = [1 << int(place) for place in rng.permutation(np.tile(np.arange(8), inputs))]
    single = graph.bits(graph.pick("x", picked), [masks])
    weights = rng.integers(-3, 4, (8 * inputs, inputs))
    many = graph.add(graph.matmul(single, weights), rng.integers(-4, 5, inputs))
    above, below = (graph.positive(source) for source in (many, graph.node("Neg", ["x"])))
    chosen = graph.select(above, "x", graph.select(below, many, graph.constant([range(inputs)])))
    held = graph.select(below, above, graph.constant([[0] * inputs]))  # a bit again
    twice = graph.positive(graph.add(graph.matmul(held, weights[:inputs]), [1] * inputs))
    several = graph.node("BitwiseAnd", ["x", graph.constant([[0, 0x81, 0xFF, 0x7E, 0x0F]])])
    capped = graph.node("Relu", [graph.add(graph.matmul(single, weights), [-3] * inputs)])
    squared = graph.square(graph.matmul(single, weights))
    later = [
        graph.positive(graph.add(graph.matmul(source, weights[:inputs]), range(-3, inputs - 3)))
        for source in (capped, squared)
    ]
    made = [chosen, held, twice, several, capped, squared, *later]
    return graph.finish(graph.concat(made), len(made) * inputs)


def fields(rows: int = 12) -> bytes:
    """Halves of features in two's complement, and what looks like it but is not: other bits, other
    worth, of two features; which of their products with the first ones is the largest; layers over
    rows, of which one follows another, and one reads the same."""
    rng, inputs = np.random.default_rng(19), 2 * rows
    graph = IntegerGraph("fields", inputs, BITS_OPSET)
    worth = (1 << np.arange(8)[::-1]) * np.where(np.arange(8) == 0, -1, 1)
    high, low = 1 << np.arange(15, 7, -1), 1 << np.arange(7, -1, -1)
    of_all = graph.bits(
        graph.pick("x", np.repeat(np.arange(inputs), 16)), np.tile(np.r_[high, low], inputs)[None]
    )
    halves = graph.matmul(graph.reshape(of_all, [1, 2 * inputs, 8]), worth[:, None])
    halves = graph.reshape(halves, [1, 2 * inputs])
    first = graph.pick(halves, np.tile(np.arange(4), inputs // 2))
    products = graph.reshape(graph.node("Mul", [first, halves]), [1, inputs // 2, 4])
    sums = graph.node("ReduceSum", [products, graph.constant([2])], keepdims=0)
    which = graph.node("ArgMax", [sums], axis=1)
    hidden = graph.matmul(graph.reshape(halves, [rows, 4]), rng.integers(-9, 10, (4, 6)))
    hidden = graph.node("Relu", [graph.add(hidden, rng.integers(-99, 100, 6))])
    chained = graph.add(graph.matmul(hidden, rng.integers(-9, 10, (6, 2))), [7, -7])
    beside = graph.matmul(graph.reshape(halves, [rows, 4]), rng.integers(-9, 10, (4, 2)))
    made = [which, sums, graph.reshape(graph.node("Add", [chained, beside]), [1, inputs])]
    for picked, weights in [
        ([1, 2, 4], [1, 4, 2]),  # bits that are not in their order
        ([1, 2, 8], [1, 2, 4]),  # one is left out
        ([1, 2, 4], [1, 2, 3]),
        ([1, 2, 4], [-1, 2, 4]),
        ([2, 4, 8], [1, 2, 4]),  # unsigned, from the second on
        ([2, 4, 8], [1, 2, -4]),  # signed
    ]:
        some = graph.bits(graph.pick("x", [3, 3, 3]), [picked])
        made.append(graph.matmul(some, np.array(weights)[:, None]))
    some = graph.bits(graph.pick("x", [3, 4, 3]), [[1, 2, 4]])
    made.append(graph.matmul(some, np.array([1, 2, 4])[:, None]))  # of two features
    made.append(graph.add(graph.matmul(some, np.array([1, 2, 4])[:, None]), [5]))
    return graph.finish(graph.concat(made), 1 + inputs // 2 + inputs + 8)


OPERATORS: dict[str, Callable[[], bytes]] = {
    "sums": sums,
    "convolutions": convolutions,
    "largest": largest,
    "bits": bits,
}
TABLES: dict[str, Callable[[], Table]] = {
    "one row": lambda: table(1),
    "two rows": lambda: table(2),
    "eleven rows": lambda: table(11),
    "sixteen rows": lambda: table(16, 12),
    "of low rank": lambda: low_rank_table(1 << 8, 5, 2, 4),
    "of low rank, cut": lambda: low_rank_table(200, 4, 1, 4),
    "of zeros": lambda: np.zeros((64, 2), dtype=np.int64),
}
