"""Multiples of the generators at once: the same as one by one."""

import random

from zkagent.circuits.bn254.curve import GENERATOR, INFINITY, multiply
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import (
    GENERATOR_G2,
    multiples_g1,
    multiples_g2,
    on_curve_g2,
)

EDGES = [0, 1, 2, 255, 256, 257, 128 << 8, R - 1, R - 2, R, R + 5]


def scalars() -> list[int]:
    generator = random.Random(3)
    return [*EDGES, *(generator.randrange(R) for _ in range(20))]


def test_multiples_in_g1_are_those_of_the_other_arithmetic() -> None:
    for scalar, point in zip(scalars(), multiples_g1(scalars()), strict=True):
        assert (point or INFINITY) == multiply(GENERATOR, scalar)


def test_multiples_in_g2_lie_on_the_curve_and_add_up() -> None:
    found = multiples_g2(scalars())
    assert found[0] is None
    assert found[1] == GENERATOR_G2
    assert all(on_curve_g2(point) for point in found if point)
    (minus,) = multiples_g2([R - 1])
    assert minus is not None
    assert minus[0] == GENERATOR_G2[0]
    assert minus[1] != GENERATOR_G2[1]


def test_points_off_the_curve_are_told() -> None:
    x, (y0, y1) = GENERATOR_G2
    assert on_curve_g2(GENERATOR_G2)
    assert not on_curve_g2((x, (y1, y0)))
    assert not on_curve_g2((x, (y0 + 1, y1)))
    assert not on_curve_g2(((0, 0), (0, 0)))
