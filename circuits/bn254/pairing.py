"""Whether a product of pairings is 1: what the EVM's precompile at address 8 says.

For verdicts without a prover's library; plain Python integers, some hundredths of a second. The ate
pairing (Hess, Smart, Vercauteren, "The Eta Pairing Revisited", 2006) of trace - 1 = 6 u^2, whose
loop needs no Frobenius map. Elements of the field of order Q^12 are sums of a_i w^i, i from 0 to 5,
with w^6 = 9 + i: real and imaginary parts of the a_i in two rows. Lines leave out what lies in the
field of order Q^6, where only the odd a_i are 0: after the power of (Q^6 + 1) / R, an element that
the full exponent takes to 1 lies in there, and no other does.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from zkagent.circuits.bn254.curve import INFINITY, Point, Q, on_curve
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import INFINITY_G2, Complex, PointG2, on_curve_g2

U = 4965661367192848881
LOOP = 6 * U * U
EXPONENT = (Q**6 + 1) // R
Row = tuple[int, ...]
Element = tuple[Row, Row]
ONE: Element = ((1, 0, 0, 0, 0, 0), (0,) * 6)


def pairings_cancel(pairs: Sequence[tuple[Point, PointG2]]) -> bool:
    """Whether the product of all pairings is 1. Raises ValueError for points that are not on their
    curves, and of G2 for those outside of the subgroup; zeros are infinity (EIP-197)."""
    for point, other in pairs:
        if not (point == INFINITY or on_curve(point)):
            raise ValueError("a point is not on its curve")
        if not (other == INFINITY_G2 or in_subgroup(other)):
            raise ValueError("a point of G2 is not in its subgroup")
    value, steps = ONE, [_lines(*pair) for pair in pairs if is_finite(pair)]
    for bit in bin(LOOP)[3:]:
        value = _multiply(value, value)
        for lines in steps:
            value = _multiply(value, next(lines))
            if bit == "1":
                value = _multiply(value, next(lines))
    return value != ((0,) * 6, (0,) * 6) and not any(
        part[place] for part in _power(value, EXPONENT) for place in (1, 3, 5)
    )


def is_finite(pair: tuple[Point, PointG2]) -> bool:
    return pair[0] != INFINITY and pair[1] != INFINITY_G2


@lru_cache(maxsize=64)  # those of a key come with each proof
def in_subgroup(point: PointG2) -> bool:
    """Whether the point is on the curve and R times it is infinity, which it is not itself."""
    if not on_curve_g2(point):
        return False
    total = point
    try:
        for bit in bin(R - 1)[3:]:
            total, _ = _sum(total, total)
            if bit == "1":
                total, _ = _sum(total, point)
    except ValueError:  # infinity on the way, which no multiple below R is
        return False
    x, (y0, y1) = point
    return total == (x, (-y0 % Q, -y1 % Q))


def _lines(point: Point, other: PointG2) -> Iterator[Element]:
    """Each line of the loop over the point of G2, at the point of G1."""
    total = other
    for bit in bin(LOOP)[3:]:
        doubled, slope = _sum(total, total)
        yield _line(point, total, slope)
        total = doubled
        if bit == "1":
            added, slope = _sum(total, other)
            yield _line(point, total, slope)
            total = added


def _line(point: Point, through: PointG2, slope: Complex) -> Element:
    """y_P - slope x_P w + (slope x_T - y_T) w^3."""
    (x, y), ((x0, x1), (y0, y1)), (s0, s1) = point, through, slope
    real = (s0 * x0 - s1 * x1 - y0) % Q
    imaginary = (s0 * x1 + s1 * x0 - y1) % Q
    return (y, -s0 * x % Q, 0, real, 0, 0), (0, -s1 * x % Q, 0, imaginary, 0, 0)


def _sum(one: PointG2, other: PointG2) -> tuple[PointG2, Complex]:
    """The sum, and the slope of the line through both. Raises ValueError for infinity."""
    (a0, a1), (b0, b1) = one
    (c0, c1), (d0, d1) = other
    if one == other:
        up, right = (3 * (a0 + a1) * (a0 - a1), 6 * a0 * a1), (2 * b0, 2 * b1)
    else:
        up, right = (d0 - b0, d1 - b1), (c0 - a0, c1 - a1)
    norm = pow(right[0] * right[0] + right[1] * right[1], -1, Q)
    s0 = (up[0] * right[0] + up[1] * right[1]) * norm % Q
    s1 = (up[1] * right[0] - up[0] * right[1]) * norm % Q
    x0, x1 = ((s0 + s1) * (s0 - s1) - a0 - c0) % Q, (2 * s0 * s1 - a1 - c1) % Q
    y0 = (s0 * (a0 - x0) - s1 * (a1 - x1) - b0) % Q
    y1 = (s0 * (a1 - x1) + s1 * (a0 - x0) - b1) % Q
    return ((x0, x1), (y0, y1)), (s0, s1)


def _power(value: Element, exponent: int) -> Element:
    """By windows of four bits."""
    powers = [ONE]
    while len(powers) < 16:
        powers.append(_multiply(powers[-1], value))
    result = ONE
    for digit in f"{exponent:x}":
        for _ in range(4):
            result = _multiply(result, result)
        result = _multiply(result, powers[int(digit, 16)])
    return result


def _multiply(one: Element, other: Element) -> Element:
    (a, b), (c, d) = one, other
    low, high = _product(a, c), _product(b, d)
    mixed = _product(_added(a, b), _added(c, d))
    real = [x - y for x, y in zip(low, high, strict=True)]
    imaginary = [m - x - y for m, x, y in zip(mixed, low, high, strict=True)]
    real.append(0)
    imaginary.append(0)
    return (
        tuple((real[k] + 9 * real[k + 6] - imaginary[k + 6]) % Q for k in range(6)),
        tuple((imaginary[k] + 9 * imaginary[k + 6] + real[k + 6]) % Q for k in range(6)),
    )


def _added(one: Row, other: Row) -> Row:
    return tuple(x + y for x, y in zip(one, other, strict=True))


def _product(one: Row, other: Row) -> list[int]:
    """Of polynomials with six coefficients, the lowest first."""
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return [
        a * p,
        a * q + b * p,
        a * r + b * q + c * p,
        a * s + b * r + c * q + d * p,
        a * t + b * s + c * r + d * q + e * p,
        a * u + b * t + c * s + d * r + e * q + f * p,
        b * u + c * t + d * s + e * r + f * q,
        c * u + d * t + e * s + f * r,
        d * u + e * t + f * s,
        e * u + f * t,
        f * u,
    ]


__all__ = ["in_subgroup", "pairings_cancel"]
