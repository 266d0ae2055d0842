"""Which words a classifier knows: those that its training texts have often enough, and those that
came with vectors.

Any other word is hashed as one type, UNKNOWN, as in the encoder: a name that training never saw
would otherwise select rows that other words trained. Rare words of the training texts are unknown,
too, so that training learns what stands around them (rare words as one class: Bikel et al. 1997).
In cross-validation of size S on SNIPS, whose texts are full of names, one error in ten went away.

One byte for each of 16,384 slots, four times those of the wallet's vocabulary because data sets
have more words: bits 234 to 247 of a word's Keccak-256 pick the slot, which holds the top 8 bits.
Zero means empty. A strange word passes by accident in at most one case of 255.

With vectors (`vectors.py`) a known word has a row of its own, that of its slot, behind the rows of
the hashes: what its vector says of it is not mixed with other n-grams. Words of which only a vector
is known are UNKNOWN in all else, their pairs with other words above all.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SLOTS = 1 << 14
SEEN_BYTES = SLOTS // 8
SLOT_SHIFT, FINGERPRINT_SHIFT = 234, 248
LEAST_TEXTS = 3


@dataclass(frozen=True)
class KnownWords:
    """`fingerprints`: 16,384 bytes. Words go by their Keccak-256 as an integer. seen: where known
    words have rows of their own, which slots' words training saw often enough, a bit each, the
    lowest of a byte first: 2,048 bytes. None: no word has a row of its own."""

    fingerprints: bytes
    seen: bytes | None = None

    def __post_init__(self) -> None:
        if len(self.fingerprints) != SLOTS:
            raise ValueError(f"expected {SLOTS} fingerprints, got {len(self.fingerprints)}")
        if self.seen is not None and len(self.seen) != SEEN_BYTES:
            raise ValueError(f"expected {SEEN_BYTES} bytes of seen words, got {len(self.seen)}")

    @classmethod
    def of(cls, owners: Mapping[int, int]) -> "KnownWords":
        """owners: of slots, as words; no word whose fingerprint is zero."""
        fingerprints = bytearray(SLOTS)
        for slot, word in owners.items():
            fingerprints[slot] = word >> FINGERPRINT_SHIFT
        return cls(bytes(fingerprints))

    @classmethod
    def load(cls, content: bytes) -> "KnownWords":
        """Of `content`. Raises ValueError."""
        return cls(content[:SLOTS], content[SLOTS:] or None)

    @property
    def content(self) -> bytes:
        return self.fingerprints + (self.seen or b"")

    @property
    def apart(self) -> bool:
        """Whether known words have rows of their own."""
        return self.seen is not None

    def saw(self, slot: int) -> bool:
        return self.seen is None or self.seen[slot // 8] >> slot % 8 & 1 == 1

    def knows(self, word_hash: int) -> bool:
        found = self.fingerprints[slot_of(word_hash)]
        return found != 0 and found == word_hash >> FINGERPRINT_SHIFT


def slot_of(word_hash: int) -> int:
    return (word_hash >> SLOT_SHIFT) % SLOTS


def slots_of(texts: Iterable[Iterable[int]]) -> dict[int, int]:
    """The words that own slots, of texts as hashes of their words: words that at least three texts
    have.

    A slot goes to its most frequent word; a word whose fingerprint is zero is left out.
    """
    counts = Counter(word for words in texts for word in set(words))
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return with_others({}, (word for word, found in often if found >= LEAST_TEXTS))


def with_others(owners: Mapping[int, int], words: Iterable[int]) -> dict[int, int]:
    """And those words, in their order, that find their slot free."""
    found = dict(owners)
    for word in words:
        if word >> FINGERPRINT_SHIFT:
            found.setdefault(slot_of(word), word)
    return found
