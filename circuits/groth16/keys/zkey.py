"""Groth16 keys as .zkey files, the format of snarkjs: what a ceremony ends in, and provers read.

Written here for development set-ups only. Points are affine, coordinates little-endian in
Montgomery form, infinity all zeros; coefficients are written times 2^512. Domains are powers of the
root that snarkjs and arkworks use.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.bn254.curve import Q, on_curve
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import PointG1, PointG2, on_curve_g2
from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.groth16.constraints.sums import ONE
from zkagent.circuits.groth16.keys.sections import open_sections

if TYPE_CHECKING:
    from zkagent.circuits.groth16.constraints.wires import Constraint

GROTH16 = 1
HEADER_BYTES = 84 + 3 * 64 + 3 * 128
MOST_HEADER = 1 << 20
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
    constraints: "Sequence[Constraint]"
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


def read_verifying_key(path: Path) -> VerifyingKey:
    """Of a key that may come from a ceremony; points are on their curves, which G2's subgroup does
    not follow from. Raises ArtifactCorrupted."""
    try:
        return verifying_key(*_sections(path))
    except (OSError, ValueError, struct.error) as exc:
        raise ArtifactCorrupted(path, f"it is no Groth16 key ({exc})") from exc


def _sections(path: Path) -> tuple[bytes, bytes]:
    """The header and the points of the public words, of a file in which every section is once and
    as long as the header says: other readers then find the same. Raises OSError, ValueError,
    struct.error."""
    with open_sections(path, b"zkey") as sections:
        if sections.size(1) != 4 or sections.read(1, 4) != struct.pack("<I", GROTH16):
            raise ValueError("it is of another proof system")
        header = sections.read(2, HEADER_BYTES)
        sizes, points = {n: found.size for n, found in sections.found.items()}, sizes_of(header)
        (terms,) = struct.unpack("<I", sections.read(4, 4))
        if sizes.keys() != {*range(1, 11)} or sizes != sizes | points | {4: 4 + 44 * terms}:
            raise ValueError("its header is of another curve, or of other sections")
        return header, sections.read(3, MOST_HEADER)


def sizes_of(header: bytes) -> dict[int, int]:
    """Bytes of each section that the header says the length of. Raises struct.error."""
    wires, public, domain = struct.unpack("<III", header[72:84])
    points = {5: 64 * wires, 6: 64 * wires, 7: 128 * wires, 8: 64 * (wires - public - 1)}
    return points | {2: HEADER_BYTES, 3: 64 * (public + 1), 9: 64 * domain}


def verifying_key(header: bytes, ic: bytes) -> VerifyingKey:
    """From the header, and the points of the public words. Raises ValueError."""
    fields = struct.pack("<I", 32) + Q.to_bytes(32, "little")
    fields += struct.pack("<I", 32) + R.to_bytes(32, "little")
    _, public, _ = struct.unpack("<III", header[72:84])
    if header[:72] != fields or len(header) != HEADER_BYTES or len(ic) != 64 * (public + 1):
        raise ValueError("its header is of another curve")
    numbers = read_numbers(header, range(84, HEADER_BYTES, 32))
    alpha, _, beta, gamma = numbers[:2], numbers[2:4], numbers[4:8], numbers[8:12]
    delta = numbers[14:18]
    words = [read_numbers(ic, (at, at + 32)) for at in range(0, len(ic), 64)]
    return VerifyingKey(
        known_g1(alpha),
        known_g2(beta),
        known_g2(gamma),
        known_g2(delta),
        tuple(map(known_g1, words)),
    )


def read_numbers(content: bytes, places: Sequence[int]) -> list[int]:
    """Coordinates as a key has them. Raises ValueError."""
    return [_number(content, at) for at in places]


def known_g1(numbers: Sequence[int]) -> PointG1:
    """Raises ValueError for what is not on the curve, as infinity is not."""
    x, y = numbers
    if not on_curve((x, y)):
        raise ValueError("a point is not on its curve")
    return x, y


def known_g2(numbers: Sequence[int]) -> PointG2:
    """Likewise; the subgroup is for a pairing to check. Raises ValueError."""
    point = (numbers[0], numbers[1]), (numbers[2], numbers[3])
    if not on_curve_g2(point):
        raise ValueError("a point is not on its curve")
    return point


def _number(content: bytes, at: int) -> int:
    """Raises ValueError."""
    if len(content) < at + 32:
        raise ValueError("it was cut off")
    if (stored := int.from_bytes(content[at : at + 32], "little")) >= Q:
        raise ValueError("a coordinate is not below the order of its field")
    return stored * FROM_MONTGOMERY % Q


def _coefficients(constraints: "Sequence[Constraint]", public: int) -> Iterator[bytes]:
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


__all__ = ["ProvingKey", "VerifyingKey", "known_g1", "known_g2", "read_numbers"]
__all__ += ["read_verifying_key", "sizes_of", "verifying_key", "zkey_file"]
