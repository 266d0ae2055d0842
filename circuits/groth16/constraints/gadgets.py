"""What is made of bits: signs, the positive part, the larger of two, one of two."""

from collections.abc import Sequence

from zkagent.circuits.groth16.constraints.sums import Sum, constant, minus, plus, wire
from zkagent.circuits.groth16.constraints.wires import Constraints, Family, number_of, shifted
from zkagent.circuits.groth16.constraints.witness import Rows, Selected

MOST_BITS = 63  # of a magnitude: with its sign, a number has 64 bits in a witness


def signed_digits(
    system: Constraints, totals: Sequence[Sum], bounds: Sequence[int]
) -> list[tuple[Sum, Sum]]:
    """For each number of at most this magnitude: whether it is 0 or more, as 1 or 0, and the number
    again as a sum of bits."""
    places = [bound.bit_length() for bound in bounds]
    assert max(places, default=0) <= MOST_BITS
    lifted = [shifted(t, 1 << place) for t, place in zip(totals, places, strict=True)]
    digits = system.digits(lifted, [place + 1 for place in places])
    return [
        (wire(bits[-1]), shifted(number_of(bits), -(1 << place)))
        for bits, place in zip(digits, places, strict=True)
    ]


def positive(system: Constraints, totals: Sequence[Sum], bounds: Sequence[int]) -> list[Sum]:
    """max(t, 0): the sign's bit times t."""
    once = system.written(totals, [2] * len(totals))
    signs = [sign for sign, _ in signed_digits(system, once, bounds)]
    return system.products(once, signs)


def signs(system: Constraints, totals: Sequence[Sum], ends: Sequence[tuple[int, int]]) -> list[Sum]:
    """Whether each number, between these ends, is more than 0: the highest bit of one less and a
    power of two, which holds all that it can be."""
    open_ = [at for at, (least, most) in enumerate(ends) if least <= 0 < most]
    places = [max(-ends[at][0], ends[at][1] - 1).bit_length() for at in open_]
    assert max(places, default=0) <= MOST_BITS
    lifted = [shifted(totals[at], (1 << p) - 1) for at, p in zip(open_, places, strict=True)]
    digits = system.digits(lifted, [place + 1 for place in places])
    found = {at: wire(bits[-1]) for at, bits in zip(open_, digits, strict=True)}
    return [found.get(at, constant(int(least > 0))) for at, (least, _) in enumerate(ends)]


def select(
    system: Constraints, chosen: Sequence[Sum], yes: Sequence[Sum], no: Sequence[Sum]
) -> list[Sum]:
    """`yes` where `chosen`, which is a bit, is 1, and `no` where it is 0: one wire and one
    constraint for each, so that what is selected from again and again stays short."""
    if not chosen:
        return []
    made = system.new(len(chosen))
    system.recipes.append(Selected(made, Rows.of(chosen), Rows.of(yes), Rows.of(no)))
    for number, bit, a, b in zip(made, chosen, yes, no, strict=True):
        system.require(Family.SELECTION, bit, minus(a, b), minus(wire(number), b))
    return [wire(number) for number in made]


def larger(
    system: Constraints, left: Sequence[Sum], right: Sequence[Sum], bounds: Sequence[int]
) -> list[Sum]:
    """max(l, r). bounds: of the difference."""
    differences = [minus(a, b) for a, b in zip(left, right, strict=True)]
    above = positive(system, differences, bounds)
    return [plus(b, more) for b, more in zip(right, above, strict=True)]


__all__ = ["MOST_BITS", "larger", "positive", "select", "signed_digits", "signs"]
