"""Rows of constant tables at computed places: by products of the bits of each place."""

from collections.abc import Sequence
from itertools import chain

from zkagent.circuits.groth16.constraints.sums import (
    Sum,
    combined,
    constant,
    minus,
    plus,
    times,
    wire,
)
from zkagent.circuits.groth16.constraints.tables import Factors, Split, cheapest_split, moebius
from zkagent.circuits.groth16.constraints.wires import UNIT, Constraints, Family, Known
from zkagent.circuits.groth16.constraints.witness import Looked, Rows, Within
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
    bits = [[wire(bit) for bit in each] for each in _bits(system, places, split.bits)]
    if not split.columns:
        low = _sets(system, bits, split.last)
        _bound(system, low, split.last)
        columns = [moebius(_padded(column, split.bits)) for column in table.T.tolist()]
        return [[_read(column, sets) for column in columns] for sets in low]
    high = _sets(system, [each[split.low :] for each in bits], split.last >> split.low)
    low = _sets(system, [each[: split.low] for each in bits], (1 << split.low) - 1)
    _bound(system, high, split.last >> split.low)
    _bound_last(system, high, low, split)
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


def _bits(system: Constraints, places: Sequence[Sum], width: int) -> list[list[int]]:
    """The lowest `width` bits of each place, which has no others: those that it is made of, where
    it is, or new ones."""
    known = [system.digits_of(place) for place in places]
    fresh = [p for p, found in zip(places, known, strict=True) if not _usable(found, width)]
    made = iter(system.digits(fresh, [width] * len(fresh)))
    bits = []
    for found in known:
        if not _usable(found, width):
            bits.append(list(next(made)))
            continue
        assert found
        above = combined((1, wire(bit)) for bit in found.bits[width:])
        if found.signed:  # the highest bit is 1 where the number is not negative
            sign = wire(found.bits[-1])
            above = plus(minus(above, sign), minus(UNIT, sign))
        system.equal(Family.RANGE, above, {})
        bits.append(list(found.bits[:width]))
    return bits


def _usable(found: Known | None, width: int) -> bool:
    return found is not None and len(found.bits) - found.signed >= width


def _bound(system: Constraints, rows: Sequence[Sequence[Sum]], last: int) -> None:
    """Each number, of which these are the products of sets of bits up to `last`, is `last` at most.

    A larger one has all bits of `last` down to some place where it has a 1 more. For each run of
    places with a 0: the product of last's bits above it, times the sum of the run's, is 0.
    """
    for sets in rows:
        above, run = 0, 0
        for place in reversed(range(-1, last.bit_length())):
            if place >= 0 and not last >> place & 1:
                run |= 1 << place
                continue
            if run:
                zeros = combined(
                    (1, sets[1 << bit]) for bit in range(run.bit_length()) if run >> bit & 1
                )
                system.require(Family.RANGE, sets[above], zeros, {})
            above, run = above | (1 << place if place >= 0 else 0), 0


def _bound_last(
    system: Constraints, highs: Sequence[list[Sum]], lows: Sequence[list[Sum]], split: Split
) -> None:
    """Where the high half is that of the last row, which is the largest there is, the low half is
    no larger than the last row's."""
    last = split.last & ((1 << split.low) - 1)
    size = 1 << split.low
    beyond = moebius([int(low > last) for low in range(size)])
    if any(beyond):
        for high, low in zip(highs, lows, strict=True):
            system.require(Family.RANGE, high[split.last >> split.low], _read(beyond, low), {})


def _sets(system: Constraints, indices: Sequence[Sequence[Sum]], last: int) -> list[list[Sum]]:
    """For each index: the products of sets of its bits, by set as a mask, up to `last`: those
    beyond are 0 for every index up to `last`."""
    found: list[list[Sum]] = [[constant(1)] for _ in indices]
    for place in range(last.bit_length()):
        bits = [index[place] for index in indices]
        count = min(1 << place, last + 1 - (1 << place))
        left = list(chain.from_iterable(sets[1:count] for sets in found))
        right = [bit for bit, sets in zip(bits, found, strict=True) for _ in sets[1:count]]
        made = iter(system.products(left, right, Family.LOOK_UP))
        for bit, sets in zip(bits, found, strict=True):
            sets += [bit, *(next(made) for _ in sets[1:count])]
    return found


def _read(coefficients: Sequence[int], sets: Sequence[Sum]) -> Sum:
    return combined(zip(coefficients, sets, strict=False))


def _padded(column: list[int], bits: int) -> list[int]:
    return column + [0] * ((1 << bits) - len(column))


__all__ = ["look_up", "one_of"]
