"""A trained classifier in integers: reference evaluation, and proof that 64 bits are enough."""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from zkagent.models.classifier.shape import Wiring
from zkagent.models.encoding.encoder import Table
from zkagent.models.errors import BoundExceeded
from zkagent.models.networks.bounds import INT16_MAX, INT64_MAX, MAX_NGRAMS

Weights = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClassifierWeights:
    """Integers, and the wires they belong to.

    table [V, D] int8; w1 [blocks, block, hidden / blocks]; b1 [hidden];
    a [groups, fan-in, intents a group]; b2 [groups * intents a group], all int64.
    """

    wiring: Wiring
    table: Table
    w1: Weights
    b1: Weights
    a: Weights
    b2: Weights

    def __post_init__(self) -> None:
        for field in fields(self)[2:]:
            values = getattr(self, field.name)
            # Back to int64, as comparing with float32 would round both sides.
            if values.dtype != np.int64 or (values.astype(np.float32).astype(int) != values).any():
                raise ValueError(
                    f"{field.name} must be int64 and exact in float32, as ezkl reads it"
                )

    @property
    def features(self) -> int:
        return int(self.table.shape[1])

    @property
    def hidden(self) -> int:
        return len(self.b1)

    @property
    def labels(self) -> int:
        return len(self.wiring.slots)


def evaluate(weights: ClassifierWeights, x: Weights) -> Weights:
    """Scores [B, labels] of features [B, D], in plain int64."""
    grouped = x[:, weights.wiring.hidden_inputs]
    h = np.einsum("nbi,bij->nbj", grouped, weights.w1).reshape(len(x), -1) + weights.b1
    z = np.concatenate([x, h * h], axis=1)[:, weights.wiring.picks]
    y = np.einsum("ngi,gij->ngj", z, weights.a).reshape(len(x), -1) + weights.b2
    return np.asarray(y[:, weights.wiring.slots])


def check_bounds(weights: ClassifierWeights) -> int:
    """The largest magnitude that any intermediate or output can reach, for any text.

    Interval arithmetic in Python integers: a feature sums at most 256 table entries. Raises
    BoundExceeded when a feature could leave int16 or a sum int64.
    """
    entry = np.abs(weights.table.astype(np.int64)).max(axis=0)
    x = MAX_NGRAMS * entry.astype(object)
    if max(x) > INT16_MAX:
        raise BoundExceeded(f"a feature could reach {max(x)}, int16 ends at {INT16_MAX}")
    h = _peaks(x[weights.wiring.hidden_inputs], weights.w1, weights.b1)
    z = np.concatenate([x, h * h])
    y = _peaks(z[weights.wiring.picks], weights.a, weights.b2)
    peak = int(max(*z, *y))
    if peak > INT64_MAX:
        raise BoundExceeded(
            f"a sum could reach {peak}, int64 ends at {INT64_MAX}: train with fewer weight bits"
        )
    return peak


def _peaks(inputs: "npt.NDArray[np.object_]", w: Weights, b: Weights) -> "npt.NDArray[np.object_]":
    """Peaks of a block-diagonal layer; partial sums are bounded by the sum of magnitudes."""
    columns = [peaks @ np.abs(block).astype(object) for peaks, block in zip(inputs, w, strict=True)]
    return np.asarray(np.concatenate(columns) + np.abs(b).astype(object))
