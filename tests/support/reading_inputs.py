"""Inputs of a reader as its encoder writes them: zeros where tools and candidates are absent."""

import numpy as np

from zkagent.models.networks.filling import CANDIDATES, NUMBERS, PAIRS, SHARING
from zkagent.models.networks.reading import FEATURES, SIZE, TOOL_FEATURES, TOOLS

FEATURES_OF_A_VECTOR, FEATURES_OF_A_PAIR = SIZE // 2, NUMBERS // 2


def reading_samples(
    count: int, *, seed: int, tools: int | None = None, pairs: int | None = None
) -> list[list[int]]:
    """Random directions for some tools (any of them, if not said) and numbers for some pairs; one
    in ten has only the ends of the range."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        x = np.zeros(FEATURES, dtype=np.int64)
        there = range(tools) if tools else rng.permutation(TOOLS)[: rng.integers(1, TOOLS + 1)]
        some = range(pairs) if pairs is not None else _some_pairs(rng)
        values = _values(rng, FEATURES, extreme=number % 10 == 9)
        for vector in (0, *(tool + 1 for tool in there)):
            at = slice(vector * FEATURES_OF_A_VECTOR, (vector + 1) * FEATURES_OF_A_VECTOR)
            x[at] = values[at]
        x[TOOL_FEATURES - 1] = sum(1 << int(tool) for tool in there)
        for pair in some:
            first = TOOL_FEATURES + pair * FEATURES_OF_A_PAIR
            x[first : first + FEATURES_OF_A_PAIR] = values[first : first + FEATURES_OF_A_PAIR]
        x[-1] = int(rng.integers(1 << SHARING)) - (1 << SHARING - 1)
        found.append(x.tolist())
    return found


def _some_pairs(rng: np.random.Generator) -> list[int]:
    """The first candidates of some parameters."""
    counts = rng.integers(0, CANDIDATES + 1, PAIRS // CANDIDATES)
    return [at * CANDIDATES + each for at, most in enumerate(counts) for each in range(most)]


def _values(
    rng: np.random.Generator, count: int, *, extreme: bool
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    ends = np.array([-(1 << 15), (1 << 15) - 1, 0, 1, -1, 0x7F, -0x80, 0x7F80, -0x7F81])
    return rng.choice(ends, count) if extreme else rng.integers(-(1 << 15), 1 << 15, count)


__all__ = ["reading_samples"]
