"""Groth16 keys as .zkey files, the format of snarkjs: what a ceremony ends in, and provers read.

Written here for development set-ups only. Points are affine, coordinates little-endian in
Montgomery form, infinity all zeros; coefficients are written times 2^512. Domains are powers of the
root that snarkjs and arkworks use.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import PointG1, PointG2
from zkagent.circuits.groth16.constraints import Constraint
from zkagent.circuits.groth16.sums import ONE

GROTH16 = 1
MONTGOMERY = (1 << 256) % Q
FROM_MONTGOMERY = pow(MONTGOMERY, -1, Q)
COEFFICIENT = (1 << 512) % R


@dataclass(frozen=True)
class VerifyingKey:
    """gamma is the generator of G2 in every .zkey. ic: a point for one and for each public word."""

    alpha: PointG1
    beta: PointG2
    gamma: PointG2
    delta: PointG2
    ic: tuple[PointG1, ...]


@dataclass(frozen=True)
class ProvingKey:
    """Everything that a .zkey holds, in its order; None is infinity.

    domain: rows, a power of two. a, b, b_g2 have a point for each wire, c one for each private
    wire, h one for each row.
    """

    verifying: VerifyingKey
    beta_g1: PointG1
    delta_g1: PointG1
    domain: int
    constraints: Sequence[Constraint]
    a: Sequence[PointG1 | None]
    b: Sequence[PointG1 | None]
    b_g2: Sequence[PointG2 | None]
    c: Sequence[PointG1 | None]
    h: Sequence[PointG1 | None]


def zkey_file(key: ProvingKey) -> bytes:
    """The sections 1 to 10; of contributions, which the last one is of, there are none."""
    verifying, public = key.verifying, len(key.verifying.ic) - 1
    header = [
        struct.pack("<I", 32) + Q.to_bytes(32, "little"),
        struct.pack("<I", 32) + R.to_bytes(32, "little"),
        struct.pack("<III", len(key.a), public, key.domain),
        _g1(verifying.alpha) + _g1(key.beta_g1) + _g2(verifying.beta) + _g2(verifying.gamma),
        _g1(key.delta_g1) + _g2(verifying.delta),
    ]
    coefficients = list(_coefficients(key.constraints, public))
    sections = [
        struct.pack("<I", GROTH16),
        b"".join(header),
        b"".join(map(_g1, verifying.ic)),
        struct.pack("<I", len(coefficients)) + b"".join(coefficients),
        b"".join(map(_g1, key.a)),
        b"".join(map(_g1, key.b)),
        b"".join(map(_g2, key.b_g2)),
        b"".join(map(_g1, key.c)),
        b"".join(map(_g1, key.h)),
        bytes(64) + struct.pack("<I", 0),
    ]
    parts = [b"zkey" + struct.pack("<II", 1, len(sections))]
    for number, section in enumerate(sections, 1):
        parts += [struct.pack("<IQ", number, len(section)), section]
    return b"".join(parts)


def _coefficients(constraints: Sequence[Constraint], public: int) -> Iterator[bytes]:
    """Of the first two sides; the public wires, and one, have a row of their own each."""
    for row, constraint in enumerate(constraints):
        for side, total in enumerate((constraint.a, constraint.b)):
            for wire, factor in sorted(total.items()):
                yield _coefficient(side, row, wire, factor)
    for wire in range(ONE, public + 1):
        yield _coefficient(0, len(constraints) + wire, wire, 1)


def _coefficient(side: int, row: int, wire: int, factor: int) -> bytes:
    return struct.pack("<III", side, row, wire) + (factor * COEFFICIENT % R).to_bytes(32, "little")


def _g1(point: PointG1 | None) -> bytes:
    return bytes(64) if point is None else b"".join(map(_coordinate, point))


def _g2(point: PointG2 | None) -> bytes:
    return bytes(128) if point is None else b"".join(_coordinate(c) for e in point for c in e)


def _coordinate(value: int) -> bytes:
    return (value * MONTGOMERY % Q).to_bytes(32, "little")


__all__ = ["ProvingKey", "VerifyingKey", "zkey_file"]
