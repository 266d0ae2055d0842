"""Arithmetic in G1 of BN254: y^2 = x^3 + 3 over the base field Q, group order R.

Plain Python integers in Jacobian coordinates (formulas add-2007-bl and dbl-2009-l of the Explicit-
Formulas Database): for set-up files and for the attacks that the tests mount, never for secrets.
"""

from collections.abc import Sequence

from zkagent.circuits.bn254.field import R

Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583
Point = tuple[int, int]  # affine; INFINITY is (0, 0), as the EVM's precompiles have it
Jacobian = tuple[int, int, int]  # x = X / Z^2, y = Y / Z^3; Z = 0 is infinity

INFINITY: Point = (0, 0)
GENERATOR: Point = (1, 2)
ZERO: Jacobian = (1, 1, 0)
WINDOW_BITS = 4


def on_curve(point: Point) -> bool:
    """Whether an affine point satisfies the equation with canonical coordinates."""
    x, y = point
    return x < Q and y < Q and (y * y - x * x * x - 3) % Q == 0


def multiply(point: Point, scalar: int) -> Point:
    """scalar * point."""
    return to_affine([times(to_jacobian(point), scalar % R)])[0]


def add(one: Point, other: Point) -> Point:
    return to_affine([plus(to_jacobian(one), to_jacobian(other))])[0]


def total(points: Sequence[Point]) -> Point:
    """The sum of all points."""
    result = ZERO
    for point in points:
        result = plus(result, to_jacobian(point))
    return to_affine([result])[0]


def to_jacobian(point: Point) -> Jacobian:
    return ZERO if point == INFINITY else (point[0], point[1], 1)


def to_affine(points: Sequence[Jacobian]) -> list[Point]:
    """All points with a single inversion (Montgomery's trick)."""
    products = [1]
    for _, _, z in points:
        products.append(products[-1] * (z or 1) % Q)
    inverse = pow(products[-1], -1, Q)
    affine = []
    for (x, y, z), product in zip(reversed(points), reversed(products[:-1]), strict=True):
        z_inverse = inverse * product % Q
        inverse = inverse * (z or 1) % Q
        square = z_inverse * z_inverse % Q
        affine.append((x * square % Q, y * square * z_inverse % Q) if z else INFINITY)
    return affine[::-1]


def negate(point: Jacobian) -> Jacobian:
    return point[0], -point[1] % Q, point[2]


def double(point: Jacobian) -> Jacobian:
    x, y, z = point
    a, b = x * x % Q, y * y % Q
    c = b * b % Q
    d = 2 * ((x + b) ** 2 - a - c) % Q
    e = 3 * a
    x3 = (e * e - 2 * d) % Q
    return x3, (e * (d - x3) - 8 * c) % Q, 2 * y * z % Q


def plus(one: Jacobian, other: Jacobian) -> Jacobian:
    if not one[2] or not other[2]:
        return one if one[2] else other
    (x1, y1, z1), (x2, y2, z2) = one, other
    zz1, zz2 = z1 * z1 % Q, z2 * z2 % Q
    u1, u2 = x1 * zz2 % Q, x2 * zz1 % Q
    s1, s2 = y1 * z2 * zz2 % Q, y2 * z1 * zz1 % Q
    if u1 == u2:
        return double(one) if s1 == s2 else ZERO
    h, r = u2 - u1, 2 * (s2 - s1)
    i = 4 * h * h % Q
    j, v = h * i % Q, u1 * i % Q
    x3 = (r * r - j - 2 * v) % Q
    return x3, (r * (v - x3) - 2 * s1 * j) % Q, ((z1 + z2) ** 2 - zz1 - zz2) * h % Q


def times(point: Jacobian, scalar: int) -> Jacobian:
    """scalar * point by windows of four bits; scalar in [0, R)."""
    multiples = [ZERO, point]
    while len(multiples) < 1 << WINDOW_BITS:
        multiples.append(plus(multiples[-1], point))
    result = ZERO
    for shift in reversed(range(0, scalar.bit_length(), WINDOW_BITS)):
        for _ in range(WINDOW_BITS):
            result = double(result)
        result = plus(result, multiples[scalar >> shift & (1 << WINDOW_BITS) - 1])
    return result


__all__ = ["GENERATOR", "INFINITY", "Jacobian", "Point", "Q", "add", "multiply", "negate"]
__all__ += ["on_curve", "plus", "times", "to_affine", "to_jacobian", "total"]
