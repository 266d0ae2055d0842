"""What leads to a person: addresses of mail, telephone numbers, public IP addresses."""

import ipaddress
import re
from collections.abc import Iterator

from zkagent.executor.runtime.permissions.redaction.spans import Detector

MAIL = re.compile(
    r"(?<![\w.+%-])[\w+%-][\w.+%'-]{0,63}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])(?!:[\w./~-]+)"
)
PHONE = re.compile(
    r"(?<![\w+.-])(?:\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6}"
    r"|\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}|\d{3}-\d{3}-\d{4}|1-\d{3}-\d{3}-\d{4})(?![\w-])(?!\.\d)",
    re.ASCII,
)
CALLED = re.compile(
    r"(?i)\b(?:tel(?:efon|ephone)?|phone|mobile?|mobil|cell|fax|call|whatsapp|sms)\b[^\d\n]{0,16}?"
    r"(?P<number>\(?\d[\d ()/.-]{5,18}\d)(?![\w-])(?!\.\d)",
    re.ASCII,
)
V4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", re.ASCII)
V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])", re.ASCII)
VERSION = re.compile(r"(?i)(?:version|release|\bv|ver\.?|build)\s{0,2}$")


def mails(text: str) -> Iterator[tuple[int, int]]:
    """`git@host:path` is none."""
    return (found.span() for found in MAIL.finditer(text))


def phones(text: str) -> Iterator[tuple[int, int]]:
    """Seven to fifteen digits (ITU-T E.164)."""
    for found in PHONE.finditer(text):
        if 8 <= _digits(found.group()) <= 15:
            yield found.span()
    for found in CALLED.finditer(text):
        if 7 <= _digits(found["number"]) <= 15:
            yield found.span("number")


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Those that the internet routes: private and documentation ranges lead to nobody."""
    for pattern in (V4, V6):
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - 12) : found.start()]
            if _is_public(found.group()) and not VERSION.search(before):
                yield found.span()


def _is_public(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


EMAIL = Detector("email", mails, ("@",))
TELEPHONE = Detector("phone", phones, tuple("0123456789"), alphanumeric=True)
IP = Detector("ip", addresses, (".", ":"))

__all__ = ["EMAIL", "IP", "TELEPHONE"]
