"""What a network reads of a word: whole, by its first letters, by its last, or as unknown."""

import pytest

from zkagent.models.instructions.codes import PRESENT, Codebook, parts_of
from zkagent.models.instructions.reader import BY_TEXT, Kind, Names, read

BOOK = Codebook(
    words={b"send": 1, b".": 2, b"all": 3},
    starts={b"depo": 4, b"send": 5},
    ends={b"ing": 6, b"end": 7},
    unknown=8,
    kinds={kind: 10 + kind for kind in Kind if kind not in BY_TEXT},
)
NAMES = Names(
    is_symbol=lambda word: word == b"dai",
    is_contact=lambda word: word == b"send",
    is_token=lambda address: False,
)
NOBODY = Names(lambda word: word == b"dai", lambda word: False, lambda address: False)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        (b"send", 1),
        (b"sender", 5),
        (b"deposit", 4),
        (b"depoing", 4),  # the beginning goes before the end
        (b"lending", 6),
        (b"spend", 7),
        (b"end", 8),  # too short for either
        (b"ing", 8),
        (b"", 8),
        (b"...ing", 8),  # a mark has no letters
        (b".", 2),
        (b"nobody", 8),
    ],
)
def test_a_word_is_looked_up_whole_then_by_its_parts(word: bytes, code: int) -> None:
    assert BOOK.code(Kind.WORD, word) == code


def test_other_tokens_are_known_by_their_kind_alone() -> None:
    text = b"Send all, 5 DAI to send"
    codes = BOOK.codes(text, read(text, NAMES))
    assert codes == (
        10 + Kind.CONTACT,
        3,
        8,
        10 + Kind.DIGITS,
        10 + Kind.SYMBOL,
        8,
        10 + Kind.CONTACT,
    )
    assert BOOK.codes(b"SEND 7 dai", read(b"SEND 7 dai", NOBODY))[0] == 1


def test_parts_are_of_words_of_four_letters_on() -> None:
    assert parts_of(b"the") == (b"", b"")
    assert parts_of(b"pool") == (b"pool", b"ool")
    assert parts_of(b"don't") == (b"don'", b"n't")
    assert parts_of(b"----") == (b"", b"")


def test_the_highest_bit_says_that_there_is_a_token() -> None:
    assert PRESENT.bit_length() == 48
