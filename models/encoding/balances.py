"""The one observation whose numbers may become arguments: a balance that is the whole text.

    The balance is: 120.5 USDC in the pool, 30 USDC in the wallet      (ours)
    The balance is: 120.5 USDC                      (the ERC's converter, with a unit)

Anything before, between or after makes the text unreadable, so an injected sentence, second number
or address cannot become an argument. Mirrored by `encoding/BalanceReading.sol`.
"""

from dataclasses import dataclass

from zkagent.models.encoding.tokens import number_end

_LETTERS_DIGITS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
MIN_UNIT, MAX_UNIT = 2, 42  # bytes: from a two-letter symbol to a 0x-address


@dataclass(frozen=True, slots=True)
class Balance:
    """Amounts as written: in the pool (or the only one), in the wallet (None when not told)."""

    pool: str
    wallet: str | None
    unit: str

    def amount(self, index: int) -> str | None:
        """Amount 0 is the pool's, amount 1 the wallet's."""
        return self.pool if index == 0 else self.wallet


def read_balance(text: bytes) -> Balance | None:
    """The balance that `text` as a whole states, or None."""
    reader = _Reader(text)
    if not reader.literal(b"The balance is: "):
        return None
    first = reader.quantity()
    if first is None:
        return None
    if reader.at_end():
        return Balance(first[0], None, first[1])
    if not reader.literal(b" in the pool, "):
        return None
    second = reader.quantity()
    if second is None or not reader.literal(b" in the wallet") or not reader.at_end():
        return None
    return Balance(first[0], second[0], first[1]) if first[1] == second[1] else None


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
