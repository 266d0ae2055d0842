"""Refuses JSON of strangers that is nested so deep that parsing it could exhaust the stack.

Python's parser stops at the interpreter's recursion limit, which libraries raise beyond what the
stack holds: then the process ends without a word.
"""

import re

MOST_LEVELS = 16
BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]')


def check_depth(text: str) -> None:
    """Raises ValueError."""
    depth = 0
    for token in BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MOST_LEVELS:
            raise ValueError(f"it is nested deeper than {MOST_LEVELS} levels")


__all__ = ["check_depth"]
