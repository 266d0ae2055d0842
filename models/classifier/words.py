"""Which words a classifier knows: those that its training texts have often enough.

Any other word is hashed as one type, UNKNOWN, as in the encoder: a name that training never saw
would otherwise select rows that other words trained. Rare words of the training texts are unknown,
too, so that training learns what stands around them (rare words as one class: Bikel et al. 1997).
In cross-validation of size S on SNIPS, whose texts are full of names, one error in ten went away.

One byte for each of 16,384 slots, four times those of the wallet's vocabulary because data sets
have more words: bits 234 to 247 of a word's Keccak-256 pick the slot, which holds the top 8 bits.
Zero means empty. A strange word passes by accident in at most one case of 255.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

SLOTS = 1 << 14
SLOT_SHIFT, FINGERPRINT_SHIFT = 234, 248
LEAST_TEXTS = 3


@dataclass(frozen=True)
class KnownWords:
    """`fingerprints`: 16,384 bytes. Words go by their Keccak-256 as an integer."""

    fingerprints: bytes

    def __post_init__(self) -> None:
        if len(self.fingerprints) != SLOTS:
            raise ValueError(f"expected {SLOTS} fingerprints, got {len(self.fingerprints)}")

    def knows(self, word_hash: int) -> bool:
        found = self.fingerprints[(word_hash >> SLOT_SHIFT) % SLOTS]
        return found != 0 and found == word_hash >> FINGERPRINT_SHIFT


def frequent_words(texts: Iterable[Iterable[int]]) -> KnownWords:
    """Of texts as hashes of their words: words that at least three texts have.

    A slot goes to its most frequent word; a word whose fingerprint is zero is left out.
    """
    counts = Counter(word for words in texts for word in set(words))
    fingerprints = bytearray(SLOTS)
    for word, texts_with_it in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        slot = (word >> SLOT_SHIFT) % SLOTS
        if texts_with_it >= LEAST_TEXTS and not fingerprints[slot]:
            fingerprints[slot] = word >> FINGERPRINT_SHIFT
    return KnownWords(bytes(fingerprints))
