"""What is made of bits: signs, the positive part, the larger of two."""

from collections.abc import Sequence

from zkagent.circuits.groth16.constraints.sums import Sum, minus, plus, wire
from zkagent.circuits.groth16.constraints.wires import Constraints, number_of, shifted

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


def larger(
    system: Constraints, left: Sequence[Sum], right: Sequence[Sum], bounds: Sequence[int]
) -> list[Sum]:
    """max(l, r). bounds: of the difference."""
    differences = [minus(a, b) for a, b in zip(left, right, strict=True)]
    above = positive(system, differences, bounds)
    return [plus(b, more) for b, more in zip(right, above, strict=True)]


__all__ = ["MOST_BITS", "larger", "positive", "signed_digits"]
