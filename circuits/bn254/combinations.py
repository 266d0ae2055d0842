"""A sum of many points, each times a number: buckets for the digits of each window (Pippenger).

For checks, where points and numbers are public.
"""

from collections.abc import Sequence

from zkagent.circuits.bn254.curve import (
    INFINITY,
    ZERO,
    Jacobian,
    Point,
    Q,
    double,
    plus,
    to_affine,
    to_jacobian,
)

LEAST_BITS, MOST_BITS = 3, 13


def combination(points: Sequence[Point], factors: Sequence[int]) -> Point:
    """The sum of factor * point, for as many factors as points, none below 0."""
    window = min(MOST_BITS, max(LEAST_BITS, len(points).bit_length() - 5))
    pairs = [pair for pair in zip(points, factors, strict=True) if pair[0] != INFINITY]
    highest = max((factor.bit_length() for _, factor in pairs), default=0)
    found = ZERO
    for shift in reversed(range(0, highest, window)):
        for _ in range(window):
            found = double(found)
        found = plus(found, _of_window(pairs, shift, window))
    return to_affine([found])[0]


def _of_window(pairs: Sequence[tuple[Point, int]], shift: int, window: int) -> Jacobian:
    """The sum of digit * point, of the digits at one place."""
    buckets, mask = [ZERO] * (1 << window), (1 << window) - 1
    for point, factor in pairs:
        if digit := factor >> shift & mask:
            buckets[digit] = _plus_affine(buckets[digit], point)
    above = result = ZERO
    for bucket in reversed(buckets[1:]):
        above = plus(above, bucket)
        result = plus(result, above)
    return result


def _plus_affine(one: Jacobian, other: Point) -> Jacobian:
    """madd-2007-bl of the Explicit-Formulas Database; other is not infinity."""
    x1, y1, z1 = one
    if not z1:
        return to_jacobian(other)
    square = z1 * z1 % Q
    h, r = (other[0] * square - x1) % Q, 2 * (other[1] * square * z1 - y1) % Q
    if not h:
        return ZERO if r else double(one)
    hh = h * h % Q
    i = 4 * hh
    j, v = h * i % Q, x1 * i % Q
    x3 = (r * r - j - 2 * v) % Q
    return x3, (r * (v - x3) - 2 * y1 * j) % Q, ((z1 + h) ** 2 - square - hh) % Q


__all__ = ["combination"]
