"""Quoted text in a prompt: between double quotes, single quotes or backticks.

A quote opens with no letter or digit before it and no blank behind it, and closes with no letter
or digit behind it: so no apostrophe and no inch mark quotes anything.
"""

from typing import NamedTuple

from zkagent.models.reader.view import ALNUM, View

_QUOTES = b"\"'`"
_BLANK = ord(" ")


class Quote(NamedTuple):
    """Bytes [start, end) between two quotes; pieces [first, last) that lie within."""

    start: int
    end: int
    first: int
    last: int


def quotes(view: View) -> list[Quote]:
    """From left to right, none within another; none that has no piece whole."""
    text, found = view.text, []
    at = 0
    while at < len(text):
        end = _closing(text, at) if _opens(text, at) else at
        if end > at and (inner := _pieces(view, at + 1, end)).last > inner.first:
            found.append(inner)
        at = max(end, at) + 1
    return found


def _opens(text: bytes, at: int) -> bool:
    if text[at] not in _QUOTES or (at > 0 and text[at - 1] in ALNUM):
        return False
    return at + 1 < len(text) and text[at + 1] != _BLANK


def _closing(text: bytes, opening: int) -> int:
    """Where the quote closes that opens there; the same place if nowhere."""
    for at in range(opening + 1, len(text)):
        closes = text[at] == text[opening]
        if closes and (at + 1 == len(text) or text[at + 1] not in ALNUM):
            return at
    return opening


def _pieces(view: View, start: int, end: int) -> Quote:
    """Those that begin and end within."""
    first = sum(piece.start < start for piece in view.pieces)
    last = first
    while last < len(view) and view.pieces[last].end <= end:
        last += 1
    return Quote(start, end, first, last)


def taken_by(view: View, found: list[Quote]) -> list[bool]:
    """Of each piece, whether it touches what is quoted or a quote."""
    return [
        any(piece.start <= quote.end and piece.end >= quote.start for quote in found)
        for piece in view.pieces
    ]


__all__ = ["Quote", "quotes", "taken_by"]
