"""G1 arithmetic against the group's own laws and known values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.circuits.bn254.curve import GENERATOR, INFINITY, Q, add, multiply, on_curve, total
from zkagent.circuits.bn254.field import R

scalars = st.integers(min_value=0, max_value=R - 1)

# 2 * (1, 2), as the precompile at address 6 gives it.
TWICE = (
    1368015179489954701390400359078579693043519447331113978918064868415326638035,
    9918110051302171585080402603319702774565515993150576347155970296011118125764,
)


def test_doubling_gives_the_known_point() -> None:
    assert add(GENERATOR, GENERATOR) == multiply(GENERATOR, 2) == TWICE


@given(scalars, scalars)
def test_multiplication_distributes(a: int, b: int) -> None:
    assert multiply(GENERATOR, a + b) == add(multiply(GENERATOR, a), multiply(GENERATOR, b))


@given(scalars)
def test_multiples_lie_on_the_curve_or_at_infinity(a: int) -> None:
    assert on_curve(multiply(GENERATOR, a)) or a == 0


def test_the_order_and_opposites_give_infinity() -> None:
    opposite = (1, Q - 2)
    assert multiply(GENERATOR, R) == add(GENERATOR, opposite) == INFINITY
    assert multiply(GENERATOR, R - 1) == opposite
    assert total([GENERATOR, INFINITY, opposite, GENERATOR]) == GENERATOR


@pytest.mark.parametrize("point", [(1, 3), (1 + Q, 2), (0, 0)])
def test_points_off_the_curve_or_not_canonical_are_told(point: tuple[int, int]) -> None:
    assert not on_curve(point)
