"""A text as detectors read it: one form of each character, nothing invisible, escapes undone once.

A finding in a view leads back to the piece of the original text that it was made of.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{1,6});"
    r"|&#([0-9]{1,7});|\\([nrt\"'/\\])|(=\r?\n)",
    re.ASCII,
)
SHORT = {"n": "\n", "r": "\r", "t": "\t"}
STRANGE = re.compile(r"[^\t\n\r -~]")
ESCAPE_OR_STRANGE = re.compile(rf"{ESCAPE.pattern}|(?P<strange>[^\t\n\r -~])", re.ASCII)
PLAIN = re.compile(r"[\t\n\r -~]*", re.ASCII)
#: Characters with which an escape begins, or a line that mails break.
SIGNS = ("\\", "%", "&#", "=\n", "=\r")


@dataclass(frozen=True, slots=True)
class Piece:
    """Of a view: where it begins there, and which part of the original it is made of. same: it is
    that part, character for character."""

    at: int
    start: int
    end: int
    same: bool


@dataclass(frozen=True, slots=True)
class View:
    """pieces: in order; none where it is the original itself."""

    text: str
    pieces: tuple[Piece, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The part that a finding was made of. start < end."""
        if not self.pieces:
            return start, end
        first, last = self._piece(start), self._piece(end - 1)
        begin = first.start + (start - first.at) * first.same
        return begin, last.start + (end - last.at) if last.same else last.end

    def _piece(self, at: int) -> Piece:
        return self.pieces[bisect_right(self.pieces, at, key=_at) - 1]


def _at(piece: Piece) -> int:
    return piece.at


def views(text: str) -> Iterator[View]:
    """As it stands; and with escapes undone, where there are some."""
    yield View(text) if PLAIN.fullmatch(text) else _view(text, STRANGE)
    if any(sign in text for sign in SIGNS):
        yield _view(text, ESCAPE_OR_STRANGE)


def _view(text: str, special: re.Pattern[str]) -> View:
    parts: list[str] = []
    pieces: list[Piece] = []
    at = last = 0
    for found in special.finditer(text):
        start, end = found.span()
        meant = "".join(map(plain, _meant(found)))
        for piece, part in (
            (Piece(at, last, start, True), text[last:start]),
            (Piece(at + start - last, start, end, False), meant),
        ):
            if part:
                parts.append(part)
                pieces.append(piece)
                at += len(part)
        last = end
    if last < len(text):
        parts.append(text[last:])
        pieces.append(Piece(at, last, len(text), True))
    return View("".join(parts), tuple(pieces))


def _meant(found: re.Match[str]) -> str:
    if found.re is STRANGE or found["strange"] is not None:
        return found.group()
    *codes, decimal, short, _broken, _strange = found.groups()
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
