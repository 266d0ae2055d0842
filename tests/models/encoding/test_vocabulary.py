"""The vocabulary: fingerprints that know their words and hardly any other."""

import pytest

from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.encoding.vocabulary import SLOTS, Vocabulary, build_vocabulary

WORDS = [f"word{i}".encode() for i in range(1500)]


def test_most_words_are_known_and_few_others() -> None:
    vocabulary = build_vocabulary(WORDS)
    known = sum(vocabulary.knows(keccak_int(word)) for word in WORDS)
    assert known > 1200  # a later word of a taken slot is left out
    strangers = sum(vocabulary.knows(keccak_int(f"other{i}".encode())) for i in range(10_000))
    assert strangers < 40  # about 1500 / 4096 / 255 of them


def test_the_first_word_of_a_slot_keeps_it() -> None:
    slot = (keccak_int(WORDS[0]) >> 236) % SLOTS
    rival = next(
        word
        for i in range(100_000)
        if (keccak_int(word := f"x{i}".encode()) >> 236) % SLOTS == slot
        and keccak_int(word) >> 248 not in (0, keccak_int(WORDS[0]) >> 248)
    )
    both = build_vocabulary([WORDS[0], rival])
    assert both.knows(keccak_int(WORDS[0]))
    assert not both.knows(keccak_int(rival))


def test_an_empty_vocabulary_knows_no_word_and_other_sizes_are_refused() -> None:
    empty = build_vocabulary([])
    assert not any(empty.knows(keccak_int(word)) for word in WORDS)
    with pytest.raises(ValueError, match="4096"):
        Vocabulary(b"")
