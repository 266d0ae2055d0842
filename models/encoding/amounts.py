"""Decimal amounts, exactly: text to base units and back, as `libraries/Decimals.sol` does."""

import re

from zkagent.models.errors import AmountTooLarge, AmountTooPrecise, MalformedAmount

_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
_MAX_DIGITS = 78  # of 2**256 - 1; longer texts must not reach int(), which limits their length
_MAX_PLACES = 77  # of a token's decimals
#: Digits that a sum of amounts has at most, with some to spare.
PRECISION = 2 * (_MAX_DIGITS + _MAX_PLACES)


def is_amount(text: str) -> bool:
    """Whether it is a decimal number that some asset has, whatever its decimals."""
    whole, _, fraction = text.partition(".")
    formed = _DECIMAL.fullmatch(text) is not None
    return formed and len(whole) <= _MAX_DIGITS and len(fraction) <= _MAX_PLACES


def parse_amount(text: str, decimals: int) -> int:
    """Base units of the decimal number `text` for an asset of `decimals` (0 to 77).

    Zeros behind the last significant decimal are allowed beyond `decimals`; other digits there
    raise AmountTooPrecise. Raises MalformedAmount and, past 2**256 - 1, AmountTooLarge.
    """
    if not _DECIMAL.fullmatch(text):
        raise MalformedAmount(text)
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > decimals:
        raise AmountTooPrecise(text, decimals)
    digits = (whole + fraction.ljust(decimals, "0")).lstrip("0")
    if len(digits) > _MAX_DIGITS or int(digits or "0") >= 1 << 256:
        raise AmountTooLarge(text)
    return int(digits or "0")


def format_amount(units: int, decimals: int) -> str:
    """The shortest decimal text of `units`: no exponent, no trailing zeros, no point without
    digits behind it."""
    digits = str(units).rjust(decimals + 1, "0")
    whole, fraction = digits[: len(digits) - decimals], digits[len(digits) - decimals :].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
