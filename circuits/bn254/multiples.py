"""Many multiples of the generators of G1 and G2 at once, for set-ups: windows of eight bits, all
points of a window added with a single inversion.

No two points that meet are equal or opposite: what was added before is a multiple below that of the
window. G2 lies over Q[u] / (u^2 + 1), an element being (a, b) for a + b u.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from zkagent.circuits.bn254.curve import GENERATOR, Q
from zkagent.circuits.bn254.field import R

Element = TypeVar("Element")
Complex = tuple[int, int]
PointG1 = tuple[int, int]
PointG2 = tuple[Complex, Complex]

WINDOW_BITS = 8
GENERATOR_G2: PointG2 = (
    (
        10857046999023057135944570762232829481370756359578518086990519993285655852781,
        11559732032986387107991004021392285783925812861821192530917403151452391805634,
    ),
    (
        8495653923123431417604973247489272438418190587263600148770280649306958101930,
        4082367875863433681332203403145435568316851327593401208105741076214120093531,
    ),
)


class _Curve(Generic[Element]):
    """Arithmetic on affine points over a field that is given by four functions."""

    def __init__(
        self,
        multiply: Callable[[Element, Element], Element],
        subtract: Callable[[Element, Element], Element],
        invert: Callable[[Element], Element],
        one: Element,
    ) -> None:
        self.multiply, self.subtract, self.invert, self.one = multiply, subtract, invert, one

    def inverses(self, elements: Sequence[Element]) -> list[Element]:
        """Of all, none of them 0, by Montgomery's trick."""
        products = [self.one]
        for element in elements:
            products.append(self.multiply(products[-1], element))
        inverse, found = self.invert(products[-1]), []
        for element, product in zip(reversed(elements), reversed(products[:-1]), strict=True):
            found.append(self.multiply(inverse, product))
            inverse = self.multiply(inverse, element)
        return found[::-1]

    def sums(
        self,
        left: Sequence[tuple[Element, Element]],
        right: Sequence[tuple[Element, Element]],
    ) -> list[tuple[Element, Element]]:
        """left[i] + right[i], which differ in x."""
        pairs = list(zip(left, right, strict=True))
        inverses = self.inverses([self.subtract(q[0], p[0]) for p, q in pairs])
        return [
            self._through(p, q[0], self.multiply(self.subtract(q[1], p[1]), inverse))
            for (p, q), inverse in zip(pairs, inverses, strict=True)
        ]

    def doubled(self, point: tuple[Element, Element]) -> tuple[Element, Element]:
        x, y = point
        square = self.multiply(x, x)
        zero = self.subtract(x, x)
        minus = self.subtract(self.subtract(self.subtract(zero, square), square), square)
        slope = self.multiply(minus, self.invert(self.subtract(self.subtract(zero, y), y)))
        return self._through(point, x, slope)

    def _through(
        self, point: tuple[Element, Element], x: Element, slope: Element
    ) -> tuple[Element, Element]:
        """The third point of a line, turned around."""
        third = self.subtract(self.subtract(self.multiply(slope, slope), point[0]), x)
        return third, self.subtract(self.multiply(slope, self.subtract(point[0], third)), point[1])

    def multiples(
        self, generator: tuple[Element, Element], scalars: Sequence[int]
    ) -> list[tuple[Element, Element] | None]:
        """scalar * generator for each scalar in [0, R); None is infinity."""
        found: list[tuple[Element, Element] | None] = [None] * len(scalars)
        for window, digits_of in enumerate(self._windows(generator)):
            digits = [scalar >> (WINDOW_BITS * window) & 255 for scalar in scalars]
            known = [(i, point) for i, digit in enumerate(digits) if digit and (point := found[i])]
            added = [digits_of[digits[i]] for i, _ in known]
            sums = self.sums([point for _, point in known], added)
            for i, digit in enumerate(digits):
                if digit and found[i] is None:
                    found[i] = digits_of[digit]
            for (i, _), point in zip(known, sums, strict=True):
                found[i] = point
        return found

    def multiple(self, point: tuple[Element, Element], scalar: int) -> tuple[Element, Element]:
        """scalar * point, for a scalar above 0. Raises ValueError where infinity is on the way, as
        it is for few points only."""
        total = point
        for bit in bin(scalar)[3:]:
            total = self.doubled(total)
            if bit == "1":
                (total,) = self.sums([total], [point])
        return total

    def _windows(self, generator: tuple[Element, Element]) -> list[list[tuple[Element, Element]]]:
        """For each place of eight bits: 0 to 255 times what its lowest bit stands for; nothing
        reads the first."""
        bases = [generator]
        while len(bases) * WINDOW_BITS < R.bit_length():
            point = bases[-1]
            for _ in range(WINDOW_BITS):
                point = self.doubled(point)
            bases.append(point)
        rows = [bases, bases, [self.doubled(base) for base in bases]]
        while len(rows) < 1 << WINDOW_BITS:
            rows.append(self.sums(rows[-1], bases))
        return [list(window) for window in zip(*rows, strict=True)]


def _multiply(one: Complex, other: Complex) -> Complex:
    (a, b), (c, d) = one, other
    ac, bd = a * c, b * d
    return (ac - bd) % Q, ((a + b) * (c + d) - ac - bd) % Q


def _invert(element: Complex) -> Complex:
    a, b = element
    norm = pow(a * a + b * b, -1, Q)
    return a * norm % Q, -b * norm % Q


TWIST = _multiply((3, 0), _invert((9, 1)))
_G1 = _Curve[int](lambda a, b: a * b % Q, lambda a, b: (a - b) % Q, lambda a: pow(a, -1, Q), 1)
_G2 = _Curve[Complex](
    _multiply, lambda a, b: ((a[0] - b[0]) % Q, (a[1] - b[1]) % Q), _invert, (1, 0)
)


INFINITY_G2: PointG2 = ((0, 0), (0, 0))  # as the EVM's precompile has it


def on_curve_g2(point: PointG2) -> bool:
    """Whether y^2 = x^3 + 3 / (9 + u), with canonical coordinates; not whether its order is R."""
    x, y = point
    return max(*x, *y) < Q and _multiply(y, y) == curve_g2(x)


def multiples_g1(scalars: Sequence[int]) -> list[PointG1 | None]:
    """Each scalar, modulo R, times the generator; None is infinity."""
    return _G1.multiples(GENERATOR, [scalar % R for scalar in scalars])


def multiples_g2(scalars: Sequence[int]) -> list[PointG2 | None]:
    return _G2.multiples(GENERATOR_G2, [scalar % R for scalar in scalars])


def multiply_g2(point: PointG2, scalar: int) -> PointG2:
    """scalar * point, for a scalar above 0, of any point on the curve. Raises ValueError where
    infinity is on the way."""
    return _G2.multiple(point, scalar)


def square_root(element: Complex) -> Complex | None:
    """One of both; None where there is none."""
    a, b = element
    size = _root(a * a + b * b)
    if size is None:
        return None
    for half in ((a + size) * HALF % Q, (a - size) * HALF % Q):
        real = _root(half)
        if real:
            found = real, b * pow(2 * real, -1, Q) % Q
            return found if _multiply(found, found) == (a % Q, b % Q) else None
    return None


HALF = (Q + 1) // 2


def _root(value: int) -> int | None:
    """In the base field, whose order is 3 modulo 4."""
    found = pow(value, (Q + 1) // 4, Q)
    return found if found * found % Q == value % Q else None


def curve_g2(x: Complex) -> Complex:
    """x^3 + 3 / (9 + u), which is y^2 on the curve."""
    cube = _multiply(_multiply(x, x), x)
    return (cube[0] + TWIST[0]) % Q, (cube[1] + TWIST[1]) % Q


__all__ = ["GENERATOR_G2", "INFINITY_G2", "Complex", "PointG1", "PointG2", "curve_g2"]
__all__ += ["multiples_g1", "multiples_g2", "multiply_g2", "on_curve_g2", "square_root"]
