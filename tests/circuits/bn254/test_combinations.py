"""Sums of many multiples, by what single multiplications give."""

from random import Random

import pytest

from zkagent.circuits.bn254.combinations import combination
from zkagent.circuits.bn254.curve import GENERATOR, INFINITY, Q, multiply, total
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import multiples_g1

OPPOSITE = (1, Q - 2)


@pytest.mark.parametrize("count", [0, 1, 2, 31, 300])
@pytest.mark.parametrize("bits", [1, 7, 128, 256])
def test_it_is_the_sum_of_all_multiples(count: int, bits: int) -> None:
    random = Random(count * bits)
    scalars = [random.randrange(R) for _ in range(count)]
    factors = [random.getrandbits(bits) for _ in range(count)]
    points = [point or INFINITY for point in multiples_g1(scalars)]
    expected = sum(one * other for one, other in zip(scalars, factors, strict=True))
    assert combination(points, factors) == multiply(GENERATOR, expected)


@pytest.mark.parametrize(
    ("points", "factors"),
    [
        ([GENERATOR, GENERATOR], [5, 5]),
        ([GENERATOR, OPPOSITE], [5, 5]),
        ([GENERATOR, OPPOSITE, GENERATOR], [9, 9, 9]),
        ([INFINITY, GENERATOR, INFINITY], [3, 2**128 - 1, 7]),
        ([INFINITY, INFINITY], [1, 2]),
        ([GENERATOR, multiply(GENERATOR, 2)], [2, 1]),
        ([GENERATOR, OPPOSITE], [0, 0]),
        ([GENERATOR], [R]),
    ],
)
def test_points_that_meet_and_infinity_are_added(
    points: list[tuple[int, int]], factors: list[int]
) -> None:
    """All fall into the same bucket, or cancel."""
    each = [multiply(point, factor) for point, factor in zip(points, factors, strict=True)]
    assert combination(points, factors) == total(each)


def test_as_many_factors_are_taken_as_points() -> None:
    with pytest.raises(ValueError, match="zip"):
        combination([GENERATOR], [1, 2])
