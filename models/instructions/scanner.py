"""A prompt's bytes to pieces: words, runs with digits, marks.

A word begins with a letter and goes on over letters, digits and apostrophes between letters. A run
with digits begins with a digit, or a point before one, and goes on over letters and digits, over
any one mark between two digits, and over a percent sign at its end. Marks are whatever else stands
together, but for a percent sign, which begins none of more than itself. A single hyphen between
letters only parts them.
"""

from dataclasses import dataclass
from enum import IntEnum

from zkagent.models.errors import PromptNotAscii, PromptTooLong

MAX_CHARACTERS = 512

DIGITS = frozenset(b"0123456789")
LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
ALNUM = DIGITS | LETTERS
_SPACE, _APOSTROPHE, _HYPHEN, _POINT, _PERCENT = b" '-.%"


class Shape(IntEnum):
    """What a piece is made of."""

    WORD = 0
    RUN = 1  # has digits
    MARK = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes [start, end) of the prompt."""

    shape: Shape
    start: int
    end: int


def scan(text: bytes) -> list[Piece]:
    """The pieces of `text` in order. Raises PromptTooLong or PromptNotAscii."""
    if len(text) > MAX_CHARACTERS:
        raise PromptTooLong(len(text), MAX_CHARACTERS)
    for position, byte in enumerate(text):
        if not 0x20 <= byte <= 0x7E:
            raise PromptNotAscii(position)
    pieces: list[Piece] = []
    i = 0
    while i < len(text):
        if text[i] == _SPACE:
            i += 1
            continue
        shape, end = _piece(text, i)
        if shape is not Shape.MARK or not _parts_letters(text, i, end):
            pieces.append(Piece(shape, i, end))
        i = end
    return pieces


def _piece(text: bytes, i: int) -> tuple[Shape, int]:
    """The piece that begins at `i`: its shape and where it ends."""
    if text[i] in LETTERS:
        return Shape.WORD, _word_end(text, i)
    if text[i] in DIGITS or _is_leading_point(text, i):
        return Shape.RUN, _run_end(text, i)
    end = i + 1
    if text[i] == _PERCENT:
        return Shape.MARK, end
    while end < len(text) and text[end] not in ALNUM and text[end] != _SPACE:
        if _is_leading_point(text, end):
            break
        end += 1
    return Shape.MARK, end


def _word_end(text: bytes, i: int) -> int:
    while _at(text, i) in ALNUM or (_at(text, i) == _APOSTROPHE and _between(text, i, LETTERS)):
        i += 1
    return i


def _run_end(text: bytes, i: int) -> int:
    i += 1
    while _at(text, i) in ALNUM or (_is_mark(_at(text, i)) and _between(text, i, DIGITS)):
        i += 1
    return i + 1 if _at(text, i) == _PERCENT else i


def _is_leading_point(text: bytes, i: int) -> bool:
    """A point with a digit behind it, and no letter or digit before it."""
    return text[i] == _POINT and _at(text, i + 1) in DIGITS and _at(text, i - 1) not in ALNUM


def _parts_letters(text: bytes, start: int, end: int) -> bool:
    alone = end == start + 1 and text[start] == _HYPHEN
    return alone and _between(text, start, LETTERS)


def _between(text: bytes, i: int, kind: frozenset[int]) -> bool:
    return _at(text, i - 1) in kind and _at(text, i + 1) in kind


def _is_mark(byte: int) -> bool:
    return byte > _SPACE and byte not in ALNUM


def _at(text: bytes, i: int) -> int:
    return text[i] if 0 <= i < len(text) else _SPACE
