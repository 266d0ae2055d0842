"""Files that commands read, of which - is standard input."""

import sys
from pathlib import Path

from zkagent.models.files import MOST_BYTES, open_regular

STANDARD_INPUT = Path("-")


def named(path: Path) -> str:
    """How errors name it."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def read_some(path: Path, most: int = MOST_BYTES + 1) -> bytes:
    """What the file holds, at most so many bytes of it. Raises OSError."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(most)
    with open_regular(path) as file:
        return file.read(most)


__all__ = ["STANDARD_INPUT", "named", "read_some"]
