"""The table of words as the contract looks it up: buckets of four rows, three for each word.

A row is 64 numbers of four bits, shifted together by up to three. Buckets lie in chunks, which are
contracts' code, as many in each. Reading a contract for the first time costs a multiple of all else
that a look-up does, so the first chunk is the front, where frequent words lie, and any other word's
two buckets are in one chunk behind it. The word's Keccak-256 says which: `places`. Bits 64 to 77
of the hash find it there, so another word is taken for one of these about once in 1,400: `Rows`
finds what the contract finds, by mistake as well. A bucket is 136 bytes: four heads of shift
(2 bits) and fingerprint (14 bits), then 64 numbers for each; a head of 0 has no row. The first two
entries of the file, before the buckets, are heads and numbers of unknown words and of numbers.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import ModelError

Vector = npt.NDArray[np.int64]
SIZE = 64
HEAD_BYTES, NUMBER_BYTES = 2, 32
ENTRY_BYTES, ENTRIES = HEAD_BYTES + NUMBER_BYTES, 4
BUCKET_BYTES = ENTRY_BYTES * ENTRIES
BUCKETS_PER_CHUNK = 180
FINGERPRINT_BITS = 14
MARKS = (1 << FINGERPRINT_BITS) - 1
#: Rows that are no word's, in front.
UNKNOWN, NUMBER, APART = 0, 1, 2
LEAST, MOST, MOST_SHIFT = -8, 7, 3
FULLEST = 0.93
#: Rows of a bucket of the front that frequent words have at first; the others are for words whose
#: own chunk is full.
FREQUENT = 2
#: Words moved at most to make room for one, and before it goes to the front; orders tried at most.
MOST_MOVES, PATIENCE, MOST_ORDERS = 2000, 300, 20


@dataclass(frozen=True)
class Shape:
    """So many chunks, and buckets in each."""

    chunks: int
    each: int

    @property
    def buckets(self) -> int:
        return self.chunks * self.each


def shape_of(buckets: int) -> Shape:
    """Raises ModelError for a number that no table has."""
    chunks = -(-buckets // BUCKETS_PER_CHUNK)
    if buckets < 1 or buckets % chunks:
        raise ModelError(f"{buckets} buckets do not fill chunks of up to {BUCKETS_PER_CHUNK}")
    return Shape(chunks, buckets // chunks)


@dataclass(frozen=True)
class Rows:
    """content: of table.bin."""

    content: bytes

    def __post_init__(self) -> None:
        beyond = len(self.content) - APART * ENTRY_BYTES
        if beyond <= 0 or beyond % BUCKET_BYTES:
            raise ModelError(f"the table has {len(self.content)} bytes, which no table has")
        shape_of(self.buckets)

    @property
    def buckets(self) -> int:
        return len(self.content) // BUCKET_BYTES

    def of(self, word: bytes) -> Vector:
        """[64], from -64 to 56. word: in lower case."""
        if word.isdigit():
            return self.apart(NUMBER)
        found = keccak_int(word)
        mark = fingerprint(found)
        for bucket in places(found, shape_of(self.buckets)):
            start = APART * ENTRY_BYTES + bucket * BUCKET_BYTES
            content = self.content[start : start + BUCKET_BYTES]
            for at in reversed(range(ENTRIES)):
                head = content[HEAD_BYTES * at : HEAD_BYTES * (at + 1)]
                if int.from_bytes(head, "big") & MARKS == mark:
                    numbers = HEAD_BYTES * ENTRIES + NUMBER_BYTES * at
                    return _numbers(head + content[numbers : numbers + NUMBER_BYTES])
        return self.apart(UNKNOWN)

    def apart(self, which: int) -> Vector:
        """The row of unknown words, or of numbers."""
        return _numbers(self.content[which * ENTRY_BYTES : (which + 1) * ENTRY_BYTES])


def places(digest: int, shape: Shape) -> tuple[int, int, int]:
    """Where a word of this hash may lie, in the order in which it is looked for: in the front, and
    twice in one of the chunks behind it, of which small tables have none."""
    behind = shape.chunks - 1
    chunk = 1 + (digest >> 96) % behind if behind else 0
    start = chunk * shape.each
    one, other = ((digest >> bits) % shape.each for bits in (128, 160))
    return digest % shape.each, start + one, start + other


def fingerprint(digest: int) -> int:
    return digest >> 64 & MARKS or 1


def rows_of(
    words: Sequence[str],
    vectors: npt.NDArray[np.float64],
    apart: npt.NDArray[np.float64],
    frequent: Iterable[str] = (),
) -> Rows:
    """The table of `words` with vectors [n, 64], and apart [2, 64], rounded to its numbers.

    frequent: words of which as many as fit lie in front, the most frequent first; then the others
    do, in their order. Raises ModelError where words cannot be placed."""
    everything = np.concatenate([apart, vectors])
    unit = float(np.quantile(np.abs(everything).max(1), 0.999)) / (MOST << MOST_SHIFT)
    entries = {
        word.encode(): _entry(vector / unit, fingerprint(keccak_int(word.encode())))
        for word, vector in zip(words, vectors, strict=True)
    }
    front = b"".join(_entry(vector / unit, 0) for vector in apart)
    order = dict.fromkeys(word.encode() for word in (*frequent, *words))
    return Rows(front + _placed(entries, [word for word in order if word in entries]))


def _entry(vector: npt.NDArray[np.float64], mark: int) -> bytes:
    shift = 0
    while shift < MOST_SHIFT and np.abs(vector).max() / (1 << shift) > MOST + 0.5:
        shift += 1
    numbers = np.clip(np.rint(vector / (1 << shift)), LEAST, MOST).astype(np.int64) & 15
    packed = (numbers[::2] << 4 | numbers[1::2]).astype(np.uint8)
    return (shift << FINGERPRINT_BITS | mark).to_bytes(HEAD_BYTES, "big") + packed.tobytes()


def _numbers(entry: bytes) -> Vector:
    packed = np.frombuffer(entry, np.uint8, offset=HEAD_BYTES).astype(np.int64)
    halves = np.stack([packed >> 4, packed & 15], axis=1).ravel()
    signed: Vector = halves - 16 * (halves > MOST)
    return np.left_shift(signed, entry[0] >> (FINGERPRINT_BITS - 8))


def _placed(entries: Mapping[bytes, bytes], order: Sequence[bytes]) -> bytes:
    least = 1 + int(len(entries) / ENTRIES / FULLEST)
    chunks = -(-least // BUCKETS_PER_CHUNK)
    shape = Shape(chunks, -(-least // chunks))
    for chance in range(MOST_ORDERS):
        placing = _Placing(order, shape, random.Random(chance))
        if placing.succeeds():
            return b"".join(_bucket([entries[word] for word in each]) for each in placing.words)
    raise ModelError(f"{len(entries)} words do not fit {shape.buckets} buckets: leave some out")


def _bucket(entries: Sequence[bytes]) -> bytes:
    full = [*entries, *[bytes(ENTRY_BYTES)] * (ENTRIES - len(entries))]
    heads = b"".join(entry[:HEAD_BYTES] for entry in full)
    return heads + b"".join(entry[HEAD_BYTES:] for entry in full)


class _Placing:
    """words: of each bucket. order: the most frequent words first."""

    def __init__(self, order: Sequence[bytes], shape: Shape, chance: random.Random) -> None:
        self.words: list[list[bytes]] = [[] for _ in range(shape.buckets)]
        self._order, self._shape, self._chance = order, shape, chance
        self._places = {word: places(keccak_int(word), shape) for word in order}

    def succeeds(self) -> bool:
        placed = set(self._in_front(self._order, FREQUENT))
        rest = [word for word in self._order if word not in placed]
        if not all(self._put(word) for word in rest):
            return False
        for word in self._in_front(rest, ENTRIES):
            self._take_back(word)
        return True

    def _in_front(self, order: Iterable[bytes], most: int) -> list[bytes]:
        """Puts those into the front that find room there, unless all of the table is one chunk."""
        put = []
        for word in order if self._shape.chunks > 1 else ():
            bucket = self.words[self._places[word][0]]
            if len(bucket) < most and word not in bucket:
                bucket.append(word)
                put.append(word)
        return put

    def _take_back(self, word: bytes) -> None:
        """Out of the chunk behind the front, where it lay as well."""
        for place in self._places[word][1:]:
            if word in self.words[place]:
                self.words[place].remove(word)
                return

    def _put(self, word: bytes) -> bool:
        """Where it lies, moving others on to their other bucket where one is full."""
        for move in range(MOST_MOVES):
            front, *both = self._places[word]
            for place in (*both, front) if move >= PATIENCE else both:
                if len(self.words[place]) < ENTRIES:
                    self.words[place].append(word)
                    return True
            place = self._chance.choice(both)
            out = self._chance.randrange(ENTRIES)
            self.words[place][out], word = word, self.words[place][out]
        return False


__all__ = ["APART", "NUMBER", "SIZE", "UNKNOWN", "Rows", "Shape", "Vector", "rows_of", "shape_of"]
