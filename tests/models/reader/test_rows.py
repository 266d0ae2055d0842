"""The table of words: each is found, others are not, and its bytes mean what the docs say."""

import numpy as np
import pytest

from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import ModelError
from zkagent.models.reader.rows import (
    BUCKET_BYTES,
    ENTRY_BYTES,
    SIZE,
    Rows,
    Shape,
    fingerprint,
    places,
    rows_of,
    shape_of,
)

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


def test_a_bucket_is_four_shifts_and_fingerprints_and_64_numbers_of_four_bits_for_each() -> None:
    head = (2 << 14 | fingerprint(keccak_int(b"pay"))).to_bytes(2, "big")
    numbers = bytes([0x7F]) + bytes([0x80]) + bytes(30)
    bucket = bytes(2) + head + bytes(4 + 32) + numbers + bytes(64)
    rows = Rows(bytes(2 * ENTRY_BYTES) + bucket)
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


MANY = [f"w{n:x}" for n in range(3000)]
LARGE = rows_of(MANY, np.random.default_rng(3).normal(0, 1, (3000, SIZE)), APART, MANY[::-1])


def test_frequent_words_are_found_in_the_front_and_all_others_in_one_chunk_behind_it() -> None:
    shape = shape_of(LARGE.buckets)
    assert shape == Shape(5, 162)
    for word in MANY:
        front, one, other = places(keccak_int(word.encode()), shape)
        assert front < shape.each <= one
        assert one // shape.each == other // shape.each
    row = LARGE.apart(0).tolist()
    assert all(LARGE.of(word.encode()).tolist() != row for word in MANY)
    first = Rows(LARGE.content[: 2 * ENTRY_BYTES + shape.each * BUCKET_BYTES])
    lies = [_lies_in(first, word) for word in MANY[::-1]]
    assert all(lies[:100])
    assert 0.95 < sum(lies) / (4 * shape.each) <= 1.02  # two of one mark look alike
    assert sum(lies[1500:]) < 150


def _lies_in(front: Rows, word: str) -> bool:
    digest = keccak_int(word.encode())
    start = 2 * ENTRY_BYTES + BUCKET_BYTES * (digest % front.buckets)
    heads = front.content[start : start + 8]
    marks = {int.from_bytes(heads[at : at + 2], "big") & 0x3FFF for at in range(0, 8, 2)}
    return fingerprint(digest) in marks


@pytest.mark.parametrize("buckets", [0, 181, 541])
def test_buckets_that_do_not_fill_chunks_evenly_are_no_table(buckets: int) -> None:
    with pytest.raises(ModelError, match=f"{buckets} buckets do not fill"):
        shape_of(buckets)


def test_more_words_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkagent.models.reader.rows.FULLEST", 1.1)
    monkeypatch.setattr("zkagent.models.reader.rows.MOST_ORDERS", 1)
    with pytest.raises(ModelError, match="400 words do not fit"):
        rows_of(WORDS, VECTORS, APART)
