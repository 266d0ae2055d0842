"""Rows of constant tables at computed places: by products of the bits of each place."""

from collections.abc import Sequence
from itertools import chain

from zkagent.circuits.groth16.constraints import Constraints, Family
from zkagent.circuits.groth16.sums import Sum, combined, constant, minus, times, wire
from zkagent.circuits.groth16.tables import Factors, Split, cheapest_split, moebius
from zkagent.circuits.groth16.witness import Looked, Rows, Within
from zkagent.circuits.program.program import Numbers


def look_up(system: Constraints, places: Sequence[Sum], table: Numbers) -> list[list[Sum]]:
    """The table's row at each place. A place outside of the table satisfies nothing."""
    rows = len(table)
    system.recipes.append(Within(Rows.of(places), rows))
    split = cheapest_split(table)
    if not split.bits:
        for place in places:
            system.equal(Family.RANGE, place, {})
        return [[constant(value) for value in table[0].tolist()] for _ in places]
    bits = system.digits(places, [split.bits] * len(places))
    if rows < 1 << split.bits:
        system.digits([minus(constant(rows - 1), p) for p in places], [split.bits] * len(places))
    low = _sets(system, [[wire(bit) for bit in each[: split.low]] for each in bits])
    if not split.columns:
        columns = [moebius(_padded(column, split.bits)) for column in table.T.tolist()]
        return [[_read(column, sets) for column in columns] for sets in low]
    high = _sets(system, [[wire(bit) for bit in each[split.low :]] for each in bits])
    return _by_factors(system, places, table, split, list(zip(high, low, strict=True)))


def one_of(selectors: Sequence[Sum], table: Numbers) -> list[Sum]:
    """A table's row by selectors of which one is 1: no product at all."""
    return [combined(zip(column, selectors, strict=False)) for column in table[: len(selectors)].T]


def _by_factors(
    system: Constraints,
    places: Sequence[Sum],
    table: Numbers,
    split: Split,
    sets: Sequence[tuple[list[Sum], list[Sum]]],
) -> list[list[Sum]]:
    """The result is a wire, which the last product of a column's sum is tied to."""
    count = len(split.columns)
    lefts = [[moebius(f.left[:, i].tolist()) for i in range(f.rank)] for f in split.columns]
    rights = [[moebius(f.right[i].tolist()) for i in range(f.rank)] for f in split.columns]
    made = system.new(len(places) * count)
    system.recipes.append(Looked(made, Rows.of(places), table))
    for at, (high, low) in enumerate(sets):
        pairs = [
            [(_read(u, high), _read(v, low)) for u, v in zip(us, vs, strict=True)]
            for us, vs in zip(lefts, rights, strict=True)
        ]
        first = [pair for column in pairs for pair in column[:-1]]
        products = iter(
            system.products([a for a, _ in first], [b for _, b in first], Family.LOOK_UP)
        )
        for number, (column, factors) in enumerate(zip(pairs, split.columns, strict=True)):
            others = [next(products) for _ in column[:-1]]
            _tie(system, column, factors, others, made[at * count + number])
    return [[wire(made[at * count + c]) for c in range(count)] for at in range(len(places))]


def _tie(
    system: Constraints,
    pairs: Sequence[tuple[Sum, Sum]],
    factors: Factors,
    others: Sequence[Sum],
    result: int,
) -> None:
    """factor * result = the last product and all others. A column of zeros has none."""
    if not pairs:
        system.equal(Family.LOOK_UP, wire(result), {})
        return
    rest = minus(times(wire(result), factors.factor), combined((1, other) for other in others))
    system.require(Family.LOOK_UP, *pairs[-1], rest)


def _sets(system: Constraints, indices: Sequence[Sequence[Sum]]) -> list[list[Sum]]:
    """For each index: the products of all sets of its bits, by set as a mask."""
    found: list[list[Sum]] = [[constant(1)] for _ in indices]
    for place in range(len(indices[0])):
        bits = [index[place] for index in indices]
        left = list(chain.from_iterable(sets[1:] for sets in found))
        right = [bit for bit, sets in zip(bits, found, strict=True) for _ in sets[1:]]
        made = iter(system.products(left, right, Family.LOOK_UP))
        for bit, sets in zip(bits, found, strict=True):
            sets += [bit, *(next(made) for _ in sets[1:])]
    return found


def _read(coefficients: Sequence[int], sets: Sequence[Sum]) -> Sum:
    return combined(zip(coefficients, sets, strict=True))


def _padded(column: list[int], bits: int) -> list[int]:
    return column + [0] * ((1 << bits) - len(column))


__all__ = ["look_up", "one_of"]
