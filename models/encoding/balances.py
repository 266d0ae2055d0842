"""The one observation whose numbers may become arguments: a balance that is the whole text.

    The balance is: 120.5 USDC in the pool, 30 USDC in the wallet      (ours)
    The balance is: 120.5 USDC                      (the ERC's converter, with a unit)
    The balance is: 120500000                       (the ERC's converter as it is)

Anything before, between or after makes the text unreadable, so an injected sentence, second number
or address cannot become an argument. A number without a unit is what the pool's contract returned:
the asset's smallest units, never more than what anybody could mean by it, of the asset that the
entry says the tool was asked for. Mirrored by `encoding/BalanceReading.sol`.
"""

import re
from dataclasses import dataclass

from zkagent.models.encoding.tokens import number_end

_LETTERS_DIGITS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
MIN_UNIT, MAX_UNIT = 2, 42  # bytes: from a two-letter symbol to a 0x-address
_OPENING = b"The balance is: "
_WHOLE = re.compile(rb"[0-9]+", re.ASCII)
#: The end of an action's input: its last argument.
_LAST_ARGUMENT = re.compile(rb'":"([A-Za-z0-9]{2,42})"\}\Z', re.ASCII)


@dataclass(frozen=True, slots=True)
class Balance:
    """Amounts as written: in the pool (or the only one), in the wallet (None when not told).
    in_units: they count the asset's smallest units."""

    pool: str
    wallet: str | None
    unit: str
    in_units: bool = False

    def amount(self, index: int) -> str | None:
        """Amount 0 is the pool's, amount 1 the wallet's."""
        return self.pool if index == 0 else self.wallet


def read_balance(text: bytes, given: bytes = b"") -> Balance | None:
    """The balance that `text` as a whole states, or None. given: the input that the tool had, as
    JSON, whose last argument is the asset."""
    reader = _Reader(text)
    if not reader.literal(_OPENING):
        return None
    first = reader.quantity()
    if first is None:
        return _in_units(text.removeprefix(_OPENING), given)
    if reader.at_end():
        return Balance(first[0], None, first[1])
    if not reader.literal(b" in the pool, "):
        return None
    second = reader.quantity()
    if second is None or not reader.literal(b" in the wallet") or not reader.at_end():
        return None
    return Balance(first[0], second[0], first[1]) if first[1] == second[1] else None


def _in_units(number: bytes, given: bytes) -> Balance | None:
    asset = _LAST_ARGUMENT.search(given)
    if asset is None or not _WHOLE.fullmatch(number):
        return None
    return Balance(number.decode(), None, asset[1].decode(), in_units=True)


class _Reader:
    def __init__(self, text: bytes) -> None:
        self.text, self.position = text, 0

    def at_end(self) -> bool:
        return self.position == len(self.text)

    def literal(self, expected: bytes) -> bool:
        if self.text[self.position : self.position + len(expected)] != expected:
            return False
        self.position += len(expected)
        return True

    def quantity(self) -> tuple[str, str] | None:
        """``NUMBER UNIT``: digits with at most one point, a space, 2 to 42 letters and digits."""
        start = self.position
        self.position = number_end(self.text, start, len(self.text))
        number = self.text[start : self.position]
        if not number or not self.literal(b" "):
            return None
        unit = self.position
        while not self.at_end() and self.text[self.position] in _LETTERS_DIGITS:
            self.position += 1
        if not MIN_UNIT <= self.position - unit <= MAX_UNIT:
            return None
        return number.decode(), self.text[unit : self.position].decode()
