"""A gated network of the size that reads instructions, with random weights: what such a network
costs to prove."""

import numpy as np

from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS
from zkagent.models.instructions.packing import FEATURE_BITS, FEATURES, TOKENS, Verdict
from zkagent.models.networks.gated import GatedWeights, Weights, export_gated

UNITS, SEEN, HIDDEN = 38, 24, 64
#: What the magnitudes of a unit's weights come to: a comparison costs that one's bits.
GATE_SUM, SEEN_SUM = 127, 255
TAG_UNIT = 100
SEED = 30


def gated_network() -> bytes:
    rng = np.random.default_rng(SEED)
    gates = _together(rng, GATE_SUM, 2, 2 * UNITS, 3 * CODE_BITS + UNITS)
    return export_gated(
        GatedWeights(
            gates=gates,
            gate_bias=-(gates.sum(axis=-1) // 2),
            seen=_together(rng, SEEN_SUM, SEEN, 2 * UNITS + CODE_BITS),
            seen_bias=rng.integers(-9, 10, SEEN),
            hidden=rng.integers(-127, 128, (HIDDEN, SEEN + 4 * UNITS)),
            hidden_bias=rng.integers(-127, 128, HIDDEN),
            scores=rng.integers(-127, 128, (len(Verdict), HIDDEN)),
            score_bias=rng.integers(-127, 128, len(Verdict)),
            tags=rng.integers(-15, 16, (len(Tag), 2 * UNITS + SEEN)),
            tag_bias=rng.integers(-15, 16, len(Tag)),
            tag_unit=TAG_UNIT,
        )
    )


def gated_samples(count: int) -> Weights:
    """Random codes of texts of any length [count, 1, 90]."""
    rng = np.random.default_rng(SEED)
    half = 1 << (FEATURE_BITS - 1)
    x = rng.integers(-half, half, (count, 1, TOKENS, FEATURES))
    x[..., 0] |= -half  # there is a token
    for sample, length in zip(x, rng.integers(1, TOKENS + 1, count), strict=True):
        sample[:, length:] = 0
    return x.reshape(count, 1, TOKENS * FEATURES)


def _together(rng: np.random.Generator, most: int, *shape: int) -> Weights:
    drawn = rng.normal(size=shape)
    scaled = drawn * most / np.abs(drawn).sum(axis=-1, keepdims=True)
    return np.asarray(np.round(scaled).astype(np.int64))


__all__ = ["gated_network", "gated_samples"]
