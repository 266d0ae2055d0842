"""The gated network as a torch module: what training sees is what its integers will give.

Forwards, states and codes are single bits; backwards, a bit has the gradient of a sigmoid
(straight-through estimator: Bengio et al. 2013; binarised networks: Hubara et al. 2016). Weights
are rounded late, as rounded weights learn little from scratch.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS
from zkagent.models.instructions.packing import TOKENS, Verdict
from zkagent.models.networks.gated import DIRECTIONS, WINDOW, GatedWeights, Weights
from zkagent.models.networks.products import ProductWeights
from zkagent.models.training import recurrence
from zkagent.models.training.products import POOLED, Products, ProductSizes, read_sums
from zkagent.models.training.whole import per_row, per_unit, whole

#: Of codes: the highest bit says that there is a token, the next that it can fill a slot.
FREE_BITS = CODE_BITS - 2


@dataclass(frozen=True)
class GatedSizes:
    """units: of each direction. gate_sum, seen_sum: how much the magnitudes of the weights and the
    bias of one unit come to, in integers and before each is rounded: what a comparison costs.
    hidden_weight, score_weight, tag_weight: the largest integers of the layers behind.
    products: beside all that, none by default.
    tag_worth: how many log-odds of a verdict one of a tag counts, where the network says how sure
    it is."""

    units: int = 40
    seen: int = 24
    hidden: int = 64
    gate_sum: int = 127
    seen_sum: int = 511
    hidden_weight: int = 127
    score_weight: int = 127
    tag_weight: int = 31
    tag_worth: float = 1.0
    products: ProductSizes | None = None


@dataclass(frozen=True)
class Vocabulary:
    """How many words, first and last letters have vectors of their own; number 0 of each is that
    of none."""

    words: int
    starts: int
    ends: int


@dataclass(frozen=True)
class Texts:
    """Numbers [N, L] of what stands at each place of N texts: words, 0 for those to be read as
    unknown, and their first and last letters. present [N, L]: 1 where there is a token. filling [N,
    L]: 1 where it can fill a slot."""

    words: Tensor
    starts: Tensor
    ends: Tensor
    present: Tensor
    filling: Tensor


class _Bit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        ctx.save_for_backward(z)
        return (z > 0).to(z.dtype)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        (z,) = ctx.saved_tensors
        slope = torch.sigmoid(z)
        return gradient * slope * (1 - slope)


def bit(z: Tensor) -> Tensor:
    """1 where z > 0, else 0."""
    return _Bit.apply(z)  # type: ignore[no-untyped-call,no-any-return]


class GatedReader(nn.Module):
    """Scores of verdicts and tags. rounded: whether weights are those of the integers."""

    def __init__(
        self, sizes: GatedSizes, vocabulary: Vocabulary, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.sizes, self.rounded = sizes, False

        def normal(std: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator) * std)

        u, v = sizes.units, vocabulary
        self.words = normal(0.6, v.words, FREE_BITS)
        self.starts = normal(0.4, v.starts, FREE_BITS)
        self.ends = normal(0.3, v.ends, FREE_BITS)
        self.gates = normal(0.085, DIRECTIONS, 2 * u, WINDOW * CODE_BITS + u)
        self.gate_bias = normal(0.1, DIRECTIONS, 2 * u)
        self.seen = normal(0.1, sizes.seen, 2 * u + CODE_BITS)
        self.seen_bias = normal(0.1, sizes.seen)
        self.hidden = normal(0.08, sizes.hidden, sizes.seen + 4 * u)
        self.hidden_bias = normal(0.1, sizes.hidden)
        self.scores = normal(0.1, len(Verdict), sizes.hidden)
        self.score_bias = normal(0.01, len(Verdict))
        self.tags = normal(0.08, len(Tag), 2 * u + sizes.seen)
        self.tag_bias = normal(0.01, len(Tag))
        self.products = (
            Products(sizes.products, 2 * u, sizes.hidden, generator) if sizes.products else None
        )

    def codes(self, texts: Texts) -> Tensor:
        """[N, L, 48] bits."""
        whole = self.words[texts.words] + self.starts[texts.starts] + self.ends[texts.ends]
        part = torch.where(
            (texts.starts > 0).unsqueeze(-1), self.starts[texts.starts], self.ends[texts.ends]
        )
        lost = (texts.starts == 0) & (texts.ends == 0)
        part = torch.where(lost.unsqueeze(-1), self.words[0], part)
        free = bit(torch.where((texts.words > 0).unsqueeze(-1), whole, part))
        present = texts.present.unsqueeze(-1)
        return torch.cat([present, texts.filling.unsqueeze(-1), free * present], -1)

    def forward(self, texts: Texts) -> tuple[Tensor, Tensor]:
        """Scores of verdicts [N, 5] and of tags [N, L, 6], in real units."""
        w, codes = self._weights(), self.codes(texts)
        states, last = self._run(w, codes, texts.present)
        given = torch.cat([states, codes], -1)
        present = texts.present.unsqueeze(-1)
        seen = torch.relu(given @ w["seen"].T + w["seen_bias"]) * present
        sums = states.sum(1)
        units, beyond = self.sizes.units, TOKENS - states.shape[1]
        held = torch.cat([last[:, :units] * beyond, torch.zeros_like(last[:, units:])], -1)
        pooled = torch.cat([seen.sum(1) / POOLED, (sums + held) / POOLED, last], -1)
        hidden = pooled @ w["hidden"].T + w["hidden_bias"]
        tags = torch.cat([states, seen], -1) @ w["tags"].T + w["tag_bias"]
        if self.products:
            found = self.products(codes, states, texts.present, rounded=self.rounded)
            hidden = hidden + found.sum(1) / POOLED @ w["products.hidden"].T
            tags = tags + read_sums(found, w["products.tags"])[:, : states.shape[1]]
        return torch.relu(hidden) @ w["scores"].T + w["score_bias"], tags

    def _run(
        self, w: Mapping[str, Tensor], codes: Tensor, present: Tensor
    ) -> tuple[Tensor, Tensor]:
        """States [N, L, 2 U], and the last of both directions [N, 2 U]. Within, bits are -1 and 1:
        integer sums of these are sums of bits that are 0 and 1 (`_of_zeros_and_ones`)."""
        signs, units = 2 * codes - 1, self.sizes.units
        none = -torch.ones_like(signs[:, :1])
        before, behind = torch.cat([none, signs[:, :-1]], 1), torch.cat([signs[:, 1:], none], 1)
        window = torch.cat([before, signs, behind], -1)
        cut, unit = WINDOW * CODE_BITS, w["gate_unit"].unsqueeze(1)
        read, fed = w["gates"][..., :cut], w["gates"][..., cut:].transpose(1, 2)
        given = window @ read.flatten(0, 1).T
        given = given.reshape(*window.shape[:2], DIRECTIONS, 2 * units)
        given = given.permute(2, 0, 1, 3) + w["gate_bias"][:, None, None]
        given = torch.stack([given[0], given[1].flip(1)])  # the second direction reads backwards
        there = torch.stack([present, present.flip(1)]).unsqueeze(-1)
        found = (recurrence.states(given, fed, unit, there) + 1) / 2
        last = torch.cat([found[0, :, -1], found[1, :, -1]], -1)
        return torch.cat([found[0], found[1].flip(1)], -1), last

    def _weights(self) -> dict[str, Tensor]:
        """Those of the gates as integers where they are rounded, in `gate_unit`: of fractions, a
        sum that is 0 would be a little more or less."""
        w: dict[str, Tensor] = dict(self.named_parameters())
        if not self.rounded:
            return w | {"gate_unit": torch.ones_like(self.gate_bias)}
        scales = self._scales()
        rounded = {name: whole(w[name], scale) for name, scale in scales.items()}
        gates = {name: rounded[name] for name in ("gates", "gate_bias")}
        others = {name: value / scales[name] for name, value in rounded.items()}
        if self.products:
            read, tags, hidden = self.products.read, scales["tag_bias"], scales["hidden_bias"]
            others["products.tags"] = read(self.products.tags, tags).real
            others["products.hidden"] = read(self.products.hidden, hidden, pooled=True).real
        return w | others | gates | {"gate_unit": 1 / scales["gate_bias"]}

    def _scales(self) -> dict[str, Tensor]:
        """Integers per unit of each weight."""
        w, s = {name: value.detach() for name, value in self.named_parameters()}, self.sizes
        gates = per_row(w["gates"], w["gate_bias"], s.gate_sum)
        seen = per_row(w["seen"], w["seen_bias"], s.seen_sum)
        # Of what hidden sums add up, in integers:
        bits = torch.ones(2 * s.units)
        units = torch.cat([POOLED * seen, POOLED * bits, bits])
        hidden = per_unit((w["hidden"] / units)[:, : s.seen], s.hidden_weight)
        if self.products:
            most = self.products.least_most(self.products.hidden, pooled=True)
            hidden = torch.maximum(hidden, self.products.sizes.weight / most)
        scores = per_unit(w["scores"], s.score_weight)
        tag_units = torch.cat([bits, seen])
        tags = per_unit((w["tags"] / tag_units)[:, 2 * s.units :], s.tag_weight)
        if self.products:
            most = self.products.least_most(self.products.tags)
            tags = torch.maximum(tags, self.products.sizes.weight / most)
        return {
            "gates": gates.unsqueeze(-1), "gate_bias": gates,
            "seen": seen.unsqueeze(-1), "seen_bias": seen,
            "hidden": hidden / units, "hidden_bias": hidden,
            "scores": scores, "score_bias": hidden * scores,
            "tags": tags / tag_units, "tag_bias": tags,
        }  # fmt: skip

    def integers(self) -> GatedWeights:
        scales = self._scales()
        w = {
            name: whole(value.detach(), scales[name]).to(torch.int64).numpy()
            for name, value in self.named_parameters()
            if name in scales
        }
        gates, gate_bias = _of_zeros_and_ones(w["gates"], w["gate_bias"])
        return GatedWeights(
            gates, gate_bias, w["seen"], w["seen_bias"], w["hidden"], w["hidden_bias"],
            w["scores"], w["score_bias"], w["tags"], w["tag_bias"], self._tag_unit(),
            self._whole_products(scales),
        )  # fmt: skip

    def _whole_products(self, scales: Mapping[str, Tensor]) -> ProductWeights | None:
        if self.products is None:
            return None
        return self.products.integers(scales["tag_bias"], scales["hidden_bias"])

    def _tag_unit(self) -> int:
        scales = self._scales()
        ratio = scales["score_bias"] / scales["tag_bias"] * self.sizes.tag_worth
        return max(1, round(ratio.item()))

    def score_unit(self) -> int:
        """What one unit of a score is in integers."""
        return round(self._scales()["score_bias"].item())


def _of_zeros_and_ones(weights: Weights, bias: Weights) -> tuple[Weights, Weights]:
    """Sums over bits of 0 and 1 that are more than 0 where w s + b is, over s of -1 and 1: s is
    2 bit - 1, and an integer is more than half of a number where it is more than its floor."""
    half = np.floor_divide(weights.sum(-1) - bias, 2)
    return weights, -half


__all__ = ["GatedReader", "GatedSizes", "Texts", "Vocabulary"]
