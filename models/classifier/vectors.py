"""Vectors of words that a sentence model taught, as a classifier starts from them.

Training texts say nothing of words that they lack. Vectors do: a known word's row of the table is
what training gives it plus its vector times one matrix for all words, which training fits. Of a
word that training texts lack, or have too seldom, the row is that of unknown words plus the same.
When training ends the sum is the row, and the vectors are no part of the classifier.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.classifier.text import word_hashes
from zkagent.models.classifier.words import SLOTS, KnownWords, slot_of, slots_of, with_others
from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.reader.lexis import Given

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TaughtWords:
    """known: each with a row of its own. seen [16,384]: whether the word in a slot is one that
    training texts have often enough. vectors [16,384, k]: of the word in each slot, zeros where
    it has none; of length 1 in the quadratic mean over those that have one."""

    known: KnownWords
    seen: npt.NDArray[np.bool_]
    vectors: Vectors


def teach_words(texts: Iterable[str], given: Given) -> TaughtWords:
    """The words that a classifier of these texts knows, and as many of those given as find a free
    slot, in their order."""
    hashes = [keccak_int(word.encode()) for word in given.words]
    seen = slots_of(word_hashes(text) for text in texts)
    owners = with_others(seen, hashes)
    vectors = np.zeros((SLOTS, given.vectors.shape[1]), dtype=np.float32)
    for word, vector in zip(hashes, given.vectors, strict=True):
        if owners.get(slot_of(word)) == word:
            vectors[slot_of(word)] = vector
    bits = np.zeros(SLOTS, dtype=np.uint8)
    bits[list(seen)] = 1
    packed = np.packbits(bits, bitorder="little").tobytes()
    known = KnownWords(KnownWords.of(owners).fingerprints, packed)
    lengths = np.square(vectors).sum(1)
    there = lengths[lengths > 0]
    unit = float(np.sqrt(there.mean())) if len(there) else 1.0
    return TaughtWords(known, bits.astype(bool), vectors / np.float32(unit))


__all__ = ["TaughtWords", "Vectors", "teach_words"]
