"""The table of words as the contract looks it up: buckets of four rows, two of them for each word.

A row is 64 numbers of four bits, shifted together by up to three. The word's Keccak-256 says where
it may lie: hash mod buckets, and hash / 2^32 mod buckets. Bits 64 to 77 of the hash find it there,
so another word is taken for one of these about once in 2,000: `Rows` finds what the contract finds,
by mistake as well. An entry is 34 bytes: shift (2 bits), fingerprint (14 bits), 64 numbers. No
fingerprint is 0; an entry that begins with 0 is empty. Chunks of 180 buckets fit a contract's code.
The first two entries of the file, before the buckets, are those of unknown words and of numbers.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import ModelError

Vector = npt.NDArray[np.int64]
SIZE = 64
ENTRY_BYTES, ENTRIES = 34, 4
BUCKET_BYTES = ENTRY_BYTES * ENTRIES
BUCKETS_PER_CHUNK = 180
FINGERPRINT_BITS = 14
#: Rows that are no word's, in front.
UNKNOWN, NUMBER, APART = 0, 1, 2
LEAST, MOST, MOST_SHIFT = -8, 7, 3
FULLEST = 0.93
#: Entries moved at most to make room for one; tables of other orders tried at most.
MOST_MOVES, MOST_ORDERS = 1000, 20


@dataclass(frozen=True)
class Rows:
    """content: of table.bin."""

    content: bytes

    def __post_init__(self) -> None:
        beyond = len(self.content) - APART * ENTRY_BYTES
        if beyond <= 0 or beyond % BUCKET_BYTES:
            raise ModelError(f"the table has {len(self.content)} bytes, which no table has")

    @property
    def buckets(self) -> int:
        return len(self.content) // BUCKET_BYTES

    def of(self, word: bytes) -> Vector:
        """[64], from -64 to 56. word: in lower case."""
        if word.isdigit():
            return self.apart(NUMBER)
        for bucket in places(word, self.buckets):
            start = APART * ENTRY_BYTES + bucket * BUCKET_BYTES
            for at in range(start, start + BUCKET_BYTES, ENTRY_BYTES):
                entry = self.content[at : at + ENTRY_BYTES]
                head = int.from_bytes(entry[:2], "big")
                if head & ((1 << FINGERPRINT_BITS) - 1) == fingerprint(word):
                    return _numbers(entry)
        return self.apart(UNKNOWN)

    def apart(self, which: int) -> Vector:
        """The row of unknown words, or of numbers."""
        return _numbers(self.content[which * ENTRY_BYTES : (which + 1) * ENTRY_BYTES])


def places(word: bytes, buckets: int) -> tuple[int, int]:
    digest = keccak_int(word)
    return digest % buckets, (digest >> 32) % buckets


def fingerprint(word: bytes) -> int:
    return keccak_int(word) >> 64 & ((1 << FINGERPRINT_BITS) - 1) or 1


def rows_of(
    words: Sequence[str], vectors: npt.NDArray[np.float64], apart: npt.NDArray[np.float64]
) -> Rows:
    """The table of `words` with vectors [n, 64], and apart [2, 64], rounded to its numbers. Raises
    ModelError where words cannot be placed."""
    everything = np.concatenate([apart, vectors])
    unit = float(np.quantile(np.abs(everything).max(1), 0.999)) / (MOST << MOST_SHIFT)
    entries = {
        word.encode(): _entry(vector / unit, fingerprint(word.encode()))
        for word, vector in zip(words, vectors, strict=True)
    }
    front = b"".join(_entry(vector / unit, 0) for vector in apart)
    return Rows(front + _placed(entries, 1 + int(len(entries) / ENTRIES / FULLEST)))


def _entry(vector: npt.NDArray[np.float64], mark: int) -> bytes:
    shift = 0
    while shift < MOST_SHIFT and np.abs(vector).max() / (1 << shift) > MOST + 0.5:
        shift += 1
    numbers = np.clip(np.rint(vector / (1 << shift)), LEAST, MOST).astype(np.int64) & 15
    packed = (numbers[::2] << 4 | numbers[1::2]).astype(np.uint8)
    return (shift << FINGERPRINT_BITS | mark).to_bytes(2, "big") + packed.tobytes()


def _numbers(entry: bytes) -> Vector:
    packed = np.frombuffer(entry, np.uint8, offset=2).astype(np.int64)
    halves = np.stack([packed >> 4, packed & 15], axis=1).ravel()
    signed: Vector = halves - 16 * (halves > MOST)
    return np.left_shift(signed, entry[0] >> (FINGERPRINT_BITS - 8))


def _placed(entries: Mapping[bytes, bytes], buckets: int) -> bytes:
    for order in range(MOST_ORDERS):
        if found := _try(entries, buckets, random.Random(order)):
            empty = bytes(ENTRY_BYTES)
            return b"".join(b"".join([*each, *[empty] * (ENTRIES - len(each))]) for each in found)
    raise ModelError(f"{len(entries)} words do not fit {buckets} buckets: leave some out")


def _try(
    entries: Mapping[bytes, bytes], buckets: int, chance: random.Random
) -> list[list[bytes]] | None:
    """Words where they lie, moved on to their other bucket where one is full."""
    words: list[list[bytes]] = [[] for _ in range(buckets)]
    for word in entries:
        if not _put(words, word, chance):
            return None
    return [[entries[word] for word in each] for each in words]


def _put(words: list[list[bytes]], word: bytes, chance: random.Random) -> bool:
    for _ in range(MOST_MOVES):
        both = places(word, len(words))
        for bucket in both:
            if len(words[bucket]) < ENTRIES:
                words[bucket].append(word)
                return True
        bucket = chance.choice(both)
        out = chance.randrange(ENTRIES)
        words[bucket][out], word = word, words[bucket][out]
    return False


__all__ = ["APART", "NUMBER", "SIZE", "UNKNOWN", "Rows", "Vector", "rows_of"]
