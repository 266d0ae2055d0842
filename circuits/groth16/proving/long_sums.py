"""A key without its long sums, which are computed here: groth16py takes some hundred bytes for each
of their terms while it reads a key, this 8.

Each becomes one more element behind a witness, which the constraints read and no point belongs to
(the library's sums over points end where the points do): the prover's polynomials are the same, and
so is what a proof says. What is computed wrongly, no key proves.
"""

import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from zkagent.circuits.bn254.field import R, from_field
from zkagent.circuits.groth16.keys.sections import Sections, open_sections
from zkagent.circuits.groth16.keys.zkey import COEFFICIENT, HEADER_BYTES

HEADER, TERMS = 2, 4
TERM = np.dtype([("side", "<u4"), ("row", "<u4"), ("wire", "<u4"), ("factor", "<u8", 4)])
ONCE = COEFFICIENT.to_bytes(32, "little")
FROM_COEFFICIENT = pow(COEFFICIENT, -1, R)
#: A key with fewer terms is taken as it is; a sum with fewer is not long.
LEAST_TERMS, LONG = 1 << 19, 32
#: What all coefficients of a long sum are less than together: times a digit, it fits 63 bits.
MOST_WEIGHT = 1 << 30
DIGIT_BITS = 32
BLOCK_TERMS, PIECE_TERMS = 1 << 16, 1 << 16

Integers = npt.NDArray[np.int64]
Coefficients = npt.NDArray[np.int32]
Terms = npt.NDArray[np.void]


@dataclass(frozen=True)
class LongSums:
    """Sum i has the terms from starts[i] on."""

    starts: Integers
    wires: npt.NDArray[np.uint32]
    coefficients: Coefficients

    def of(self, elements: Sequence[int]) -> list[int]:
        """The sums of a witness, exact integers whatever it holds: digit by digit."""
        values = np.zeros(len(elements), dtype=object)
        values[self._read] = [from_field(elements[wire]) for wire in self._read]
        found, half = np.zeros(len(self.starts), dtype=object), 1 << (DIGIT_BITS - 1)
        place = 0
        while values.any():
            digits = (values + half) % (1 << DIGIT_BITS) - half
            found += self._of_digits(digits.astype(np.int64)).astype(object) << place
            values, place = (values - digits) >> DIGIT_BITS, place + DIGIT_BITS
        return [int(total) for total in found]

    @cached_property
    def _read(self) -> list[int]:
        """The wires that are in any."""
        read = np.zeros(1 + int(self.wires.max(initial=0)), dtype=bool)
        for at in range(0, len(self.wires), PIECE_TERMS):
            read[self.wires[at : at + PIECE_TERMS]] = True
        return [int(wire) for wire in np.flatnonzero(read)]

    def _of_digits(self, digits: Integers) -> Integers:
        """A piece at a time, for the terms to stay in a processor's cache."""
        ends = np.append(self.starts, len(self.wires))
        found, first = np.zeros(len(self.starts), dtype=np.int64), 0
        while first < len(self.starts):
            last = max(first + 1, int(ends.searchsorted(ends[first] + PIECE_TERMS, "right")) - 1)
            piece = slice(ends[first], ends[last])
            terms = digits[self.wires[piece]] * self.coefficients[piece]
            found[first:last] = np.add.reduceat(terms, self.starts[first:last] - ends[first])
            first = last
        return found


NONE = LongSums(
    np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int32)
)


@contextmanager
def without_long_sums(zkey: Path) -> Iterator[tuple[Path, LongSums]]:
    """A key to read in the block, and the long sums that its witnesses have to end with. Raises
    OSError, ValueError, struct.error."""
    with open_sections(zkey, b"zkey") as sections:
        if sections.size(TERMS) < LEAST_TERMS * TERM.itemsize:
            yield zkey, NONE
            return
        with tempfile.NamedTemporaryFile(suffix=".zkey") as file:
            sums = _split(sections, file)
            file.flush()
            yield Path(file.name), sums


def _split(sections: Sections, file: IO[bytes]) -> LongSums:
    """Write the key without its long sums."""
    wires, _, domain = struct.unpack("<III", sections.read(HEADER, HEADER_BYTES)[72:84])
    counts, weights, coefficients = _measured(sections, 2 * domain)
    long = np.flatnonzero((counts >= LONG) & (weights < MOST_WEIGHT))
    kept = int(counts.sum() - counts[long].sum()) + len(long)
    file.write(b"zkey" + struct.pack("<II", 1, len(sections.found)))
    for number, section in sections.found.items():
        if number == TERMS:
            file.write(struct.pack("<IQI", number, 4 + TERM.itemsize * kept, kept))
            sums = _moved(sections, file, long, counts, coefficients)
            for wire, place in enumerate(long.tolist(), wires):
                file.write(struct.pack("<III", place % 2, place // 2, wire) + ONCE)
        else:
            file.write(struct.pack("<IQ", number, section.size))
            file.writelines(sections.blocks(number, 1))
    return sums


def _measured(
    sections: Sections, places: int
) -> tuple[Integers, npt.NDArray[np.float64], list[Coefficients]]:
    """Of both sides of each row, how many terms it has, and what their coefficients are together,
    without signs; and all coefficients, a block behind the other."""
    counts, weights, coefficients = np.zeros(places, dtype=np.int64), np.zeros(places), []
    for terms in _blocks(sections):
        coefficients.append(_coefficients(terms))
        counts += np.bincount(_places(terms), minlength=places)
        weights += np.bincount(_places(terms), np.abs(coefficients[-1]), places)
    return counts, weights, coefficients


def _moved(
    sections: Sections,
    file: IO[bytes],
    long: Integers,
    counts: Integers,
    coefficients: Sequence[Coefficients],
) -> LongSums:
    """The terms of long sums, side by side; all others are written."""
    ends = np.cumsum(counts[long])
    starts, total = ends - counts[long], int(counts[long].sum())
    sums = LongSums(starts, np.zeros(total, dtype=np.uint32), np.zeros(total, dtype=np.int32))
    following = np.full(len(counts), -1, dtype=np.int64)
    following[long] = starts
    for terms, factors in zip(_blocks(sections), coefficients, strict=True):
        places = _places(terms)
        moved = np.flatnonzero(following[places] >= 0)
        file.write(np.delete(terms, moved).tobytes())
        moved = moved[np.argsort(places[moved], kind="stable")]
        places = places[moved]
        at = following[places] + np.arange(len(places)) - places.searchsorted(places)
        sums.wires[at], sums.coefficients[at] = terms["wire"][moved], factors[moved]
        following += np.bincount(places, minlength=len(counts))
    return sums


def _blocks(sections: Sections) -> Iterator[Terms]:
    section, size = sections.found[TERMS], TERM.itemsize
    for at in range(4, section.size, BLOCK_TERMS * size):
        sections.file.seek(section.offset + at)
        yield np.frombuffer(sections.file.read(min(BLOCK_TERMS * size, section.size - at)), TERM)


def _places(terms: Terms) -> Integers:
    return np.asarray(2 * terms["row"].astype(np.int64) + terms["side"])


def _coefficients(terms: Terms) -> Coefficients:
    """MOST_WEIGHT for those that are no less."""
    factors = terms["factor"]
    _, first, same = np.unique(factors[:, 0], return_index=True, return_inverse=True)
    known = np.array([_coefficient(factors[at].tobytes()) for at in first], dtype=np.int32)
    alike = (factors[first][same] == factors).all(axis=1)
    return np.where(alike, known[same], np.int32(MOST_WEIGHT))


@lru_cache(maxsize=1 << 16)
def _coefficient(stored: bytes) -> int:
    number = from_field(int.from_bytes(stored, "little") * FROM_COEFFICIENT % R)
    return number if abs(number) < MOST_WEIGHT else MOST_WEIGHT


__all__ = ["LongSums", "without_long_sums"]
