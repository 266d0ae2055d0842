"""The policy f: y = f(x), two small integer networks with squares for activation.

    trunk       h = x[:T] W1 + b1         y[:A] = (h * h) W2 + b2          T -> H -> A candidates
    g = rows C1 + d1          s = (g * g) C2 + d2              L -> C -> S, the same for each of
    six rows

with rows = x[T:] reshaped to 6 x L, and y = y[:A] followed by s row by row. No division, no
comparison: a circuit of multiply-adds, whose integers are exact. (Squares as activation:
Gilad-Bachrach et al. 2016, "CryptoNets".)
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from zkagent.models.encoding.encoder import MAX_CANDIDATES

Weights = npt.NDArray[np.int64]

#: ezkl reads constants through float32: a larger integer might be rounded in the circuit.
WEIGHT_LIMIT = 1 << 24


@dataclass(frozen=True)
class PolicyWeights:
    """Integer weights, int64. Shapes: w1 [T,H], b1 [H], w2 [H,A], b2 [A], c1 [L,C], d1 [C], c2
    [C,S], d2 [S]."""

    w1: Weights
    b1: Weights
    w2: Weights
    b2: Weights
    c1: Weights
    d1: Weights
    c2: Weights
    d2: Weights

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if value.dtype != np.int64 or np.abs(value).max(initial=0) > WEIGHT_LIMIT:
                raise ValueError(f"{f.name} must be int64 and at most 2**24 in magnitude")

    @property
    def trunk_inputs(self) -> int:
        return int(self.w1.shape[0])

    @property
    def input_count(self) -> int:
        return self.trunk_inputs + MAX_CANDIDATES * int(self.c1.shape[0])


def evaluate(weights: PolicyWeights, x: Sequence[int] | npt.NDArray[np.int64]) -> Weights:
    """y for one input [N] or a batch [B, N], in plain int64: the reference for every other
    evaluation."""
    batch = np.atleast_2d(np.asarray(x, dtype=np.int64))
    t = weights.trunk_inputs
    h = batch[:, :t] @ weights.w1 + weights.b1
    trunk = (h * h) @ weights.w2 + weights.b2
    rows = batch[:, t:].reshape(len(batch), MAX_CANDIDATES, -1)
    g = rows @ weights.c1 + weights.d1
    slots = (g * g) @ weights.c2 + weights.d2
    y = np.concatenate([trunk, slots.reshape(len(batch), -1)], axis=1)
    return y if np.ndim(x) == 2 else y[0]
