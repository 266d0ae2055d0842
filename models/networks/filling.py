"""The part of the reader's network that scores candidates for the parameters of the best tool.

Up to six parameters have up to eight candidates each; a pair of them is six numbers of int8, two in
a feature (`models/reader/pairs.py` says which). All pairs go through the same small network. Of two
parameters with the same candidates, one that a candidate fits takes from the other's score.

    alone = out relu(hidden n + hidden_bias) + straight n + bias
    score_pc = gain alone_pc - rival sum_q relu(alone_qc + rival_bias)   q: shares p's candidates

A pair that is not there has no pieces, the last of its numbers, and takes nothing from others; its
own score means nothing.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.networks.integer_graph import IntegerGraph

Weights = npt.NDArray[np.int64]
PARAMETERS, CANDIDATES, NUMBERS = 6, 8, 6
PAIRS = PARAMETERS * CANDIDATES
SHARING = PARAMETERS * (PARAMETERS - 1) // 2
#: Kinds of candidates, and links at each of three seats, have rows of their own, of 64 numbers.
SIZE, KINDS, SEATS, LINK_COUNT = 64, 17, 3, 21
ROLES = KINDS + SEATS * LINK_COUNT
#: Words before a candidate that are read, and words behind it; each has a weight in 64ths.
BEFORE, BEHIND, WEIGHT_BITS = 4, 2, 6
WEIGHTS = BEFORE + BEHIND
#: In what length a parameter's direction is before it is cut to four bits.
DIRECTION = 24
#: What products of rows are divided by, as powers of two, and the largest of what comes of them.
WORD_SHIFT, ROLE_SHIFT, MOST = 5, 4, 127
#: Two numbers in each feature; then a bit for each two parameters.
PAIR_FEATURES = PAIRS * NUMBERS // 2 + 1


@dataclass(frozen=True)
class FillingWeights:
    """hidden [H, 6], hidden_bias [H], out [H], straight [6]; all others are single integers."""

    hidden: Weights
    hidden_bias: Weights
    out: Weights
    straight: Weights
    bias: int
    rival: int
    rival_bias: int
    gain: int


def pair_scores(graph: IntegerGraph, weights: FillingWeights, numbers: str, sharing: str) -> str:
    """[1, 48]. numbers [1, 288]: of int8, pair by pair, a parameter's candidates in a row. sharing
    [1, 15]: 0 or 1 for each two parameters, (0, 1), (0, 2) up to (4, 5)."""
    rows = graph.reshape(numbers, [PAIRS, NUMBERS])
    hidden = graph.add(graph.matmul(rows, weights.hidden.T), weights.hidden_bias)
    out = graph.matmul(graph.node("Relu", [hidden]), weights.out[:, None])
    straight = graph.add(graph.matmul(rows, weights.straight[:, None]), [weights.bias])
    alone = graph.reshape(graph.node("Add", [out, straight]), [1, PAIRS])
    there = graph.positive(graph.pick(numbers, np.arange(PAIRS) * NUMBERS + NUMBERS - 1))
    taking = graph.node("Relu", [graph.add(alone, [weights.rival_bias] * PAIRS)])
    taking = graph.node("Mul", [taking, there])
    taken = graph.matmul(_shared(graph, taking, sharing), _sums() * weights.rival)
    gained = graph.matmul(alone, np.eye(PAIRS, dtype=np.int64) * weights.gain)
    return graph.node("Sub", [gained, taken])


def _shared(graph: IntegerGraph, taking: str, sharing: str) -> str:
    """[1, 240]: for each pair what each other parameter takes of it."""
    columns, bits = [], []
    for at, other, candidate in _rivals():
        columns.append(other * CANDIDATES + candidate)
        bits.append(sharing_place(at, other))
    return graph.node("Mul", [graph.pick(taking, columns), graph.pick(sharing, bits)])


def _rivals() -> list[tuple[int, int, int]]:
    """Parameter, another, candidate."""
    return [
        (at, other, candidate)
        for at in range(PARAMETERS)
        for other in range(PARAMETERS)
        for candidate in range(CANDIDATES)
        if other != at
    ]


def _sums() -> Weights:
    """[240, 48]: adds up what is taken of each pair."""
    found = np.zeros((len(_rivals()), PAIRS), dtype=np.int64)
    for row, (at, _, candidate) in enumerate(_rivals()):
        found[row, at * CANDIDATES + candidate] = 1
    return found


def sharing_place(one: int, other: int) -> int:
    """Of the bit of two parameters."""
    low, high = sorted((one, other))
    return low * PARAMETERS - low * (low + 1) // 2 + high - low - 1


__all__ = ["BEFORE", "BEHIND", "CANDIDATES", "DIRECTION", "KINDS", "LINK_COUNT", "MOST", "NUMBERS"]
__all__ += [
    "PAIRS",
    "PAIR_FEATURES",
    "PARAMETERS",
    "ROLES",
    "ROLE_SHIFT",
    "SEATS",
    "SHARING",
    "SIZE",
]
__all__ += ["WEIGHTS", "WEIGHT_BITS", "WORD_SHIFT", "FillingWeights", "pair_scores"]
__all__ += ["sharing_place"]
