"""Small readers' networks, and what they have to compute."""

from collections.abc import Sequence

import numpy as np

from zkagent.models.networks.filling import CANDIDATES, NUMBERS, PARAMETERS, FillingWeights
from zkagent.models.networks.reading import SIZE, ReadingWeights, beneath
from zkagent.models.reader.rows import Vector


def weights(seed: int, hidden: int = 4) -> ReadingWeights:
    rng = np.random.default_rng(seed)
    return ReadingWeights(
        gain=256,
        hidden=rng.integers(-60, 61, (hidden, SIZE)),
        hidden_bias=rng.integers(-5000, 5001, hidden),
        none=rng.integers(-90, 91, hidden),
        none_bias=3_000_000,
    )


def filling_weights(seed: int, hidden: int = 4) -> FillingWeights:
    rng = np.random.default_rng(seed)
    return FillingWeights(
        hidden=rng.integers(-100, 101, (hidden, NUMBERS)),
        hidden_bias=rng.integers(-4000, 4001, hidden),
        out=rng.integers(-100, 101, hidden),
        straight=rng.integers(-4000, 4001, NUMBERS),
        bias=-100_000,
        rival=11,
        rival_bias=20_000,
        gain=16,
    )


def random_pairs(rng: np.random.Generator, counts: Sequence[int]) -> Vector:
    """[6, 8, 6] of int8: so many candidates of each parameter."""
    found = np.zeros((PARAMETERS, CANDIDATES, NUMBERS), dtype=np.int64)
    for at, count in enumerate(counts):
        found[at, :count] = rng.integers(-127, 128, (count, NUMBERS))
        found[at, :count, -1] = rng.integers(1, 20, count)
    return found


def pair_formula(given: FillingWeights, pairs: Vector, alike: Sequence[object]) -> tuple[int, ...]:
    """What the network says of pairs, in Python integers. alike: of parameters with the same
    candidates the same."""

    def alone(numbers: Sequence[int]) -> int:
        hidden = [
            max(0, sum(a * b for a, b in zip(numbers, row, strict=True)) + bias)
            for row, bias in zip(given.hidden.tolist(), given.hidden_bias.tolist(), strict=True)
        ]
        straight = sum(a * b for a, b in zip(numbers, given.straight.tolist(), strict=True))
        out = sum(a * b for a, b in zip(hidden, given.out.tolist(), strict=True))
        return out + straight + given.bias

    rows = pairs.tolist()
    found = []
    for at in range(PARAMETERS):
        for place in range(CANDIDATES):
            rivals = sum(
                max(0, alone(rows[q][place]) + given.rival_bias)
                for q in range(len(alike))
                if q != at and at < len(alike) and alike[q] == alike[at] and rows[q][place][-1] > 0
            )
            found.append(given.gain * alone(rows[at][place]) - given.rival * rivals)
    return tuple(found)


def random_features(rng: np.random.Generator, tools: int) -> tuple[Vector, list[Vector]]:
    """A prompt and tools, of int8."""
    prompt, *others = rng.integers(-128, 128, (tools + 1, SIZE))
    return prompt, others


def formula(given: ReadingWeights, prompt: Vector, tools: Sequence[Vector]) -> tuple[int, int, int]:
    """What the network says, in Python integers."""
    p = prompt.tolist()
    scores = [given.gain * sum(a * b for a, b in zip(p, t.tolist(), strict=True)) for t in tools]
    scores += [-beneath(given)] * (8 - len(tools))
    hidden = [
        max(0, sum(a * b for a, b in zip(p, row, strict=True)) + bias)
        for row, bias in zip(given.hidden.tolist(), given.hidden_bias.tolist(), strict=True)
    ]
    none = sum(a * b for a, b in zip(hidden, given.none.tolist(), strict=True)) + given.none_bias
    second, best = sorted(scores)[-2:]
    return scores.index(best), best - second, best - none
