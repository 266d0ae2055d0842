"""Small readers' networks, and what they have to compute."""

from collections.abc import Sequence

import numpy as np

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
