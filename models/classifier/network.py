"""The classifier as a torch module: first in floats, then rounded exactly as its integers will be.

Rounding happens on the way forward and is left alone on the way back (straight-through estimator:
Bengio et al. 2013; quantisation-aware training: Jacob et al. 2018).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from zkagent.models.classifier.shape import Shape, Wiring
from zkagent.models.classifier.weights import ClassifierWeights, Weights

#: Largest integers. Circuits do not care about magnitudes; int64 and float32 do.
TABLE_LIMIT, HIDDEN_LIMIT, SQUARE_LIMIT = 127, 7, 31
INIT = 0.03  # standard deviation of new table entries
#: Share of table entries that the int8 range covers; the few larger ones are clamped.
COVERED = 0.9995


@dataclass(frozen=True)
class Scales:
    """What one integer step of each tensor is worth.

    A feature's and a square's product must come out in the same unit: `feature_weight` follows.
    """

    table: float
    hidden: float
    square_weight: float

    @property
    def hidden_unit(self) -> float:
        return self.table * self.hidden

    @property
    def feature_weight(self) -> float:
        return self.hidden_unit * self.hidden * self.square_weight

    @property
    def output_unit(self) -> float:
        return self.table * self.feature_weight


@dataclass(frozen=True)
class Kept:
    """What each row [N] counts in training, and each vector; those of rows without a vector mean
    nothing."""

    rows: Tensor
    vectors: Tensor | None


@dataclass(frozen=True)
class Taught:
    """vectors [words, k] of known words, which have the rows behind those of the hashes. rows
    [words]: from which the rest of each one's row comes, its own or that of unknown words."""

    vectors: Tensor
    rows: Tensor


class _Taught(nn.Module):
    """What vectors of known words come to: times one matrix [k, D]."""

    def __init__(self, taught: Taught, projection: nn.Parameter) -> None:
        super().__init__()
        self.vectors, self.rows, self.projection = taught.vectors, taught.rows, projection

    def forward(self, places: Tensor) -> Tensor:
        """[N, D] of words by their numbers [N]."""
        return self.vectors[places] @ self.projection

    def sums(self, places: Tensor, offsets: Tensor, kept: Tensor | None) -> Tensor:
        """[B, D] of each text's words."""
        return _sums(places, self.vectors, offsets, kept) @ self.projection


class ClassifierNetwork(nn.Module):
    """Rows to logits. `scales` None: floats; otherwise all weights are rounded to their units."""

    def __init__(
        self,
        shape: Shape,
        wiring: Wiring,
        generator: torch.Generator,
        taught: Taught | None = None,
    ) -> None:
        super().__init__()
        self.shape, self.wiring = shape, wiring
        self.scales: Scales | None = None

        def normal(std: float, *sizes: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*sizes, generator=generator) * std)

        per_block = shape.hidden // shape.blocks
        per_group = -(-len(wiring.slots) // wiring.groups)
        fan_in = shape.fan_in_of_outputs
        self.table = normal(INIT, shape.table_rows, shape.features)
        self.w1 = normal(0.3 / shape.block**0.5, shape.blocks, shape.block, per_block)
        self.b1 = nn.Parameter(torch.zeros(shape.hidden))
        self.a = normal(0.5 / fan_in**0.5, wiring.groups, fan_in, per_group)
        self.b2 = nn.Parameter(torch.zeros(wiring.groups * per_group))
        self.taught: _Taught | None = None
        if taught is not None:
            own = torch.zeros(len(taught.rows), shape.features)
            self.table = nn.Parameter(torch.cat([self.table.detach(), own]))
            self.taught = _Taught(taught, normal(INIT, taught.vectors.shape[1], shape.features))
        self._hidden_inputs = torch.from_numpy(wiring.hidden_inputs)
        self._picks = torch.from_numpy(wiring.picks)
        self._slots = torch.from_numpy(wiring.slots)

    def forward(self, rows: Tensor, offsets: Tensor, kept: Kept | None = None) -> Tensor:
        """Logits [B, labels]. rows [N]: table rows of all texts, offsets [B]: where each begins.

        kept: for dropout.
        """
        x = self._features(rows, offsets, kept)
        w1, b1, a = self._rounded()
        h = torch.einsum("nbi,bij->nbj", x[:, self._hidden_inputs], w1).flatten(1) + b1
        z = torch.cat([x, h * h], dim=1)[:, self._picks]
        y = torch.einsum("ngi,gij->ngj", z, a).flatten(1) + self.b2
        return y[:, self._slots]

    def _features(self, rows: Tensor, offsets: Tensor, kept: Kept | None) -> Tensor:
        """[B, D]. Rounded, a word's row and what its vector comes to are one row."""
        of_rows = kept.rows if kept else None
        if self.taught is None:
            return _sums(rows, self._rounded_table(self.table), offsets, of_rows)
        words = rows >= self.shape.table_rows
        places = rows[words] - self.shape.table_rows
        rows = rows.masked_scatter(words, self.taught.rows[places])
        if self.scales is None:
            in_front = torch.cumsum(words, 0) - words.long()  # of each row, so many words
            of_words = kept.vectors[words] if kept and kept.vectors is not None else None
            # A text without tokens is refused, so no offset lies behind the last row.
            taught = self.taught.sums(places, in_front[offsets], of_words)
            return _sums(rows, self.table, offsets, of_rows) + taught
        each = self.table[rows].index_add(0, words.nonzero().flatten(), self.taught(places))
        return _sums(torch.arange(len(rows)), self._rounded_table(each), offsets, of_rows)

    def _rounded_table(self, entries: Tensor) -> Tensor:
        s = self.scales
        return entries if s is None else _round(entries, s.table, TABLE_LIMIT)

    @torch.no_grad()
    def _whole_table(self) -> Tensor:
        """Of all rows, with what vectors come to."""
        if self.taught is None:
            return self.table.detach()
        hashed = self.shape.table_rows
        words = self.taught(torch.arange(len(self.table) - hashed))
        return torch.cat([self.table[:hashed], self.table[self.taught.rows] + words])

    def find_scales(self) -> Scales:
        """Units that let the present weights use their integer ranges."""
        entries = self._whole_table().abs().flatten()
        entries = entries[entries > 0]
        largest = entries.kthvalue(max(1, int(COVERED * len(entries)))).values.item()
        squares = self.a.detach()[:, self.shape.fan_in :]
        return Scales(
            table=largest / TABLE_LIMIT,
            hidden=_peak(self.w1) / HIDDEN_LIMIT,
            square_weight=_peak(squares) / SQUARE_LIMIT,
        )

    def integers(self) -> ClassifierWeights:
        """The rounded weights in units of their scales."""
        s = self.scales
        assert s is not None, "set the scales first"
        table = self._rounded_table(self._whole_table()).double()
        w1, b1, a = (tensor.detach().double() for tensor in self._rounded())
        split = self.shape.fan_in
        a = torch.cat([a[:, :split] / s.feature_weight, a[:, split:] / s.square_weight], dim=1)
        return ClassifierWeights(
            self.wiring,
            _integers(table / s.table).astype(np.int8),
            _integers(w1 / s.hidden),
            _integers(b1 / s.hidden_unit),
            _float32_exact(_integers(a)),
            _float32_exact(_integers(self.b2.detach().double() / s.output_unit)),
        )

    def _rounded(self) -> tuple[Tensor, Tensor, Tensor]:
        """All but the table."""
        s = self.scales
        if s is None:
            return self.w1, self.b1, self.a
        split = self.shape.fan_in
        features = _round(self.a[:, :split], s.feature_weight)
        squares = _round(self.a[:, split:], s.square_weight, SQUARE_LIMIT)
        return (
            _round(self.w1, s.hidden, HIDDEN_LIMIT),
            _round(self.b1, s.hidden_unit),
            torch.cat([features, squares], dim=1),
        )


def _sums(rows: Tensor, table: Tensor, offsets: Tensor, kept: Tensor | None) -> Tensor:
    return embedding_bag(rows, table, offsets, mode="sum", per_sample_weights=kept)


def _round(values: Tensor, unit: float, limit: int | None = None) -> Tensor:
    """`values` as multiples of `unit`, within +-limit of them; the gradient passes unchanged."""
    steps = torch.round(values.detach() / unit)
    steps = steps if limit is None else steps.clamp(-limit, limit)
    return values + (steps * unit - values.detach())


def _peak(values: Tensor) -> float:
    return max(values.detach().abs().max().item(), 1e-6)


def _integers(values: Tensor) -> Weights:
    return torch.round(values).to(torch.int64).numpy()


def _float32_exact(values: Weights) -> Weights:
    """The nearest integers that float32 holds: ezkl reads constants through it."""
    return np.asarray(values.astype(np.float32).astype(np.int64))
