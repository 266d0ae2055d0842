"""What a parameter's numbers count in, by the words of its name and description."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from zkagent.models.encoding.book import MAX_DECIMALS, SymbolBook
from zkagent.models.instructions.pieces import NAME_LENGTHS

_PERCENT = (b"percent", b"percentage", b"pct")
_BASIS = (b"bps", b"bips", b"bp")


class UnitKind(IntEnum):
    """The contracts' numbers."""

    ONES = 0  # whole numbers of nothing in particular
    DECIMALS = 1  # of the smallest part, so many of which are one
    SYMBOL = 2  # the same of a listed token
    PERCENT = 3
    BASIS = 4  # hundredths of a percent


@dataclass(frozen=True, slots=True)
class Unit:
    """decimals: 0 to 77. token: of SYMBOL, 0x and 40 lower-case hex digits."""

    kind: UnitKind = UnitKind.ONES
    decimals: int = 0
    token: str = ""


ONES = Unit()


def unit_of(words: Sequence[bytes], book: SymbolBook) -> Unit:
    """words: in lower case, as `models/reader/words.py` has them. The first rule that fits: a
    number up to 77 right before "decimals", or "basis points"; bps; percent; the one token whose
    symbol is among them, as often as it may be. Several tokens are none."""
    for before, word in pairwise(words):
        if word == b"decimals" and _is_places(before):
            return Unit(UnitKind.DECIMALS, int(before))
        if (before, word) == (b"basis", b"points"):
            return Unit(UnitKind.BASIS)
    if any(word in _BASIS for word in words):
        return Unit(UnitKind.BASIS)
    if any(word in _PERCENT for word in words):
        return Unit(UnitKind.PERCENT)
    return _listed(words, book)


def _is_places(word: bytes) -> bool:
    return len(word) <= 2 and word.isdigit() and int(word) <= MAX_DECIMALS


def _listed(words: Sequence[bytes], book: SymbolBook) -> Unit:
    found = ONES
    for word in words:
        listing = book.by_symbol(word.decode()) if len(word) in NAME_LENGTHS else None
        if listing is None:
            continue
        unit = Unit(UnitKind.SYMBOL, listing.decimals, listing.token.lower())
        if found is not ONES and found.token != unit.token:
            return ONES
        found = unit if found is ONES else found
    return found


__all__ = ["ONES", "Unit", "UnitKind", "unit_of"]
