"""Values of all wires for an x, by a list of recipes in the order in which wires were made.

Numbers are int64 and wrap around: whatever passes 2^63 on the way, a sum that fits is right in the
end, and the compiler has bounds for all. Only public words are longer, and what folds them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self, get_args

import numpy as np
import numpy.typing as npt

from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.groth16.constraints.sums import ONE, Sum
from zkagent.circuits.program.program import Numbers

Values = npt.NDArray[np.int64]
WORD = 1 << 64


@dataclass
class Witness:
    """values[wire], or of long numbers large[wire], below the field's order.

    point: where outputs are folded, of their words. outputs: those words.
    """

    values: Values
    large: dict[int, int]
    point: Callable[[Sequence[int]], int]
    outputs: tuple[int, ...] = ()

    def __getitem__(self, wire: int) -> int:
        found = self.large.get(wire)
        return int(self.values[wire]) % R if found is None else found

    def elements(self) -> list[int]:
        """One field element for each wire."""
        found = [value % R for value in self.values.tolist()]
        for wire, element in self.large.items():
            found[wire] = element
        return found

    def total(self, terms: Sum) -> int:
        return sum(factor * self[wire] for wire, factor in terms.items()) % R


@dataclass(frozen=True)
class Rows:
    """Sums as arrays: row i has the terms from starts[i] on."""

    starts: Values
    wires: Values
    coefficients: Values

    @classmethod
    def of(cls, totals: Sequence[Sum]) -> Self:
        """An empty sum is 0 times one: `reduceat` knows none."""
        filled = [total or {ONE: 0} for total in totals]
        lengths = np.array([0, *(len(total) for total in filled)])
        wires = np.fromiter((w for total in filled for w in total), dtype=np.int64)
        factors = np.fromiter((_wrapped(c) for t in filled for c in t.values()), dtype=np.int64)
        return cls(np.cumsum(lengths)[:-1], wires, factors)

    def on(self, values: Values) -> Values:
        terms = values[self.wires] * self.coefficients
        return np.asarray(np.add.reduceat(terms, self.starts), dtype=np.int64)


@dataclass(frozen=True)
class Totals:
    """A wire for each row."""

    wires: range
    rows: Rows

    def fill(self, witness: Witness, x: Values) -> None:
        witness.values[_slice(self.wires)] = self.rows.on(witness.values)


@dataclass(frozen=True)
class Products:
    """A wire for each pair of rows."""

    wires: range
    left: Rows
    right: Rows

    def fill(self, witness: Witness, x: Values) -> None:
        values = witness.values
        values[_slice(self.wires)] = self.left.on(values) * self.right.on(values)


@dataclass(frozen=True)
class Selected:
    """Wire i is row i of `yes` or `no`, by whether that of `chosen` is 1 or 0."""

    wires: range
    chosen: Rows
    yes: Rows
    no: Rows

    def fill(self, witness: Witness, x: Values) -> None:
        values = witness.values
        chosen, yes, no = (rows.on(values) for rows in (self.chosen, self.yes, self.no))
        values[_slice(self.wires)] = no + chosen * (yes - no)


@dataclass(frozen=True)
class Digits:
    """Wire i is bit place[i] of row source[i], which is not negative."""

    wires: range
    rows: Rows
    source: Values
    place: Values

    def fill(self, witness: Witness, x: Values) -> None:
        numbers = self.rows.on(witness.values).view(np.uint64)[self.source]
        bits = numbers >> self.place.astype(np.uint64) & np.uint64(1)
        witness.values[_slice(self.wires)] = bits.view(np.int64)


@dataclass(frozen=True)
class Features:
    """The bits of each x plus offset, the lowest first."""

    wires: range
    bits: int

    def fill(self, witness: Witness, x: Values) -> None:
        numbers = x + (1 << (self.bits - 1))
        bits = numbers[:, None] >> np.arange(self.bits) & 1
        witness.values[_slice(self.wires)] = bits.ravel()


@dataclass(frozen=True)
class Within:
    """Refuses an x that leads a row out of [0, size): no witness would satisfy that."""

    rows: Rows
    size: int

    def fill(self, witness: Witness, x: Values) -> None:
        found = self.rows.on(witness.values)
        if found.min() < 0 or found.max() >= self.size:
            raise InputRefused(
                f"x leads a look-up to places {found.min()} to {found.max()}, its table has "
                f"{self.size} rows"
            )


@dataclass(frozen=True)
class Looked:
    """Wires are rows of the table, one behind the other."""

    wires: range
    rows: Rows
    table: Numbers

    def fill(self, witness: Witness, x: Values) -> None:
        found = self.table[self.rows.on(witness.values)].astype(np.int64)
        witness.values[_slice(self.wires)] = found.ravel()


@dataclass(frozen=True)
class Chosen:
    """Of each `size` rows, one behind the other: a wire that is 1 for the first of the largest."""

    wires: range
    rows: Rows
    size: int

    def fill(self, witness: Witness, x: Values) -> None:
        found = self.rows.on(witness.values).reshape(-1, self.size)
        chosen = np.arange(self.size) == np.argmax(found, axis=1)[:, None]
        witness.values[_slice(self.wires)] = chosen.ravel()


@dataclass(frozen=True)
class Words:
    """Public words of features, which are longer than 64 bits: wire i is totals[i]."""

    wires: range
    totals: tuple[Sum, ...]

    def fill(self, witness: Witness, x: Values) -> None:
        for wire, total in zip(self.wires, self.totals, strict=True):
            witness.large[wire] = witness.total(total)


@dataclass(frozen=True)
class Outputs:
    """Public words of outputs: wire i is totals[i]."""

    wires: range
    totals: tuple[Sum, ...]

    def fill(self, witness: Witness, x: Values) -> None:
        witness.outputs = tuple(witness.total(total) for total in self.totals)
        witness.large.update(zip(self.wires, witness.outputs, strict=True))


@dataclass(frozen=True)
class Folded:
    """Two public words, the point and the fold of totals there; inner wires are the polynomial's
    values on the way, the first coefficient left out."""

    wires: range
    inner: range
    totals: tuple[Sum, ...]

    def fill(self, witness: Witness, x: Values) -> None:
        witness.outputs = tuple(witness.total(total) for total in self.totals)
        at, (first, *rest) = witness.point(witness.outputs), witness.outputs
        point, fold = self.wires
        witness.large[point] = at
        for wire, word in zip((*self.inner, fold), rest, strict=True):
            first = witness.large[wire] = (first * at + word) % R


#: Fills in some wires from x and earlier ones.
Recipe = (
    Totals
    | Products
    | Selected
    | Digits
    | Features
    | Within
    | Looked
    | Chosen
    | Words
    | Outputs
    | Folded
)
RECIPES = {kind.__name__: kind for kind in get_args(Recipe)}


def compute(
    recipes: Sequence[Recipe], wires: int, x: Values, point: Callable[[Sequence[int]], int]
) -> Witness:
    witness = Witness(np.zeros(wires, dtype=np.int64), {}, point)
    witness.values[ONE] = 1
    for recipe in recipes:
        recipe.fill(witness, x)
    return witness


def _slice(wires: range) -> slice:
    return slice(wires.start, wires.stop)


def _wrapped(coefficient: int) -> int:
    """The same number modulo 2^64, as an int64 has it."""
    return (coefficient + (WORD >> 1)) % WORD - (WORD >> 1)


__all__ = ["RECIPES", "Chosen", "Digits", "Features", "Folded", "Looked", "Outputs", "Products"]
__all__ += ["Recipe", "Rows", "Selected", "Totals", "Values", "Within", "Witness", "Words"]
__all__ += ["compute"]
