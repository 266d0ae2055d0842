"""A system of constraints while it grows: wires, what must hold of them, and how they are computed.

Each constraint says a * b = c of three sums. Wires come in batches, so that a witness is computed
by few operations over many numbers; the recipes are in witness.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from zkagent.circuits.groth16.constraints.sums import (
    ONE,
    Sum,
    constant,
    is_wire,
    minus,
    times,
    wire,
)
from zkagent.circuits.groth16.constraints.witness import Digits, Products, Recipe, Rows, Totals

UNIT: Sum = {ONE: 1}
#: What a wire of its own costs, in terms: a prover's work is by wires, its memory by both.
WIRE_TERMS = 32


class Family(StrEnum):
    """What a constraint is for; files do not tell."""

    BIT = "bit"  # b is 0 or 1
    RANGE = "range"  # bits make up a number
    SUM = "sum"  # a wire stands for a sum
    PRODUCT = "product"
    LOOK_UP = "look-up"  # products that find a row of a table
    CHOICE = "choice"  # one of several is selected
    SELECTION = "selection"  # one of two, by a bit
    PACKING = "packing"  # numbers make up a public word
    FOLD = "fold"  # words of outputs make up two public ones


@dataclass(frozen=True, slots=True)
class Constraint:
    """a * b = c."""

    family: Family
    a: Sum
    b: Sum
    c: Sum


@dataclass(frozen=True, slots=True)
class Known:
    """The bits that a number is made of, the lowest first. signed: less the highest one's value, so
    that this is 1 for 0 and more."""

    bits: tuple[int, ...]
    signed: bool


@dataclass
class Constraints:
    """Wire 0 is one, wires 1 to `public` are the public words. wire_terms: from how many terms on
    a wire is worth it."""

    public: int
    wire_terms: int = WIRE_TERMS
    rows: list[Constraint] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)
    wires: int = 0
    _bits: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.wires = self.public + 1

    def new(self, count: int) -> range:
        """Wires of which nothing is known yet."""
        first, self.wires = self.wires, self.wires + count
        return range(first, self.wires)

    def require(self, family: Family, a: Sum, b: Sum, c: Sum) -> None:
        self.rows.append(Constraint(family, a, b, c))

    def equal(self, family: Family, left: Sum, right: Sum) -> None:
        self.require(family, left, UNIT, right)

    def own(self, totals: Sequence[Sum]) -> list[Sum]:
        """A wire for each sum that is none yet."""
        long = [total for total in totals if not is_wire(total)]
        made = self.new(len(long))
        if long:
            self.recipes.append(Totals(made, Rows.of(long)))
        for number, total in zip(made, long, strict=True):
            self.equal(Family.SUM, total, wire(number))
        wires = iter(made)
        return [total if is_wire(total) else wire(next(wires)) for total in totals]

    def written(self, totals: Sequence[Sum], uses: Sequence[int]) -> list[Sum]:
        """The sums, of which those that would be written often and are long have become wires."""
        often = [
            use * len(total) > len(total) + use + self.wire_terms
            for total, use in zip(totals, uses, strict=True)
        ]
        made = iter(self.own([t for t, owned in zip(totals, often, strict=True) if owned]))
        return [next(made) if owned else t for t, owned in zip(totals, often, strict=True)]

    def products(
        self, left: Sequence[Sum], right: Sequence[Sum], family: Family = Family.PRODUCT
    ) -> list[Sum]:
        """One wire and one constraint for each product."""
        if not left:
            return []
        made = self.new(len(left))
        self.recipes.append(Products(made, Rows.of(left), Rows.of(right)))
        for number, a, b in zip(made, left, right, strict=True):
            self.require(family, a, b, wire(number))
        return [wire(number) for number in made]

    def bits(self, wires: range) -> None:
        self._bits.update(wires)
        for number in wires:
            self.require(Family.BIT, wire(number), minus(wire(number), constant(1)), {})

    def digits(self, totals: Sequence[Sum], widths: Sequence[int]) -> list[range]:
        """The bits of each sum, the lowest first; so none can be outside of its width, which is
        64 at most."""
        if not totals:
            return []
        assert max(widths) <= 64
        made = [self.new(width) for width in widths]
        every = range(made[0].start, made[-1].stop)
        source = np.repeat(np.arange(len(totals)), widths)
        place = np.concatenate([np.arange(width) for width in widths])
        self.recipes.append(Digits(every, Rows.of(totals), source, place))
        self.bits(every)
        for total, wires in zip(totals, made, strict=True):
            self.equal(Family.RANGE, number_of(wires), total)
        return made

    def bit_in(self, total: Sum) -> Sum | None:
        """The bit that a sum is, times some factor: whether it is more than 0. None for others."""
        (number, factor), *more = [pair for pair in total.items() if pair[0] != ONE] or [(ONE, 0)]
        offset = total.get(ONE, 0)
        if more or number not in self._bits:
            return None
        if factor > 0 and not offset:
            return wire(number)
        return minus(constant(1), wire(number)) if factor < 0 and offset == -factor else None

    def digits_of(self, total: Sum) -> Known | None:
        """The bits of a sum that is made of nothing else, each times its place's value."""
        places = sorted((factor, number) for number, factor in total.items() if number != ONE)
        bits = tuple(number for _, number in places)
        if [factor for factor, _ in places] != [1 << place for place in range(len(places))]:
            return None
        offset = total.get(ONE, 0)
        if not bits or not self._bits.issuperset(bits) or offset not in (0, -(1 << len(bits) - 1)):
            return None
        return Known(bits, offset != 0)


def number_of(bits: range) -> Sum:
    """What bits stand for, the lowest first."""
    return {number: 1 << place for place, number in enumerate(bits)}


def shifted(total: Sum, offset: int) -> Sum:
    """The sum plus a constant."""
    return minus(total, times(UNIT, -offset))


__all__ = ["Constraint", "Constraints", "Family", "number_of", "shifted"]
