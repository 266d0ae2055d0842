"""The policy as a torch module with fake quantisation: what training sees is what integers give.

Every weight is rounded on the way forward and left alone on the way back (straight-through
estimator: Bengio et al. 2013; quantisation-aware training: Jacob et al. 2018). In units of its
scale each weight is an integer, so the exported integers compute the same function times a
constant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from zkagent.models.encoding.encoder import COUNT_UNIT, MAX_CANDIDATES, Table
from zkagent.models.networks.policy import PolicyWeights, Weights

#: Integers per unit: table entries (int8), weights behind text lanes, other weights.
TABLE_SCALE, LANE_SCALE, WEIGHT_SCALE = 127, 31, 127
#: Integers per log-odd of an action.
SCORE_UNIT = (TABLE_SCALE * LANE_SCALE) ** 2 * WEIGHT_SCALE


@dataclass(frozen=True)
class PolicySizes:
    """Table rows and dimensions, hidden units of the two networks, counts and outputs."""

    text_rows: int = 4096
    text_dimensions: int = 32
    local_rows: int = 1024
    local_dimensions: int = 16
    counts: int = 9
    hidden: int = 54
    slot_hidden: int = 8
    actions: int = 7
    sources: int = 3
    slots: int = 3


def quantised(values: Tensor, scale: float, limit: float | None = None) -> Tensor:
    """`values` rounded to multiples of 1/scale within +-limit; the gradient passes unchanged."""
    inside = values if limit is None else values.clamp(-limit, limit)
    return inside + (torch.round(inside * scale) / scale - inside).detach()


class QuantisedPolicy(nn.Module):
    """Tables and networks. Inputs are table rows and counts; outputs are scores in real units."""

    def __init__(self, sizes: PolicySizes, generator: torch.Generator) -> None:
        super().__init__()
        self.sizes = sizes

        def normal(std: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator) * std)

        s = sizes
        self.text_table = normal(0.05, s.text_rows, s.text_dimensions)
        self.local_table = normal(0.1, s.local_rows, s.local_dimensions)
        self.w1 = normal(0.2, s.text_dimensions, s.hidden)
        self.w1_counts = normal(0.2, s.counts, s.hidden)
        self.b1 = normal(0.7, s.hidden)
        self.w2 = normal(0.15, s.hidden, s.actions + s.sources)
        self.c1 = normal(0.25, s.local_dimensions, s.slot_hidden)
        self.d1 = normal(0.7, s.slot_hidden)
        self.c2 = normal(0.3, s.slot_hidden, s.slots)

    def forward(
        self,
        rows: Tensor,
        offsets: Tensor,
        counts: Tensor,
        local_rows: Tensor,
        kept: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of actions [B, A], sources [B, 3] and slots [B, 6, S].

        `rows` [N] with `offsets` [B] are each prompt's text rows, `counts` [B, 9] unscaled,
        `local_rows` [B, 6, 11] where the number of rows stands for none, `kept` what each
        text row [N] and local row [B, 6, 11] counts in training (1 where not given).
        """
        table = quantised(self.text_table, TABLE_SCALE, 1.0)
        counted = kept[0] if kept else None
        text = embedding_bag(rows, table, offsets, mode="sum", per_sample_weights=counted)
        w1_counts = quantised(self.w1_counts, TABLE_SCALE * LANE_SCALE / COUNT_UNIT)
        hidden = (
            text @ quantised(self.w1, LANE_SCALE, 1.0)
            + counts @ w1_counts
            + quantised(self.b1, TABLE_SCALE * LANE_SCALE)
        )
        scores = (hidden * hidden) @ quantised(self.w2, WEIGHT_SCALE, 1.0)
        a = self.sizes.actions
        return scores[:, :a], scores[:, a:], self.slot_scores(local_rows, kept[1] if kept else None)

    def slot_scores(self, local_rows: Tensor, kept: Tensor | None) -> Tensor:
        nothing = self.local_table.new_zeros(1, self.sizes.local_dimensions)
        table = torch.cat([quantised(self.local_table, TABLE_SCALE, 1.0), nothing])
        batch = local_rows.shape[0]
        around = embedding_bag(
            local_rows.reshape(batch * MAX_CANDIDATES, -1),
            table,
            mode="sum",
            per_sample_weights=None if kept is None else kept.reshape(batch * MAX_CANDIDATES, -1),
        )
        hidden = around @ quantised(self.c1, WEIGHT_SCALE, 1.0)
        hidden = hidden + quantised(self.d1, TABLE_SCALE * WEIGHT_SCALE)
        scores = (hidden * hidden) @ quantised(self.c2, WEIGHT_SCALE, 1.0)
        return scores.reshape(batch, MAX_CANDIDATES, self.sizes.slots)

    def tables(self) -> tuple[Table, Table]:
        """The text and local tables as the chain stores them."""
        return _int8(self.text_table), _int8(self.local_table)

    def integer_weights(self) -> PolicyWeights:
        """The networks in integers. There are no output biases: hidden units supply constants."""
        lanes = _integers(self.w1, LANE_SCALE, 1.0)
        counts = _integers(self.w1_counts, TABLE_SCALE * LANE_SCALE / COUNT_UNIT)
        outputs = self.sizes.actions + self.sizes.sources
        return PolicyWeights(
            w1=np.concatenate([lanes, counts]),
            b1=_integers(self.b1, TABLE_SCALE * LANE_SCALE),
            w2=_integers(self.w2, WEIGHT_SCALE, 1.0),
            b2=np.zeros(outputs, dtype=np.int64),
            c1=_integers(self.c1, WEIGHT_SCALE, 1.0),
            d1=_integers(self.d1, TABLE_SCALE * WEIGHT_SCALE),
            c2=_integers(self.c2, WEIGHT_SCALE, 1.0),
            d2=np.zeros(self.sizes.slots, dtype=np.int64),
        )


def with_caution(weights: PolicyWeights, acting: Sequence[int], log_odds: float) -> PolicyWeights:
    """The same network with one hidden unit more, a constant: it takes `log_odds`, at least 0, from
    the scores of the actions `acting`, which are then chosen only where they lead by more."""
    taken = np.zeros((1, weights.w2.shape[1]), dtype=np.int64)
    taken[0, list(acting)] = -1
    nothing = np.zeros((len(weights.w1), 1), dtype=np.int64)
    constant = np.array([round(math.sqrt(log_odds * SCORE_UNIT))], dtype=np.int64)
    return replace(
        weights,
        w1=np.concatenate([weights.w1, nothing], axis=1),
        b1=np.concatenate([weights.b1, constant]),
        w2=np.concatenate([weights.w2, taken]),
    )


def _integers(values: Tensor, scale: float, limit: float | None = None) -> Weights:
    inside = values.detach() if limit is None else values.detach().clamp(-limit, limit)
    return torch.round(inside * scale).to(torch.int64).numpy()


def _int8(values: Tensor) -> Table:
    return _integers(values, TABLE_SCALE, 1.0).astype(np.int8)
