"""Text within text: words in base64 or hex that decode to text, which is searched once more."""

import base64
import binascii
import re
from collections.abc import Iterator

BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{12,}={0,2}(?![A-Za-z0-9+/=_-])", re.ASCII)
WRAPPED = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{60,76}\r?\n)+[A-Za-z0-9+/_-]{1,76}={0,2}", re.ASCII
)
HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9a-fA-F]{2}){12,}(?![0-9A-Za-z])", re.ASCII)
SPACED_HEX = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-fA-F]{2}(?:[ :-][0-9a-fA-F]{2}){11,}(?![0-9A-Za-z])", re.ASCII
)
LEAST_TEXT = 0.9  # of what decodes: so much of it is of what texts are made of


def decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and what stands there."""
    for pattern in (HEX, SPACED_HEX):
        for found in pattern.finditer(text):
            digits = re.sub(r"[ :-]|^0x", "", found.group())
            yield from _readable(found, bytes.fromhex(digits))
    for pattern in (WRAPPED, BASE64):
        for found in pattern.finditer(text):
            if not found.group().islower() and not found.group().isupper():
                yield from _readable(found, _from_base64(found.group()))


def _from_base64(text: str) -> bytes:
    """As far as it goes: what is no base64 decodes to no text."""
    plain = re.sub(r"[\r\n=]", "", text).replace("-", "+").replace("_", "/")
    plain = plain[:-1] if len(plain) % 4 == 1 else plain
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        return b""


def _readable(found: re.Match[str], raw: bytes) -> Iterator[tuple[int, int, str]]:
    for encoding in ("utf-8", "utf-16-le") if raw.count(0) * 3 > len(raw) else ("utf-8",):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        good = sum(each.isprintable() or each in "\t\r\n" for each in text)
        if text and good >= LEAST_TEXT * len(text):
            yield found.start(), found.end(), text


__all__ = ["decoded"]
