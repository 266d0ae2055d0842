"""An integer network that reads text: 64 look-ups in a long table, two convolutions with squares,
and a choice among actions, with pointers to positions."""

import numpy as np

from tests.support.small_networks import network, node

POSITIONS, WIDTH, ROWS, ACTIONS, POINTERS = 64, 32, 5400, 16, 4
LOW_BITS, RANK = 6, 2


def text_table(rng: np.random.Generator) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """Each column is a sum of two products: of a function of the lower six bits and one of the
    others."""
    high = rng.integers(-1, 2, (WIDTH, -(-ROWS >> LOW_BITS), RANK))
    low = rng.integers(-1, 2, (WIDTH, RANK, 1 << LOW_BITS))
    return np.asarray((high @ low).reshape(WIDTH, -1).T[:ROWS])


def text_network() -> bytes:
    """x: the tokens' rows. y: the action, and four positions."""
    rng = np.random.default_rng(14)
    nodes = [node("Gather", ["table", "x"], "h0")]
    constants = {
        "table": text_table(rng),
        "pads": [0, 1, 0, 0, 1, 0],
        "windows": [[at, at + 1, at + 2] for at in range(POSITIONS)],
        "rows": [1, POSITIONS, 3 * WIDTH],
        "positions": [1],
        "actions": rng.integers(-1, 2, (WIDTH, ACTIONS)),
        "pointers": rng.integers(-1, 2, (WIDTH, POINTERS)),
    }
    for layer in range(2):
        nodes += [
            node("Pad", [f"h{layer}", "pads"], f"p{layer}"),
            node("Gather", [f"p{layer}", "windows"], f"g{layer}", axis=1),
            node("Reshape", [f"g{layer}", "rows"], f"r{layer}"),
            node("MatMul", [f"r{layer}", f"w{layer}"], f"m{layer}"),
            node("Add", [f"m{layer}", f"b{layer}"], f"a{layer}"),
            node("Mul", [f"a{layer}", f"a{layer}"], f"h{layer + 1}"),
        ]
        constants[f"w{layer}"] = rng.integers(-1, 2, (3 * WIDTH, WIDTH))
        constants[f"b{layer}"] = rng.integers(-9, 10, WIDTH)
    nodes += [
        node("ReduceSum", ["h2", "positions"], "pool", keepdims=0),
        node("MatMul", ["pool", "actions"], "scores"),
        node("ArgMax", ["scores"], "action", axis=1),
        node("MatMul", ["h2", "pointers"], "marks"),
        node("ArgMax", ["marks"], "places", axis=1, keepdims=0),
        node("Concat", ["action", "places"], "y", axis=1),
    ]
    return network(nodes, constants, inputs=POSITIONS, outputs=1 + POINTERS)


__all__ = ["ROWS", "text_network"]
