"""Points and numbers that a hash decides, as snarkjs draws them: ChaCha20 whose key are the hash's
first 32 bytes, with a counter from 0 and no nonce.

Coordinates are drawn in Montgomery form, by rejection. A point's y is the larger one of both where
the next word is odd.
"""

import struct
from collections.abc import Iterator

from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import (
    Complex,
    PointG1,
    PointG2,
    curve_g2,
    multiply_g2,
    square_root,
)

COFACTOR_G2 = 2 * Q - R
CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
WORD = 0xFFFFFFFF


class Draw:
    """What is drawn from a hash, in order."""

    def __init__(self, digest: bytes) -> None:
        self._words = _chacha(struct.unpack(">8I", digest[:32]))

    def scalar(self) -> int:
        """Modulo the groups' order."""
        return self._number(R)

    def point_g1(self) -> PointG1:
        while True:
            x, odd = self._number(Q), next(self._words) & 1
            square = (pow(x, 3, Q) + 3) % Q
            y = pow(square, (Q + 1) // 4, Q)
            if y * y % Q == square:
                return x, y if (y > Q // 2) == bool(odd) else -y % Q

    def point_g2(self) -> PointG2:
        """In the subgroup."""
        while True:
            x: Complex = (self._number(Q), self._number(Q))
            odd = next(self._words) & 1
            if y := square_root(curve_g2(x)):
                larger = (y[1] or y[0]) > Q // 2
                chosen = y if larger == bool(odd) else (-y[0] % Q, -y[1] % Q)
                return multiply_g2((x, chosen), COFACTOR_G2)

    def _number(self, order: int) -> int:
        while True:
            value = 0
            for shift in range(0, 256, 64):
                high, low = next(self._words), next(self._words)
                value |= (high << 32 | low) << shift
            value &= (1 << order.bit_length()) - 1
            if value < order:
                return value * pow(1 << 256, -1, order) % order


def _chacha(key: tuple[int, ...]) -> Iterator[int]:
    counter = 0
    while True:
        state = [*CONSTANTS, *key, counter & WORD, counter >> 32, 0, 0]
        mixed = list(state)
        for _ in range(10):
            for places in (*COLUMNS, *DIAGONALS):
                _quarter(mixed, *places)
        yield from ((one + other) & WORD for one, other in zip(mixed, state, strict=True))
        counter += 1


def _quarter(state: list[int], a: int, b: int, c: int, d: int) -> None:
    for one, other, mixed, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[one] = (state[one] + state[other]) & WORD
        value = state[mixed] ^ state[one]
        state[mixed] = (value << bits | value >> (32 - bits)) & WORD


__all__ = ["Draw"]
