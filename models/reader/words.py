"""Words of what tools say of themselves: names, descriptions, parameters. Any bytes are read.

`transferFrom` is transfer, from; `ERC20_balance` is erc, 20, balance; `HTTPServer` is http, server.
What is no ASCII letter or digit parts words, but for an apostrophe between two letters. Only the
first 2,000 bytes and the first 256 words count: so a tool cannot make its reading dear, nor a sum
of 256 rows of int8 leave int16. `verifier_contracts/src/reader/ToolWords.sol` reads the same.
"""

from typing import NamedTuple

from zkagent.models.instructions.scanner import DIGITS, LETTERS

MOST_BYTES, MOST_WORDS = 2000, 256
_APOSTROPHE = ord("'")
_CASE = 0x20  # set in lower-case letters


class Word(NamedTuple):
    """Bytes [start, end) of a text."""

    start: int
    end: int


def word_spans(text: bytes) -> list[Word]:
    """Up to 256, in order."""
    text = text[:MOST_BYTES]
    found: list[Word] = []
    start = 0
    for at in range(len(text) + 1):
        if at < len(text) and at > start and not _parts(text, at):
            continue
        if at > start and _is_inner(text, start):
            found.append(Word(start, at))
        start = at
    return found[:MOST_WORDS]


def words_of(text: bytes) -> list[bytes]:
    """The same in lower case."""
    return [text[start:end].lower() for start, end in word_spans(text)]


def _is_inner(text: bytes, at: int) -> bool:
    """Whether the byte may be one of a word."""
    return text[at] in LETTERS or text[at] in DIGITS


def _parts(text: bytes, at: int) -> bool:
    """Whether no word has both the byte at `at` and the one before."""
    before, here = text[at - 1], text[at]
    if here == _APOSTROPHE:
        return not (before in LETTERS and _at(text, at + 1) in LETTERS)
    if before == _APOSTROPHE:
        return not (here in LETTERS and _at(text, at - 2) in LETTERS)
    if here in DIGITS or before in DIGITS:
        return not (here in DIGITS and before in DIGITS)
    if here not in LETTERS or before not in LETTERS:
        return True
    return _is_capital(here) and (not _is_capital(before) or _begins(text, at))


def _begins(text: bytes, at: int) -> bool:
    """Whether a small letter follows the capital there: the S of HTTPServer."""
    following = _at(text, at + 1)
    return following in LETTERS and not _is_capital(following)


def _is_capital(letter: int) -> bool:
    return not letter & _CASE


def _at(text: bytes, at: int) -> int:
    return text[at] if 0 <= at < len(text) else 0


__all__ = ["MOST_BYTES", "MOST_WORDS", "Word", "word_spans", "words_of"]
