"""The products of a gated network (`models/networks/products.py`) as a torch module.

Their means and sizes over all texts are taken out, so that what reads products reads numbers of the
size of one: running ones while weights are real numbers, and the last ones from then on. In
integers they become part of the weights that read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import CODE_BITS
from zkagent.models.instructions.packing import TOKENS
from zkagent.models.networks.products import AROUND, ProductWeights, Reading, Weights
from zkagent.models.training.whole import per_row, whole

#: By what sums over tokens are divided, to be about as large as what stands beside them.
POOLED = 8
#: How much of each batch's means and sizes goes into the running ones.
MOMENTUM = 0.02
#: Beside a product's size, to divide by.
LEAST = 1e-3
#: What reads signs.
SIDES = ("first", "second", "third")


@dataclass(frozen=True)
class ProductSizes:
    """near: products of two sums over signs. far: products of such a sum and of one over products.
    sign_sum, far_sum: what the magnitudes of a sum's integers come to. weight: the largest integer
    of what reads far ones. dropped: how often a product is hidden from what reads it, for a whole
    text, in training."""

    near: int = 96
    far: int = 96
    sign_sum: int = 255
    far_sum: int = 255
    weight: int = 15
    dropped: float = 0.2

    @property
    def count(self) -> int:
        return self.near + self.far


class Read(NamedTuple):
    """Weights [N, K + 1] of what reads K products and whether there is a token, or three such side
    by side: as integers, and as they are in real units then."""

    integers: Tensor
    real: Tensor


class Products(nn.Module):
    """units: of states, in both directions. hidden: how many units read what products come to."""

    def __init__(
        self, sizes: ProductSizes, units: int, hidden: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.sizes, self.generator = sizes, generator
        self.measured = False
        signs, near, both = AROUND * CODE_BITS + units, sizes.near + 1, sizes.count + 1

        def normal(std: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator) * std)

        self.first = normal(signs**-0.5, sizes.near, signs)
        self.second = normal(signs**-0.5, sizes.near, signs)
        self.third = normal(signs**-0.5, sizes.far, signs)
        self.fourth = normal((3 * near) ** -0.5, sizes.far, 3 * near)
        self.tags = normal(0.05, len(Tag), 3 * both)
        self.hidden = normal(0.05, hidden, both)
        self.mean = nn.Buffer(torch.zeros(sizes.count))
        self.size = nn.Buffer(torch.ones(sizes.count))

    def forward(self, codes: Tensor, states: Tensor, present: Tensor, *, rounded: bool) -> Tensor:
        """[N, L + 2, P + R + 1], or as far as 30 tokens go, since right behind a text there are
        products of its end; the last one whether there is a token. codes [N, L, 48], states [N, L,
        2 U]: bits. present [N, L]. rounded: whether weights are those of the integers."""
        signs, there = _signs(codes, states, present)
        w, measured = self._weights(rounded=rounded), self.training and not rounded
        sides = signs @ torch.cat([w[name] for name in SIDES]).T
        counts = [self.sizes.near, self.sizes.near, self.sizes.far]
        first, second, third = torch.split(sides, counts, -1)
        near = self._taken(first * second, there, slice(0, self.sizes.near), measured=measured)
        found = torch.cat([self._kept(near), there], -1)
        read = read_sums(found, w["fourth"])
        far = self._taken(third * read, there, slice(self.sizes.near, None), measured=measured)
        return torch.cat([found[..., :-1], self._kept(far), there], -1)

    def integers(self, tag_scale: Tensor, hidden_scale: Tensor) -> ProductWeights:
        scales = self._sign_scales()
        first, second, third = (
            _whole_numbers(whole(getattr(self, name).detach(), scales[name])) for name in SIDES
        )
        fourth = self.read(self.fourth.detach(), self._fourth_scale(scales), near=True).integers
        tags = self.read(self.tags.detach(), tag_scale).integers
        hidden = self.read(self.hidden.detach(), hidden_scale, pooled=True).integers
        return ProductWeights(
            first, second, third, _reading(fourth), _reading(tags), _whole_numbers(hidden)
        )

    def least_most(self, weights: Tensor, *, pooled: bool = False) -> Tensor:
        """The largest weight of near products and of far ones, which are much larger numbers, as
        integers and in units of what reads them: the smaller of the two."""
        unit = self._unit(self._sign_scales())
        parts = _parts(weights.detach(), self.sizes.count, pooled=pooled)
        most = torch.stack([(part[:, :-1] / unit / pool).abs().amax(0) for part, pool in parts])
        near, far = torch.split(most.amax(0), [self.sizes.near, self.sizes.far])
        return torch.minimum(near.max(), far.max())

    def read(
        self, weights: Tensor, scale: Tensor, *, near: bool = False, pooled: bool = False
    ) -> Read:
        """scale: integers per unit of the sums, one or a column [N, 1]. near: the K are the first
        P. pooled: weights are of sums over all tokens, otherwise as `read_sums` has them."""
        count = self.sizes.near if near else self.sizes.count
        unit = self._unit(self._sign_scales(), near=near)
        shift = (self.mean / self.size)[:count]
        parts = _parts(weights, count, pooled=pooled)
        found = [_read(part, scale / pool, unit, shift) for part, pool in parts]
        return Read(*(torch.cat(list(each), -1) for each in zip(*found, strict=True)))

    def _weights(self, *, rounded: bool) -> dict[str, Tensor]:
        sides = {name: getattr(self, name) for name in SIDES}
        if not rounded:
            return sides | {"fourth": self.fourth}
        scales = self._sign_scales()
        fourth = self.read(self.fourth, self._fourth_scale(scales), near=True).real
        sides = {name: whole(side, scales[name]) / scales[name] for name, side in sides.items()}
        return sides | {"fourth": fourth}

    def _sign_scales(self) -> dict[str, Tensor]:
        """Integers per unit of each sum over signs, [., 1]."""
        none = torch.zeros(())
        return {
            name: per_row(getattr(self, name).detach(), none, self.sizes.sign_sum).unsqueeze(-1)
            for name in SIDES
        }

    def _fourth_scale(self, scales: Mapping[str, Tensor]) -> Tensor:
        """[R, 1]."""
        unit, near = self._unit(scales, near=True), self.sizes.near
        parts = _parts(self.fourth.detach(), near, pooled=False)
        read = torch.cat([part[:, :-1] / unit / pool for part, pool in parts], -1)
        return per_row(read, torch.zeros(()), self.sizes.far_sum).unsqueeze(-1)

    def _unit(self, scales: Mapping[str, Tensor], *, near: bool = False) -> Tensor:
        """[P], or [P + R]: what one of a product is in integers, its size taken out."""
        found = (scales["first"] * scales["second"]).squeeze(-1) * self.size[: self.sizes.near]
        if near:
            return found
        far = (scales["third"] * self._fourth_scale(scales)).squeeze(-1)
        return torch.cat([found, far * self.size[self.sizes.near :]])

    def _taken(self, raw: Tensor, there: Tensor, which: slice, *, measured: bool) -> Tensor:
        """Products without mean and size. measured: whether these count for what is taken out."""
        if measured:
            with torch.no_grad():
                found = raw[there.squeeze(-1) > 0]
                share = MOMENTUM if self.measured else 1.0
                self.mean[which].lerp_(found.mean(0), share)
                self.size[which].lerp_(found.std(0) + LEAST, share)
                self.measured = self.measured or which.start > 0
        return (raw - self.mean[which].clone() * there) / self.size[which].clone()

    def _kept(self, found: Tensor) -> Tensor:
        if not self.training:
            return found
        drawn = torch.rand(len(found), 1, found.shape[-1], generator=self.generator)
        return found * (drawn >= self.sizes.dropped) / (1 - self.sizes.dropped)


def read_sums(found: Tensor, weights: Tensor) -> Tensor:
    """What weights [R, 3 K] read of products [N, L, K]: they themselves, and their sums up to each
    token and from it on, in units of `POOLED`. [N, L, R], of which sums are taken behind weights:
    there are fewer of them."""
    each = found @ torch.cat(weights.chunk(3, -1)).T
    here, before, behind = each.chunk(3, -1)
    up_to, from_on = before.cumsum(1), behind.sum(1, keepdim=True) - behind.cumsum(1) + behind
    return here + (up_to + from_on) / POOLED


def _signs(codes: Tensor, states: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """What products read [N, L + 2, .], and whether there is a token [N, L + 2, 1]."""
    length, margin = codes.shape[1], AROUND // 2
    beyond = min(margin, TOKENS - length)
    pad = nn.functional.pad
    there = pad(present, (0, beyond)).unsqueeze(-1)
    around = pad(2 * codes - present.unsqueeze(-1), (0, 0, margin, margin + beyond))
    windows = [around[:, at : at + length + beyond] for at in range(AROUND)]
    signs = (2 * pad(states, (0, 0, 0, beyond)) - 1) * there
    return torch.cat([*windows, signs], -1), there


def _parts(weights: Tensor, count: int, *, pooled: bool) -> Iterator[tuple[Tensor, int]]:
    """Weights of `count` products and a bit, side by side, and what divides what they read."""
    for place, part in enumerate(torch.split(weights, count + 1, -1)):
        yield part, POOLED if pooled or place else 1


def _read(weights: Tensor, scale: Tensor, unit: Tensor, shift: Tensor) -> Read:
    """Of one part. The bit of the token takes the means out."""
    integers = whole(weights[:, :-1], scale / unit)
    real = integers * unit / scale
    out = (real * shift).sum(1, keepdim=True)
    last = whole(weights[:, -1:] - out, scale)
    return Read(torch.cat([integers, last], 1), torch.cat([real, last / scale + out], 1))


def _reading(integers: Tensor) -> Reading:
    return Reading(*(_whole_numbers(part) for part in integers.chunk(3, -1)))


def _whole_numbers(integers: Tensor) -> Weights:
    found: Weights = integers.to(torch.int64).numpy()
    return found


__all__ = ["POOLED", "ProductSizes", "Products", "read_sums"]
