"""Words of tools' texts, of any bytes."""

import random

import pytest

from zkagent.models.reader.words import MOST_BYTES, MOST_WORDS, word_spans, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("transferFrom", "transfer from"),
        ("set_fee_to", "set fee to"),
        ("HTTPServer", "http server"),
        ("ERC20_balanceOf", "erc 20 balance of"),
        ("get2ndBID", "get 2 nd bid"),
        ("ABC", "abc"),
        ("aB", "a b"),
        ("ABc", "a bc"),
        ("don't 'quote' o'Neil 5's a''b", "don't quote o'neil 5 s a b"),
        ("Pay: 1,000.50 (USDC)!", "pay 1 000 50 usdc"),
        ("", ""),
        ("--", ""),
    ],
)
def test_names_are_split(text: str, words: str) -> None:
    assert words_of(text.encode()) == words.encode().split()


def test_other_bytes_part_words() -> None:
    assert words_of("naïve café\0x\nZahlung é".encode()) == [b"na", b"ve", b"caf", b"x", b"zahlung"]


def test_no_text_is_refused_and_its_end_does_not_count() -> None:
    assert words_of(b"a" * (MOST_BYTES + 5)) == [b"a" * MOST_BYTES]
    assert len(words_of(b"a " * 999)) == MOST_WORDS
    rng = random.Random(1)
    for length in (0, 1, 7, 300, MOST_BYTES, 5000):
        text = rng.randbytes(length)
        spans = word_spans(text)
        assert all(0 <= start < end <= MOST_BYTES for start, end in spans)
