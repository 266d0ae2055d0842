"""Refuses JSON of strangers that is nested so deep that parsing it could exhaust the stack.

Python's parser stops at the interpreter's recursion limit, which libraries raise beyond what the
stack holds: then the process ends without a word. Whole documents are read by `strict_json`.
"""

import re

MOST_LEVELS = 16
#: A text, also one that does not end: each byte is looked at once, whatever it is.
TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
BRACKETS = b"[]{}"
NO_BRACKETS = bytes(byte for byte in range(256) if byte not in BRACKETS)


def check_depth(text: str | bytes, most_levels: int = MOST_LEVELS) -> None:
    """Raises ValueError. Takes off the innermost pairs of brackets, one level after another."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    left = data if _opening(data) <= most_levels else TEXT.sub(b"", data)
    left = left.translate(None, NO_BRACKETS)
    for levels in range(most_levels + 1):
        if _opening(left) <= most_levels - levels:
            return
        left = _without_pairs(left)
    raise ValueError(f"it is nested deeper than {most_levels} levels")


def _without_pairs(brackets: bytes) -> bytes:
    """One level less: the blank keeps what stood around a pair from becoming one at once."""
    return brackets.replace(b"[]", b" ").replace(b"{}", b" ").replace(b" ", b"")


def _opening(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


__all__ = ["check_depth"]
