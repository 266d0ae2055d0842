"""Which of some numbers is the largest: selectors, one of which is 1, that satisfy nothing else."""

from collections.abc import Sequence

from zkagent.circuits.groth16.constraints.sums import Sum, combined, constant, minus, wire
from zkagent.circuits.groth16.constraints.wires import Constraints, Family
from zkagent.circuits.groth16.constraints.witness import Chosen, Rows


def choose(
    system: Constraints, rows: Sequence[Sequence[Sum]], bounds: Sequence[Sequence[int]]
) -> list[list[Sum]]:
    """For each row of numbers of at most these magnitudes: a selector for each number, 1 for the
    first of the largest.

    The selected number is no less than any other, and more than those before it: the difference,
    less 1 for those, is cut into bits.
    """
    size = len(rows[0])
    made = system.new(len(rows) * size)
    given = [system.written(row, [2] * size) for row in rows]
    system.recipes.append(Chosen(made, Rows.of([n for row in given for n in row]), size))
    system.bits(made)
    found = []
    for at, (row, peaks) in enumerate(zip(given, bounds, strict=True)):
        selectors = [wire(number) for number in made[at * size : (at + 1) * size]]
        system.equal(Family.CHOICE, combined((1, s) for s in selectors), constant(1))
        picked = system.products(row, selectors)
        (largest,) = system.written([combined((1, p) for p in picked)], [size])
        _require_largest(system, row, selectors, largest, peaks)
        found.append(selectors)
    return found


def _require_largest(
    system: Constraints,
    row: Sequence[Sum],
    selectors: Sequence[Sum],
    largest: Sum,
    peaks: Sequence[int],
) -> None:
    later = [combined((1, s) for s in selectors[place + 1 :]) for place in range(len(row))]
    above = [minus(minus(largest, number), after) for number, after in zip(row, later, strict=True)]
    system.digits(above, [(max(peaks) + peak).bit_length() for peak in peaks])


def place_of(selectors: Sequence[Sum]) -> Sum:
    """The number of the one that is selected."""
    return combined(enumerate(selectors))


__all__ = ["choose", "place_of"]
