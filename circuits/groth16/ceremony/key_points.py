"""Whether all points of a key are ones, before a secret is multiplied into them.

Sums of points never use the curve's constant. A point off the curve lies on another one, such as a
cusp, where division undoes a multiplication, so whoever puts one into a key reads the secret of
whoever contributes to it next. snarkjs does not look.
"""

import struct
from pathlib import Path

from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.multiples import on_curve_g2
from zkagent.circuits.bn254.pairing import in_subgroup
from zkagent.circuits.errors import CeremonyRefused
from zkagent.circuits.groth16.keys.sections import Sections, open_sections
from zkagent.circuits.groth16.keys.zkey import (
    HEADER_BYTES,
    MONTGOMERY,
    known_g1,
    known_g2,
    read_numbers,
    sizes_of,
)

HEADER = 2
#: Points of the words, for the prover's three sums, of private wires and of powers; of G2.
G1_SECTIONS, G2_SECTION = (3, 5, 6, 8, 9), 7
INFINITY_BYTES = bytes(128)
#: y^2 = x^3 + 3 of coordinates times M is y^2 M = x^3 + 3 M^3.
CONSTANT = 3 * pow(MONTGOMERY, 3, Q) % Q
NOT_ON = "is not on its curve"
BEWARE = (
    "contribute nothing to it, and go on from no key that its maker had: points off the curve give "
    "away the secrets of those who multiply them"
)


def check_points(path: Path) -> None:
    """All points of a key: coordinates below Q, on the curve; of the header, not infinity and of
    G2 in the subgroup, too. Those of section 7, which nobody multiplies, are not asked for that.
    Raises CeremonyRefused with the first other one."""
    try:
        with open_sections(path, b"zkey") as sections:
            _check_header(sections.read(HEADER, HEADER_BYTES))
            _check_sections(sections)
    except OSError as exc:
        raise CeremonyRefused(path, f"it cannot be read ({exc.strerror})", BEWARE) from exc
    except (ValueError, struct.error) as exc:
        raise CeremonyRefused(path, str(exc), BEWARE) from exc


def _check_header(header: bytes) -> None:
    """alpha and beta, beta and gamma of G2, delta, delta of G2. Raises ValueError."""
    numbers = read_numbers(header, range(84, HEADER_BYTES, 32))
    for at in (0, 2, 12):
        known_g1(numbers[at : at + 2])
    for at in (4, 8, 14):
        if not in_subgroup(known_g2(numbers[at : at + 4])):
            raise ValueError("a point of its header is not in the subgroup of G2")


def _check_sections(sections: Sections) -> None:
    """Raises ValueError."""
    for number, size in sizes_of(sections.read(HEADER, HEADER_BYTES)).items():
        if sections.size(number) != size:
            raise ValueError(f"its section {number} has {sections.size(number)} bytes, not {size}")
    for number in G1_SECTIONS:
        for place, content in enumerate(sections.pieces(number, 64)):
            if not _is_g1(content):
                raise ValueError(f"point {place} of its section {number} {NOT_ON}")
    for place, content in enumerate(sections.pieces(G2_SECTION, 128)):
        if not _is_g2(content):
            raise ValueError(f"point {place} of its section {G2_SECTION} {NOT_ON}")


def _is_g1(content: bytes) -> bool:
    """Zeros are infinity."""
    x, y = int.from_bytes(content[:32], "little"), int.from_bytes(content[32:], "little")
    if not x and not y:
        return True
    return x < Q and y < Q and (y * y * MONTGOMERY - x * x * x - CONSTANT) % Q == 0


def _is_g2(content: bytes) -> bool:
    if content == INFINITY_BYTES:
        return True
    x0, x1, y0, y1 = read_numbers(content, range(0, 128, 32))
    return on_curve_g2(((x0, x1), (y0, y1)))


__all__ = ["check_points"]
