"""The table of words: each is found, others are not, and its bytes mean what the docs say."""

import numpy as np
import pytest

from zkagent.models.errors import ModelError
from zkagent.models.reader.rows import BUCKET_BYTES, ENTRY_BYTES, SIZE, Rows, fingerprint, rows_of

WORDS = [f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(400)]
VECTORS = np.random.default_rng(1).normal(0, 1, (400, SIZE))
APART = np.random.default_rng(2).normal(0, 0.2, (2, SIZE))
ROWS = rows_of(WORDS, VECTORS, APART)


def test_each_word_has_about_its_own_vector() -> None:
    found = np.array([ROWS.of(word.encode()) for word in WORDS], dtype=np.float64)
    likeness = (found * VECTORS).sum(1)
    likeness /= np.linalg.norm(found, axis=1) * np.linalg.norm(VECTORS, axis=1)
    assert np.median(likeness) > 0.98
    assert (likeness > 0.95).mean() > 0.99  # but for words that share a fingerprint


def test_unknown_words_and_numbers_have_the_rows_in_front() -> None:
    unknown = [ROWS.of(b"other%d" % i).tolist() for i in range(500)]
    assert np.mean([row == ROWS.apart(0).tolist() for row in unknown]) > 0.98
    assert ROWS.of(b"2026").tolist() == ROWS.apart(1).tolist() != ROWS.apart(0).tolist()


def test_an_entry_is_a_shift_a_fingerprint_and_64_numbers_of_four_bits() -> None:
    head = (2 << 14 | fingerprint(b"pay")).to_bytes(2, "big")
    entry = head + bytes([0x7F]) + bytes([0x80]) + bytes(30)
    rows = Rows(bytes(2 * ENTRY_BYTES) + entry + bytes(BUCKET_BYTES - ENTRY_BYTES))
    assert rows.of(b"pay").tolist() == [28, -4, -32, 0, *[0] * 60]
    assert rows.of(b"paid").tolist() == [0] * 64


@pytest.mark.parametrize("size", [0, ENTRY_BYTES, 2 * ENTRY_BYTES, 2 * ENTRY_BYTES + 1])
def test_a_file_of_another_length_is_no_table(size: int) -> None:
    with pytest.raises(ModelError, match=f"{size} bytes"):
        Rows(bytes(size))


def test_no_sum_of_a_text_leaves_int16() -> None:
    largest = max(abs(ROWS.of(word.encode())).max() for word in WORDS)
    assert largest <= 64
    assert 256 * 64 < 1 << 15
