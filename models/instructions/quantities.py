"""Amounts as people write them, exactly, or in doubt.

Digits: ``5``, ``0.5``, ``.5``, ``1,000.50``, ``5k``, ``2.5m``, ``50%``, ``1/3``. Words: five,
twenty-five, a hundred and ten, two thousand, a dozen, zero point five, two and a half, three
quarters, ten percent. What could be read in two ways is in doubt: ``1.000`` (a thousand to some),
``5,50``, ``007``, ``5-10``, ``2pm``, ``$5``, ``+5``, two amounts side by side.
"""

import re
from dataclasses import dataclass

#: Digits of an amount, before and behind the point together.
MAX_DIGITS = 30
#: Marks that make a doubt of the number beside them.
DOUBTFUL_BEFORE = frozenset(b"$#~<>+-*/^_@&.%")
DOUBTFUL_BEHIND = frozenset(b"$+*/<~^_@#&%")

_RUN = re.compile(
    rb"(?P<whole>\d{1,3}(?:,\d{3})+|\d*)(?P<point>\.\d+)?(?P<tail>%|[A-Za-z]*)", re.ASCII
)
_RATIO = re.compile(rb"([1-9]\d{0,2})/([1-9]\d{0,2})", re.ASCII)
_POWERS = {b"": 0, b"k": 3, b"m": 6}


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount. share 0: `digits` / 10^`places` of the asset. Otherwise `digits` / `share` of the
    balance, or, where `but`, the balance less `digits` / 10^`places`."""

    digits: int
    places: int = 0
    share: int = 0
    but: bool = False

    @property
    def exact(self) -> bool:
        return self.share == 0

    @property
    def is_partial(self) -> bool:
        """Of a balance, and not all of it."""
        return self.share > 1 or self.but


ALL = Quantity(1, share=1)


def exact(digits: int, places: int) -> Quantity | None:
    """A number of so many places behind the point, without zeros at its end; None if too long."""
    while places > 0 and digits % 10 == 0:
        digits, places = digits // 10, places - 1
    fits = digits < 10**MAX_DIGITS and places <= MAX_DIGITS
    return Quantity(digits, places) if fits else None


def times(quantity: Quantity, power: int) -> Quantity | None:
    """`quantity`, a number, times 10^`power`."""
    if power <= quantity.places:
        return exact(quantity.digits, quantity.places - power)
    return exact(quantity.digits * 10 ** (power - quantity.places), 0)


def percent(quantity: Quantity) -> Quantity | None:
    """So many hundredths of the balance; None from 100 % up to nothing."""
    share = 100 * 10**quantity.places
    return Quantity(quantity.digits, share=share) if 0 < quantity.digits <= share else None


def ratio(part: int, whole: int) -> Quantity | None:
    return Quantity(part, share=whole) if 0 < part < whole else None


def of_one(quantity: Quantity) -> Quantity | None:
    """A part of one token, not of a balance: half a token, a quarter of one. None of a third."""
    digits, rest = divmod(1000 * quantity.digits, quantity.share)
    return None if rest else exact(digits, 3)


@dataclass(frozen=True, slots=True)
class Run:
    """A run with digits as read: a number, or None where it is in doubt; how many letters at its
    end are no part of it; whether it is one of thousands or millions (5k)."""

    quantity: Quantity | None
    letters: int = 0
    scaled: bool = False


def read_run(text: bytes) -> Run:
    """What a run with digits (not one that begins with 0x) says."""
    if found := _RATIO.fullmatch(text):
        return Run(ratio(int(found[1]), int(found[2])))
    found = _RUN.fullmatch(text)
    number = _number(found) if found else None
    if found is None or number is None:
        return Run(None)
    tail = found["tail"]
    if tail == b"%":
        return Run(percent(number))
    power = _POWERS.get(tail.lower())
    if power is None:
        return Run(number, len(tail))
    return Run(times(number, power), scaled=power > 0)


def _number(found: re.Match[bytes]) -> Quantity | None:
    """The digits of a run; None where they could be read in two ways, or are none."""
    whole, point = found["whole"], (found["point"] or b"")[1:]
    digits = whole.replace(b",", b"")
    if not digits + point or len(digits + point) > MAX_DIGITS or _is_doubtful(whole, point):
        return None
    return exact(int(digits + point), len(point))


def _is_doubtful(whole: bytes, point: bytes) -> bool:
    """Leading zeros, or three digits behind a point that others write between thousands."""
    zeros = len(whole) > 1 and whole[0] == ord("0")
    return zeros or (len(point) == 3 and 1 <= len(whole) <= 3 and whole != b"0")


@dataclass(slots=True)
class Cardinal:
    """A number in words as it grows. Each method takes a word and says whether it fits."""

    total: int = 0
    part: int = 0  # below a thousand, or below ten thousand behind "eleven hundred"
    words: int = 0
    scale: int = 10**9  # the last one; 0 behind a zero, which nothing goes on from

    def zero(self) -> bool:
        first = self.words == 0
        self.words, self.scale = self.words + first, 0 if first else self.scale
        return first

    def unit(self, value: int) -> bool:
        return self._add(value, self.part % 10 == 0 and self.part % 100 != 10)

    def tens(self, value: int) -> bool:
        """Ten to nineteen, or a multiple of ten."""
        return self._add(value, self.part % 100 == 0)

    def hundred(self) -> bool:
        if self.part >= 100 or (self.words > 0 and self.part == 0):
            return False
        self.part = 100 * (self.part or 1)
        self.words += 1
        return True

    def thousands(self, power: int) -> bool:
        if 10**power >= self.scale or self.part == 0:
            return False
        self.total, self.part, self.scale = self.total + self.part * 10**power, 0, 10**power
        self.words += 1
        return True

    def _add(self, value: int, fits: bool) -> bool:
        if not fits or self.scale == 0:
            return False
        self.part, self.words = self.part + value, self.words + 1
        return True

    @property
    def value(self) -> int:
        return self.total + self.part
