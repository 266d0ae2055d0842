"""Products of pairings by small multiples of the generators: they cancel where the numbers do."""

import pytest

from zkagent.circuits.bn254.curve import GENERATOR, INFINITY, Point, Q, multiply
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import GENERATOR_G2, PointG2, multiples_g2
from zkagent.circuits.bn254.pairing import U, in_subgroup, pairings_cancel


def pairs(numbers: list[tuple[int, int]]) -> list[tuple[Point, PointG2]]:
    others = [point for point in multiples_g2([b for _, b in numbers]) if point]
    return [(multiply(GENERATOR, a), b) for (a, _), b in zip(numbers, others, strict=True)]


def test_the_curve_is_the_one_of_its_parameter() -> None:
    assert 36 * U**4 + 36 * U**3 + 24 * U**2 + 6 * U + 1 == Q
    assert 36 * U**4 + 36 * U**3 + 18 * U**2 + 6 * U + 1 == R


@pytest.mark.parametrize(
    ("numbers", "cancel"),
    [
        ([(6, 5), (-30, 1)], True),
        ([(6, 5), (-31, 1)], False),
        ([(7, 11), (3, 13), (-4, 5), (-96, 1)], True),
        ([(7, 11), (3, 13), (-4, 5), (-96, 2)], False),
        ([(R - 1, R - 1), (-1, 1)], True),
        ([(1, 1)], False),
        ([], True),
    ],
)
def test_pairings_cancel_where_products_of_numbers_do(
    numbers: list[tuple[int, int]], cancel: bool
) -> None:
    assert pairings_cancel(pairs(numbers)) is cancel


def test_infinity_pairs_to_one() -> None:
    assert pairings_cancel([(INFINITY, GENERATOR_G2)])
    assert not pairings_cancel([(INFINITY, GENERATOR_G2), (GENERATOR, GENERATOR_G2)])


def outside() -> PointG2:
    """A point on the curve of G2 that is not in the subgroup: the first x with a root will do."""

    def times(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        return (a[0] * b[0] - a[1] * b[1]) % Q, (a[0] * b[1] + a[1] * b[0]) % Q

    def root(number: int) -> int | None:
        found = pow(number, (Q + 1) // 4, Q)
        return found if found * found % Q == number % Q else None

    inverse = pow(82, -1, Q)
    twist = 3 * 9 * inverse % Q, -3 * inverse % Q
    for x in range(1, 100):
        cube = times(times((x, 1), (x, 1)), (x, 1))
        real, imaginary = (cube[0] + twist[0]) % Q, (cube[1] + twist[1]) % Q
        norm = root(real * real + imaginary * imaginary)
        for sign in (1, -1):
            half = root((real + sign * norm) * pow(2, -1, Q)) if norm is not None else None
            if half:
                return (x, 1), (half, imaginary * pow(2 * half, -1, Q) % Q)
    raise AssertionError


def test_points_outside_of_the_subgroup_are_refused() -> None:
    (x0, x1), y = GENERATOR_G2
    assert in_subgroup(GENERATOR_G2)
    assert not in_subgroup(((x0 + 1, x1), y))
    assert not in_subgroup(((0, 0), (0, 0)))
    assert not in_subgroup(outside())
    with pytest.raises(ValueError, match="not in its subgroup"):
        pairings_cancel([(GENERATOR, outside())])


def test_points_off_the_curve_are_refused() -> None:
    with pytest.raises(ValueError, match="not on its curve"):
        pairings_cancel([((1, 3), GENERATOR_G2)])
    with pytest.raises(ValueError, match="not on its curve"):
        pairings_cancel([((1, 2 + Q), GENERATOR_G2)])
