"""Which words a model knows. A word outside the vocabulary is hashed as one type, UNKNOWN.

A verb that training never saw would otherwise select rows that other words trained: noise. As
UNKNOWN it leaves the frame around it readable ("~ 5 USDC out of the pool"), and training replaces
known words by it as well (rare words as one class: Bikel et al. 1997).

On chain the vocabulary is 4,096 one-byte fingerprints. The hash of a word picks a slot by bits 236
to 247 and must match the slot's byte in its top 8 bits; zero means empty. A word that is not in the
vocabulary passes by accident in at most one case of 255.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from zkagent.models.encoding.hashing import keccak_int

SLOTS = 4096
SLOT_SHIFT, FINGERPRINT_SHIFT = 236, 248


@dataclass(frozen=True)
class Vocabulary:
    """`fingerprints`: 4,096 bytes."""

    fingerprints: bytes

    def __post_init__(self) -> None:
        if len(self.fingerprints) != SLOTS:
            raise ValueError(f"a vocabulary has {SLOTS} bytes, not {len(self.fingerprints)}")

    def knows(self, word_hash: int) -> bool:
        """Whether the word of this Keccak-256 (as an integer) is in the vocabulary."""
        found = self.fingerprints[(word_hash >> SLOT_SHIFT) % SLOTS]
        return found != 0 and found == word_hash >> FINGERPRINT_SHIFT


def build_vocabulary(words: Iterable[bytes]) -> Vocabulary:
    """A vocabulary of lower-case `words`, the most important first.

    The first word of a slot keeps it; a word whose slot is taken, or whose fingerprint is zero, is
    left out.
    """
    fingerprints = bytearray(SLOTS)
    for word in words:
        h = keccak_int(word)
        slot = (h >> SLOT_SHIFT) % SLOTS
        fingerprints[slot] = fingerprints[slot] or h >> FINGERPRINT_SHIFT
    return Vocabulary(bytes(fingerprints))


EVERY_WORD_UNKNOWN = Vocabulary(bytes(SLOTS))
