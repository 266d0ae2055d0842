"""What a .zkey tells of the ceremony that it comes from: its last section, and the key's header.

Each contribution multiplies delta by a number that nobody else knows, proves that its maker knew
it, and hashes all before it. MMORPG (Bowe, Gabizon, Miers 2017), as snarkjs writes it down.
"""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NoReturn

from zkagent.circuits.bn254.curve import GENERATOR, Q, multiply
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import GENERATOR_G2, PointG1, PointG2
from zkagent.circuits.bn254.pairing import pairings_cancel
from zkagent.circuits.errors import CeremonyRefused
from zkagent.circuits.groth16.ceremony.challenge import Draw
from zkagent.circuits.groth16.keys.sections import Sections, open_sections
from zkagent.circuits.groth16.keys.zkey import (
    GROTH16,
    HEADER_BYTES,
    MOST_HEADER,
    VerifyingKey,
    known_g1,
    known_g2,
    read_numbers,
    verifying_key,
)

HASH_BYTES = 64
POINTS_BYTES = 3 * 64 + 128
MOST_CONTRIBUTIONS = 10_000
MOST_BYTES = MOST_CONTRIBUTIONS * 1000
#: Sections of a .zkey: which protocol, header, points of the public words, contributions.
PROTOCOL, HEADER, WORDS, CONTRIBUTIONS = 1, 2, 3, 10
NAME, ITERATIONS, BEACON = 1, 2, 3
#: A beacon is hashed 2^n times, by whoever verifies as well.
LEAST_ITERATIONS, MOST_ITERATIONS = 10, 24
MOST_HASHES = 1 << (MOST_ITERATIONS + 2)
#: Characters; a contribution's hash is longer. snarkjs keeps as many UTF-16 units, and no mark of
#: byte order at the beginning.
MOST_NAME = 64
AGAIN = "get it again from whoever made it, and compare its digest"
BACK = "go on from the last good one"


@dataclass(frozen=True)
class Beacon:
    """Randomness that nobody chose, hashed 2^iterations times."""

    value: bytes
    iterations: int


@dataclass(frozen=True)
class Contribution:
    """delta: the key's after it. s, sx, spx: what shows that its maker knew the factor, x: a point,
    x times that, and x times the point of G2 that `hashed` decides. name: whatever its maker says.
    """

    number: int
    delta: PointG1
    s: PointG1
    sx: PointG1
    spx: PointG2
    hashed: bytes
    name: str
    beacon: Beacon | None

    @property
    def public(self) -> bytes:
        """What those after it hash of it."""
        points = b"".join(map(_g1, (self.delta, self.s, self.sx)))
        return points + _g2(self.spx) + self.hashed

    @property
    def hash(self) -> bytes:
        """What its maker publishes: BLAKE2b of all but the name."""
        return hashlib.blake2b(self.public).digest()

    @property
    def title(self) -> str:
        return f"contribution {self.number}" + (f" ({self.name!r})" if self.name else "")


@dataclass(frozen=True)
class Transcript:
    """A key's sizes, the points that say where it comes from, and its contributions.

    circuit: hash of the key that they began with.
    """

    path: Path
    wires: int
    public: int
    domain: int
    alpha: PointG1
    beta: PointG1
    delta: PointG1
    verifying: VerifyingKey
    circuit: bytes
    contributions: tuple[Contribution, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of what a further contribution would hash: of all but names, and which ones are
        called beacons, which anybody could change."""
        told = self.circuit + b"".join(each.public for each in self.contributions)
        return hashlib.sha256(told).hexdigest()

    @property
    def people(self) -> int:
        """Contributions of somebody who drew a number; whoever reads a beacon knows it."""
        return sum(each.beacon is None for each in self.contributions)

    @property
    def open_to_all(self) -> str:
        """Why everybody knows delta, which is then 1, or the product of the last beacons' factors;
        empty where somebody's number is in it. People who cancel what was there may know of the
        beacons before theirs, and of none after."""
        if not self.people:
            return "nobody contributed to it"
        beacons = (each.beacon for each in reversed(self.contributions) if each.beacon)
        factors = (_drawn(beacon)[0] for beacon in beacons)
        known = accumulate(factors, lambda one, other: one * other % R, initial=1)
        cancelled = any(self.delta == multiply(GENERATOR, each) for each in known)
        return "its contributions cancel" if cancelled else ""

    def check(self) -> None:
        """Each contribution follows from the one before it, and the key from the last one. Raises
        CeremonyRefused with the first that does not."""
        hasher, before = hashlib.blake2b(self.circuit), GENERATOR
        for each in self.contributions:
            if each.hashed != _extended(hasher, _g1(each.s) + _g1(each.sx)):
                self._refuse(each, "it does not hash those before it")
            point = _challenge(each.hashed)
            if not _same_ratio(each.s, each.sx, point, each.spx):
                self._refuse(each, "nothing shows that its maker knew its factor")
            if not _same_ratio(before, each.delta, point, each.spx):
                self._refuse(each, "its delta is not its factor times the one before")
            if each.s == each.sx:
                self._refuse(each, "its factor is 1, which is nobody's secret")
            if each.beacon and (each.s, each.sx) != _beacons(each.beacon):
                self._refuse(each, "its factor is not the beacon's")
            hasher.update(each.public)
            before = each.delta
        if self.delta != before:
            raise CeremonyRefused(self.path, f"its delta is not that of {self._last}", BACK)
        if not _same_ratio(GENERATOR, before, GENERATOR_G2, self.verifying.delta):
            raise CeremonyRefused(self.path, "its two deltas are of different numbers", BACK)
        if self.verifying.gamma != GENERATOR_G2:
            raise CeremonyRefused(self.path, "its gamma is not the generator", AGAIN)

    @property
    def _last(self) -> str:
        return self.contributions[-1].title if self.contributions else "a key without contributions"

    def _refuse(self, wrong: Contribution, reason: str) -> NoReturn:
        after = f"contribution {wrong.number - 1}" if wrong.number > 1 else "the first key"
        raise CeremonyRefused(
            self.path, f"{wrong.title} does not follow from {after}, {reason}", BACK
        )


def read_transcript(path: Path) -> Transcript:
    """Points are on their curves; nothing else is checked. Raises CeremonyRefused."""
    try:
        with open_sections(path, b"zkey") as sections:
            return _transcript(path, sections)
    except OSError as exc:
        raise CeremonyRefused(path, f"it cannot be read ({exc.strerror})", AGAIN) from exc
    except (ValueError, struct.error) as exc:
        raise CeremonyRefused(path, f"it is no whole Groth16 key ({exc})", AGAIN) from exc


def _transcript(path: Path, sections: Sections) -> Transcript:
    if sections.read(PROTOCOL, 8) != struct.pack("<I", GROTH16):
        raise ValueError("it is of another proof system")
    if sorted(sections.found) != list(range(1, 11)):
        raise ValueError("its sections are not those of a key")
    header, words = sections.read(HEADER, HEADER_BYTES + 1), sections.read(WORDS, MOST_HEADER)
    verifying = verifying_key(header, words)
    wires, public, domain = struct.unpack("<III", header[72:84])
    if sections.size(8) != 64 * (wires - public - 1) or sections.size(9) != 64 * domain:
        raise ValueError("its sections have other sizes than its header says")
    content = sections.read(CONTRIBUTIONS, MOST_BYTES)
    if sections.size(CONTRIBUTIONS) > MOST_BYTES:
        raise ValueError("it has too many contributions")
    numbers = read_numbers(header, range(84, HEADER_BYTES, 32))
    found = Transcript(
        path=path,
        wires=wires,
        public=public,
        domain=domain,
        alpha=known_g1(numbers[:2]),
        beta=known_g1(numbers[2:4]),
        delta=known_g1(numbers[12:14]),
        verifying=verifying,
        circuit=content[:HASH_BYTES],
        contributions=(),
    )
    return replace(found, contributions=tuple(_contributions(content)))


def _contributions(content: bytes) -> Iterator[Contribution]:
    """Raises ValueError, struct.error."""
    (count,), at = struct.unpack("<I", content[HASH_BYTES : HASH_BYTES + 4]), HASH_BYTES + 4
    if count > MOST_CONTRIBUTIONS:
        raise ValueError(f"it has {count} contributions")
    hashes = 0
    for number in range(1, count + 1):
        try:
            found, at = _contribution(number, content, at)
        except (ValueError, struct.error) as exc:
            raise ValueError(f"contribution {number}: {exc}") from exc
        hashes += 1 << found.beacon.iterations if found.beacon else 0
        if hashes > MOST_HASHES:
            raise ValueError(f"its beacons take more than {MOST_HASHES} hashes")
        yield found
    if at != len(content):
        raise ValueError(f"{len(content) - at} bytes follow its contributions")


def _contribution(number: int, content: bytes, at: int) -> tuple[Contribution, int]:
    """The one that begins at a place, and where it ends. Raises ValueError, struct.error."""
    points = read_numbers(content, range(at, at + POINTS_BYTES, 32))
    at += POINTS_BYTES
    hashed = content[at : at + HASH_BYTES]
    kind, size = struct.unpack("<II", content[at + HASH_BYTES : at + HASH_BYTES + 8])
    at += HASH_BYTES + 8
    if at + size > len(content):
        raise ValueError("it was cut off")
    name, beacon = _parameters(content[at : at + size])
    if kind not in (0, 1) or (kind == 1) != (beacon is not None):
        raise ValueError("it is of another kind")
    delta, s, sx = (known_g1(points[place : place + 2]) for place in (0, 2, 4))
    found = Contribution(number, delta, s, sx, known_g2(points[6:]), hashed, name, beacon)
    return found, at + size


def _parameters(content: bytes) -> tuple[str, Beacon | None]:
    """Name and beacon. Raises ValueError for what is in another order, twice or unknown."""
    found: dict[int, bytes] = {}
    at = last = 0
    while at < len(content):
        kind = content[at]
        if not last < kind <= BEACON:
            raise ValueError("its parameters are in another order")
        size = 1 if kind == ITERATIONS else content[at + 1] if at + 1 < len(content) else 0
        start = at + (1 if kind == ITERATIONS else 2)
        found[kind], at, last = content[start : start + size], start + size, kind
    if at != len(content):
        raise ValueError("its parameters were cut off")
    name = found.get(NAME, b"").decode(errors="replace")
    if len(name) > MOST_NAME:
        raise ValueError(f"its name has {len(name)} characters, up to {MOST_NAME} are read")
    if not found.keys() & {ITERATIONS, BEACON}:
        return name, None
    value, iterations = found.get(BEACON, b""), found.get(ITERATIONS, b"\0")[0]
    if not value or not LEAST_ITERATIONS <= iterations <= MOST_ITERATIONS:
        raise ValueError(
            f"a beacon is hashed 2^{iterations} times, expected 2^{LEAST_ITERATIONS} to "
            f"2^{MOST_ITERATIONS}"
        )
    return name, Beacon(value, iterations)


@lru_cache(maxsize=256)
def _challenge(hashed: bytes) -> PointG2:
    return Draw(hashed).point_g2()


def _beacons(beacon: Beacon) -> tuple[PointG1, PointG1]:
    """The points of a contribution that a beacon makes."""
    factor, point = _drawn(beacon)
    return point, multiply(point, factor)


@lru_cache(maxsize=256)
def _drawn(beacon: Beacon) -> tuple[int, PointG1]:
    """The factor and the point that a beacon's hashes give."""
    value = beacon.value
    for _ in range(1 << beacon.iterations):
        value = hashlib.sha256(value).digest()
    draw = Draw(value)
    return draw.scalar(), draw.point_g1()


@lru_cache(maxsize=256)  # whoever contributes checks a key twice
def _same_ratio(one: PointG1, other: PointG1, base: PointG2, multiple: PointG2) -> bool:
    """Whether other is as many times one as multiple is times base; of infinity nothing is. Points
    of G2 outside of the subgroup are no multiples."""
    if (0, 0) in (one, other):
        return False
    try:
        return pairings_cancel([(one, multiple), ((other[0], -other[1] % Q), base)])
    except ValueError:
        return False


def _extended(hasher: hashlib.blake2b, content: bytes) -> bytes:
    copied = hasher.copy()
    copied.update(content)
    return copied.digest()


def _g1(point: PointG1) -> bytes:
    return b"".join(number.to_bytes(32, "big") for number in point)


def _g2(point: PointG2) -> bytes:
    (x0, x1), (y0, y1) = point
    return b"".join(number.to_bytes(32, "big") for number in (x1, x0, y1, y0))


def described(contributions: Sequence[Contribution]) -> list[dict[str, object]]:
    """For machines."""
    return [
        {
            "number": each.number,
            "name": each.name,
            "hash": each.hash.hex(),
            "beacon": each.beacon.value.hex() if each.beacon else None,
        }
        for each in contributions
    ]


__all__ = ["Beacon", "Contribution", "Transcript", "described", "read_transcript"]
