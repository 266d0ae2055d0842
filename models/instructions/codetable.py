"""A codebook as the contract looks it up: buckets of three entries, two of them for each key.

A key is a whole word or mark, first letters with a star behind them, or last letters with one
before them. An entry holds 24 bits of its key's hash, so that another word may find it, about one
in three million; `CodeTable` finds what the contract finds, by mistake as well.
`InstructionEncoder.sol` has the buckets in contracts of 767 each. A key's first bucket is in the
first of them, its second one in another. Keys that a codebook names first are in their first bucket
wherever they can be: to look into the second costs the contract as much again, and in a transaction
once more for a contract that nothing read before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from eth_utils.crypto import keccak

from zkagent.models.errors import ModelError
from zkagent.models.instructions.codes import (
    CODE_BITS,
    FILLERS,
    FILLING,
    FILLING_MEANINGS,
    FIRST,
    LAST,
    PRESENT,
    Codebook,
    parts_of,
)
from zkagent.models.instructions.grammar import WORDS, Meaning
from zkagent.models.instructions.reader import BY_TEXT, Kind
from zkagent.models.instructions.scanner import LETTERS

#: A bucket: which keys have overflowed (1 byte), entries of fingerprint, code and meaning, the
#: first one last, and a byte that is not used.
BUCKETS, BUCKET_BYTES, ENTRIES, ENTRY_BYTES = 767, 32, 3, 10
FINGERPRINT_BYTES, CODE_BYTES = 3, CODE_BITS // 8
#: Bits that say of one key in so many whether keys like it are in their second bucket.
OVERFLOWS = 8
MOST_CHUNKS = 8
CODES_PER_WORD = 5
#: Of all places, how many may be taken: above it a table takes another chunk, or sooner if there is
#: no room. Of two chunks it runs out at some 0.959, of more sooner: all but the first are chosen by
#: one bucket of each key.
FULLEST = 0.95

_STAR = b"*"
#: What the first key in its second bucket costs; where keys come from, and free places lead to.
_DEAREST, _OUTSIDE = 10**12, -1
#: The meaning byte of words whose value needs no place in it.
_PLAIN = {
    Meaning.ZERO: 100,
    Meaning.HUNDRED: 101,
    Meaning.DOZEN: 104,
    Meaning.POINT: 105,
    Meaning.PERCENT: 106,
    Meaning.HALF: 107,
    Meaning.ALL: 108,
    Meaning.EXCEPT: 109,
    Meaning.GLUE: 110,
    Meaning.ARTICLE: 111,
    Meaning.AND: 112,
    Meaning.OWNER: 113,
    Meaning.PER: 114,
    Meaning.UNREAD: 115,
}
_SCALES = {3: 102, 6: 103}
_FRACTION = 120


class Entry(NamedTuple):
    meaning: int
    code: int


@dataclass(frozen=True)
class CodeTable:
    """chunks: 767 buckets each. kinds_words: codes of tokens that are not known by their text, five
    in a word from the lowest bits on, by the numbers of `Kind`; that of words is unknown ones'."""

    chunks: tuple[bytes, ...]
    kinds_words: tuple[int, int, int]

    def lookup(self, key: bytes) -> Entry | None:
        """What is found under a key, be it there or one like it."""
        place = _place(key, len(self.chunks))
        first = self._bucket(place.first)
        found = _found(first, place.fingerprint)
        if found is None and first[0] & place.overflow:
            found = _found(self._bucket(place.second), place.fingerprint)
        return found

    def code(self, kind: Kind, word: bytes) -> int:
        """As `Codebook.code`. word: in lower case."""
        if kind not in BY_TEXT:
            return self._kind(kind)
        start, end = parts_of(word)
        keys = (word, *((start + _STAR, _STAR + end) if start else ()))
        entries = (self.lookup(key) for key in keys)
        return next((entry.code for entry in entries if entry), self._kind(Kind.WORD))

    def meaning(self, word: bytes) -> tuple[Meaning, int]:
        """For `read`: what a word in lower case does in an amount, and its value."""
        found = self.lookup(word) if word and word[0] in LETTERS else None
        return _MEANT[found.meaning] if found else _MEANT[0]

    def lists(self, word: bytes) -> bool:
        """For `read`: whether a word in lower case is known, as a whole."""
        return self.lookup(word) is not None

    def _kind(self, kind: Kind) -> int:
        word, place = divmod(kind, CODES_PER_WORD)
        return self.kinds_words[word] >> CODE_BITS * place & ((1 << CODE_BITS) - 1)

    def _bucket(self, bucket: int) -> bytes:
        chunk, place = divmod(bucket, BUCKETS)
        return self.chunks[chunk][place * BUCKET_BYTES : (place + 1) * BUCKET_BYTES]


def table_of(codebook: Codebook) -> CodeTable:
    """With all words of the grammar. Raises ModelError for codes out of range, for too many keys,
    and where a key cannot be told from another."""
    entries = dict(_entries(codebook))
    for key, entry in entries.items():
        _check_code(key, entry.code)
    kinds = _kinds_words(codebook)
    least = max(1, -(-len(entries) // int(BUCKETS * ENTRIES * FULLEST)))
    for chunks in range(least, MOST_CHUNKS + 1):
        placed = _placed(list(entries), chunks)
        if placed is None:
            continue
        table = CodeTable(_packed(placed, entries, chunks), kinds)
        if all(table.lookup(key) == entry for key, entry in entries.items()):
            return table
    raise ModelError(
        f"{len(entries)} words and parts of words do not go into {MOST_CHUNKS} contracts, or two "
        "of them look alike there: leave some out"
    )


def table_from(content: bytes, kinds_words: tuple[int, ...]) -> CodeTable:
    """The table of a file that has its chunks one behind the other. Raises ModelError for what is
    none, has other meanings of words than the grammar, or codes that say otherwise than the kind
    whether a token can fill a slot: its tag would not count, however unsure it is."""
    size = BUCKETS * BUCKET_BYTES
    if len(content) % size or not 0 < len(content) <= MOST_CHUNKS * size:
        raise ModelError(
            f"{len(content):,} bytes are no code table: it has 1 to {MOST_CHUNKS} parts of {size:,}"
        )
    chunks = tuple(content[at : at + size] for at in range(0, len(content), size))
    first, second, third = kinds_words
    table = CodeTable(chunks, (first, second, third))
    for bucket in range(0, len(content), BUCKET_BYTES):
        for end in range(bucket + BUCKET_BYTES - 1, bucket + ENTRY_BYTES, -ENTRY_BYTES):
            entry = content[end - ENTRY_BYTES : end]
            if entry[-1] not in _MEANT:
                raise ModelError(f"a word of the table means {entry[-1]}, which is nothing")
            if any(entry) and not any(entry[FINGERPRINT_BYTES:-1]):
                raise ModelError("a word of the table has no code")
            if any(entry):
                code = int.from_bytes(entry[FINGERPRINT_BYTES:-1], "big")
                _check_flags("a word", code, filling=_MEANT[entry[-1]][0] in FILLING_MEANINGS)
    for kind in Kind:
        if kind not in BY_TEXT or kind is Kind.WORD:
            _check_flags(kind.name, table.code(kind, b""), filling=kind in FILLERS)
    for word, meant in WORDS.items():
        if table.meaning(word) != meant:
            raise ModelError(f"{word.decode()!r} means something else than in the grammar")
    return table


def _check_flags(what: str, code: int, *, filling: bool) -> None:
    """Raises ModelError."""
    if not code & PRESENT or bool(code & FILLING) is not filling:
        raise ModelError(f"the code {code:#x} of {what} says otherwise whether it can fill a slot")


def meaning_byte(word: bytes) -> int:
    """Of a word in lower case; 0 of one that is not of the grammar."""
    meaning, value = WORDS.get(word, (Meaning.NONE, 0))
    match meaning:
        case Meaning.NONE:
            return 0
        case Meaning.UNIT | Meaning.TEEN | Meaning.TEN:
            return value
        case Meaning.SCALE:
            return _SCALES[value]
        case Meaning.FRACTION:
            return _FRACTION + value
        case _:
            return _PLAIN[meaning]


#: By the meaning byte.
_MEANT = {meaning_byte(word): meant for word, meant in WORDS.items()} | {0: (Meaning.NONE, 0)}


def _entries(codebook: Codebook) -> Iterator[tuple[bytes, Entry]]:
    for word in {**codebook.words, **WORDS}:
        yield word, Entry(meaning_byte(word), codebook.code(Kind.WORD, word))
    for start, code in codebook.starts.items():
        if len(start) != FIRST:
            raise ModelError(f"words are known by their first {FIRST} letters, not by {start!r}")
        yield start + _STAR, Entry(0, code)
    for end, code in codebook.ends.items():
        if len(end) != LAST:
            raise ModelError(f"words are known by their last {LAST} letters, not by {end!r}")
        yield _STAR + end, Entry(0, code)


def _kinds_words(codebook: Codebook) -> tuple[int, int, int]:
    words = [0, 0, 0]
    for kind, code in {Kind.WORD: codebook.unknown, **codebook.kinds}.items():
        _check_code(kind.name.encode(), code)
        word, place = divmod(kind, CODES_PER_WORD)
        words[word] |= code << CODE_BITS * place
    return words[0], words[1], words[2]


def _check_code(key: bytes, code: int) -> None:
    if not 0 < code < 1 << CODE_BITS:
        raise ModelError(f"the code of {key!r} is {code}: it has {CODE_BITS} bits and is not 0")


class _Place(NamedTuple):
    """Of a key: its two buckets, counted over all chunks, and its bit among those that have
    overflowed."""

    fingerprint: bytes
    first: int
    second: int
    overflow: int


def _place(key: bytes, chunks: int) -> _Place:
    digest = keccak(key)
    first, second = (int.from_bytes(digest[:end], "big") % BUCKETS for end in (28, 16))
    if chunks > 1:
        second += BUCKETS * (1 + (digest[16] >> 5) % (chunks - 1))
    return _Place(digest[-FINGERPRINT_BYTES:], first, second, 1 << digest[28] % OVERFLOWS)


def _found(bucket: bytes, fingerprint: bytes) -> Entry | None:
    """The last entry with this fingerprint, unless that is an empty place."""
    for end in range(BUCKET_BYTES - 1, ENTRY_BYTES, -ENTRY_BYTES):
        entry = bucket[end - ENTRY_BYTES : end]
        if entry.startswith(fingerprint):
            code = int.from_bytes(entry[FINGERPRINT_BYTES:-1], "big")
            return Entry(entry[-1], code) if any(entry[FINGERPRINT_BYTES:]) else None
    return None


class _Placing:
    """Keys put into buckets one by one, by their numbers, at the least cost: a key in its second
    bucket costs the less the higher its number is. Each takes the cheapest way to a free place
    (Dijkstra), from a bucket to the other one of each key in it. What that saves elsewhere makes
    costs below zero: heights of buckets (Johnson's potentials) keep them from it."""

    def __init__(self, places: list[_Place], chunks: int) -> None:
        self.places = places
        self.buckets: list[list[int]] = [[] for _ in range(BUCKETS * chunks)]
        self.heights = [0] * len(self.buckets)

    def add(self, key: int) -> bool:
        """Whether there was room for it."""
        costs: dict[int, int] = {}
        came: dict[int, tuple[int, int]] = {}  # to a bucket: with this key, from this one
        queue: list[tuple[int, int, int, int]] = []
        for bucket in {self.places[key].first, self.places[key].second}:
            heappush(queue, (self._cost(key, bucket) - self.heights[bucket], bucket, key, _OUTSIDE))
        while queue:
            cost, bucket, moved, before = heappop(queue)
            if bucket == _OUTSIDE:
                for each, reached in costs.items():
                    self.heights[each] += min(0, reached - cost)
                self._move(before, came)
                return True
            if bucket in costs:
                continue
            costs[bucket], came[bucket] = cost, (moved, before)
            cost += self.heights[bucket]
            if len(self.buckets[bucket]) < ENTRIES:
                heappush(queue, (cost, _OUTSIDE, moved, bucket))
            for each in self.buckets[bucket]:
                other = self._other(each, bucket)
                more = self._cost(each, other) - self._cost(each, bucket) - self.heights[other]
                heappush(queue, (cost + more, other, each, bucket))
        return False

    def _cost(self, key: int, bucket: int) -> int:
        return 0 if bucket == self.places[key].first else _DEAREST // (1 + key)

    def _other(self, key: int, bucket: int) -> int:
        place = self.places[key]
        return place.second if bucket == place.first else place.first

    def _move(self, bucket: int, came: dict[int, tuple[int, int]]) -> None:
        while bucket != _OUTSIDE:
            key, before = came[bucket]
            if before != _OUTSIDE:
                self.buckets[before].remove(key)
            self.buckets[bucket].append(key)
            bucket = before


def _placed(keys: list[bytes], chunks: int) -> list[list[bytes]] | None:
    """The keys of each bucket, in their order; None where one finds no room."""
    placing = _Placing([_place(key, chunks) for key in keys], chunks)
    if not all(map(placing.add, range(len(keys)))):
        return None
    return [[keys[key] for key in sorted(bucket)] for bucket in placing.buckets]


def _packed(
    placed: list[list[bytes]], entries: dict[bytes, Entry], chunks: int
) -> tuple[bytes, ...]:
    overflows = [0] * len(placed)
    for bucket, keys in enumerate(placed):
        for place in (_place(key, chunks) for key in keys):
            if place.first != bucket:
                overflows[place.first] |= place.overflow
    content = b"".join(
        bytes([overflow]) + _packed_entries(keys, entries) + b"\0"
        for overflow, keys in zip(overflows, placed, strict=True)
    )
    size = BUCKETS * BUCKET_BYTES
    return tuple(content[at : at + size] for at in range(0, chunks * size, size))


def _packed_entries(keys: list[bytes], entries: dict[bytes, Entry]) -> bytes:
    packed = (
        keccak(key)[-FINGERPRINT_BYTES:]
        + entries[key].code.to_bytes(CODE_BYTES, "big")
        + bytes([entries[key].meaning])
        for key in reversed(keys)
    )
    return b"".join(packed).rjust(ENTRIES * ENTRY_BYTES, b"\0")


__all__ = ["BUCKETS", "MOST_CHUNKS", "CodeTable", "Entry", "meaning_byte", "table_from"]
__all__ += ["table_of"]
