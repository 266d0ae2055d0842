"""A text as detectors read it: one form of each character, nothing invisible, escapes undone once.

A finding in a view leads back to the piece of the original text that it was made of.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{1,6});"
    r"|&#([0-9]{1,7});|\\([nrt\"'/\\])|(=\r?\n)",
    re.ASCII,
)
SHORT = {"n": "\n", "r": "\r", "t": "\t"}
PLAIN = re.compile(r"[\t\n\r -~]*", re.ASCII)
#: Characters with which an escape begins, or a line that mails break.
SIGNS = ("\\", "%", "&#", "=\n", "=\r")


@dataclass(frozen=True, slots=True)
class View:
    """starts, ends: of each character's piece in the original; None where it is the same text."""

    text: str
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The piece that a finding was made of. start < end."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def views(text: str) -> Iterator[View]:
    """As it stands; and with escapes undone, where there are some."""
    yield View(text) if PLAIN.fullmatch(text) else _view(text, escapes=False)
    if any(sign in text for sign in SIGNS):
        yield _view(text, escapes=True)


def _view(text: str, *, escapes: bool) -> View:
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, piece in _pieces(text) if escapes else _single(text, 0, len(text)):
        for character in plain(piece):
            characters.append(character)
            starts.append(start)
            ends.append(end)
    return View("".join(characters), tuple(starts), tuple(ends))


def _single(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    return ((at, at + 1, text[at]) for at in range(start, end))


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    last = 0
    for found in ESCAPE.finditer(text):
        yield from _single(text, last, found.start())
        yield found.start(), found.end(), _meant(found)
        last = found.end()
    yield from _single(text, last, len(text))


def _meant(found: re.Match[str]) -> str:
    *codes, decimal, short, _broken = found.groups()
    for code in codes:
        if code is not None:
            return _character(int(code, 16))
    if decimal is not None:
        return _character(int(decimal))
    return SHORT.get(short, short) if short is not None else ""


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else ""


@lru_cache(maxsize=4096)
def plain(character: str) -> str:
    """Digits of all scripts as 0 to 9, dashes as -, blanks as one; nothing for the invisible."""
    if "\t" <= character <= "\r" or " " <= character <= "~":
        return character
    folded = unicodedata.normalize("NFKC", character)
    return "".join(map(_plain, folded))


def _plain(character: str) -> str:
    if " " <= character <= "~":
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character == "\u2212":
        return "-"
    if category in {"Zs", "Zl", "Zp"}:
        return " "
    invisible = (
        category in {"Cf", "Cc", "Cs"} or character in "\u034f\u115f\u1160\u3164\ufe0e\ufe0f"
    )
    return "" if invisible else character


__all__ = ["View", "plain", "views"]
