"""A codebook as the contract looks it up: buckets of three entries, two of them for each key.

A key is a whole word or mark, first letters with a star behind them, or last letters with one
before them. An entry holds 24 bits of its key's hash, so that another word may find it, about one
in three million; `CodeTable` finds what the contract finds, by mistake as well.
`InstructionEncoder.sol` has the buckets in contracts of 767 each.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from eth_utils.crypto import keccak

from zkagent.models.errors import ModelError
from zkagent.models.instructions.codes import CODE_BITS, FIRST, LAST, Codebook, parts_of
from zkagent.models.instructions.grammar import WORDS, Meaning
from zkagent.models.instructions.reader import BY_TEXT, Kind
from zkagent.models.instructions.scanner import LETTERS

BUCKETS, BUCKET_BYTES, ENTRIES, ENTRY_BYTES = 767, 32, 3, 10
MOST_CHUNKS = 8
CODES_PER_WORD = 5
#: Entries moved at most to make room for one; tables of other orders tried at most.
MOST_MOVES, MOST_ORDERS = 500, 20
#: Of all places, how many may be taken: above it a table takes another chunk.
FULLEST = 0.85

_STAR = b"*"
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
        fingerprint, *buckets = _places(key, BUCKETS * len(self.chunks))
        for bucket in buckets:
            content = self._bucket(bucket)
            for at in range(0, ENTRIES * ENTRY_BYTES, ENTRY_BYTES):
                code = int.from_bytes(content[at + 4 : at + ENTRY_BYTES], "big")
                if code and content[at : at + 3] == fingerprint:
                    return Entry(content[at + 3], code)
        return None

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
    chunks = max(1, -(-len(entries) // int(BUCKETS * ENTRIES * FULLEST)))
    for order in range(MOST_ORDERS):
        if chunks > MOST_CHUNKS:
            break
        placed = _placed(entries, BUCKETS * chunks, random.Random(order))
        if placed is None:
            continue
        table = CodeTable(_packed(placed, entries, chunks), kinds)
        if all(table.lookup(key) == entry for key, entry in entries.items()):
            return table
    raise ModelError(
        f"{len(entries)} words and parts of words do not go into {min(chunks, MOST_CHUNKS)} "
        "contracts, or two of them look alike there: leave some out"
    )


def table_from(content: bytes, kinds_words: tuple[int, ...]) -> CodeTable:
    """The table of a file that has its chunks one behind the other. Raises ModelError for what is
    none, or has other meanings of words than the grammar."""
    size = BUCKETS * BUCKET_BYTES
    if len(content) % size or not 0 < len(content) <= MOST_CHUNKS * size:
        raise ModelError(
            f"{len(content):,} bytes are no code table: it has 1 to {MOST_CHUNKS} parts of {size:,}"
        )
    chunks = tuple(content[at : at + size] for at in range(0, len(content), size))
    first, second, third = kinds_words
    table = CodeTable(chunks, (first, second, third))
    for bucket in range(0, len(content), BUCKET_BYTES):
        for at in range(bucket, bucket + ENTRIES * ENTRY_BYTES, ENTRY_BYTES):
            if content[at + 3] not in _MEANT:
                raise ModelError(f"a word of the table means {content[at + 3]}, which is nothing")
    for word, meant in WORDS.items():
        if table.meaning(word) != meant:
            raise ModelError(f"{word.decode()!r} means something else than in the grammar")
    return table


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


def _places(key: bytes, buckets: int) -> tuple[bytes, int, int]:
    """A key's fingerprint and its two buckets."""
    digest = keccak(key)
    first, second = (int.from_bytes(digest[at : at + 8], "big") for at in (20, 12))
    return digest[29:], first % buckets, second % buckets


def _placed(
    entries: dict[bytes, Entry], buckets: int, rng: random.Random
) -> list[list[bytes]] | None:
    """The keys of each bucket; None where one finds no room."""
    placed: list[list[bytes]] = [[] for _ in range(buckets)]
    keys = sorted(entries)
    rng.shuffle(keys)
    return placed if all(_finds_room(placed, key, rng) for key in keys) else None


def _finds_room(placed: list[list[bytes]], key: bytes, rng: random.Random) -> bool:
    for _ in range(MOST_MOVES):
        homeless = _settled(placed, key, rng)
        if homeless is None:
            return True
        key = homeless
    return False


def _settled(placed: list[list[bytes]], key: bytes, rng: random.Random) -> bytes | None:
    """Puts a key into one of its buckets; the key that had to leave, if any."""
    _, *own = _places(key, len(placed))
    for bucket in own:
        if len(placed[bucket]) < ENTRIES:
            placed[bucket].append(key)
            return None
    full = placed[rng.choice(own)]
    at = rng.randrange(ENTRIES)
    full[at], left = key, full[at]
    return left


def _packed(
    placed: list[list[bytes]], entries: dict[bytes, Entry], chunks: int
) -> tuple[bytes, ...]:
    content = b"".join(
        b"".join(_packed_entry(key, entries[key], len(placed)) for key in keys).ljust(
            BUCKET_BYTES, b"\0"
        )
        for keys in placed
    )
    size = BUCKETS * BUCKET_BYTES
    return tuple(content[at : at + size] for at in range(0, chunks * size, size))


def _packed_entry(key: bytes, entry: Entry, buckets: int) -> bytes:
    fingerprint, *_ = _places(key, buckets)
    return fingerprint + bytes([entry.meaning]) + entry.code.to_bytes(CODE_BITS // 8, "big")


__all__ = ["BUCKETS", "MOST_CHUNKS", "CodeTable", "Entry", "meaning_byte", "table_from"]
__all__ += ["table_of"]
