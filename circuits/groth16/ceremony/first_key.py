"""Whether a key is the first key of its circuit, divided by its contributions and nothing else.

snarkjs compares sections 8 and 9 by random sums, too, but of section 9 one direction is in none of
them, so a point that forges proofs has room there. Here every point of both is in the sum, with a
factor of its own, and all else that contributions do not change is the same bytes. The argument is
in docs/groth16.md.
"""

import secrets
import struct
from pathlib import Path

from zkagent.circuits.bn254.combinations import combination
from zkagent.circuits.bn254.curve import Point, Q
from zkagent.circuits.bn254.multiples import GENERATOR_G2, PointG2
from zkagent.circuits.bn254.pairing import pairings_cancel
from zkagent.circuits.errors import CeremonyRefused
from zkagent.circuits.groth16.keys.sections import Sections, open_sections
from zkagent.circuits.groth16.keys.zkey import (
    FROM_MONTGOMERY,
    HEADER_BYTES,
    known_g2,
    read_numbers,
)

HEADER, CONTRIBUTIONS = 2, 10
#: The protocol, points of the words, coefficients, and points for the prover's three sums.
SAME = (1, 3, 4, 5, 6, 7)
#: Points of private wires and of powers, which are divided by delta.
DIVIDED = (8, 9)
#: Where the header's two deltas begin and end; a point of G1 comes first.
DELTAS, DELTA_G2 = 84 + 2 * 64 + 2 * 128, HEADER_BYTES - 128
FACTOR_BITS = 128
SOUND = "contribute nothing to it, and go on from the last key that `zkagent ceremony verify` takes"


def check_follows(first: Path, zkey: Path) -> None:
    """first: the key without contributions, made here. The points of both are on their curves, and
    zkey's two deltas are of one number. Raises CeremonyRefused for what no contributions to the
    first make."""
    try:
        with open_sections(first, b"zkey") as honest, open_sections(zkey, b"zkey") as given:
            _check(honest, given)
    except OSError as exc:
        raise CeremonyRefused(zkey, f"it cannot be compared ({exc.strerror})", SOUND) from exc
    except (ValueError, struct.error) as exc:
        reason = f"its points are not those of circuit and powers ({exc})"
        raise CeremonyRefused(zkey, reason, SOUND) from exc


def _check(honest: Sections, given: Sections) -> None:
    """Raises ValueError."""
    if given.found.keys() != {HEADER, CONTRIBUTIONS, *SAME, *DIVIDED}:
        raise ValueError("its sections are not those of a key")
    for number in (HEADER, *SAME, *DIVIDED):
        if (size := given.size(number)) != (expected := honest.size(number)):
            raise ValueError(f"section {number} has {size} bytes, expected {expected}")
    headers = [sections.read(HEADER, HEADER_BYTES) for sections in (honest, given)]
    if headers[0][:DELTAS] != headers[1][:DELTAS]:
        raise ValueError("its header is another one")
    for number in SAME:
        blocks = zip(honest.blocks(number, 4), given.blocks(number, 4), strict=True)
        if any(one != other for one, other in blocks):
            raise ValueError(f"section {number} is another one")
    deltas = [
        known_g2(read_numbers(header, range(DELTA_G2, HEADER_BYTES, 32))) for header in headers
    ]
    if deltas[0] != GENERATOR_G2:
        raise ValueError("the key that was made here has a delta")
    for number in DIVIDED:
        if not _is_divided(_points(honest, number), _points(given, number), deltas[1]):
            raise ValueError(f"points of section {number} are not those of the first key by delta")


def _is_divided(honest: list[Point], given: list[Point], delta: PointG2) -> bool:
    """Whether each point times delta is the honest one; where one is not, with a chance of 2^-128
    all the same."""
    factors = [secrets.randbits(FACTOR_BITS) for _ in honest]
    x, y = combination(honest, factors)
    return pairings_cancel([(combination(given, factors), delta), ((x, -y % Q), GENERATOR_G2)])


def _points(sections: Sections, number: int) -> list[Point]:
    """Of G1; infinity is (0, 0)."""
    return [
        (_coordinate(each[:32]), _coordinate(each[32:])) for each in sections.pieces(number, 64)
    ]


def _coordinate(content: bytes) -> int:
    return int.from_bytes(content, "little") * FROM_MONTGOMERY % Q


__all__ = ["check_follows"]
