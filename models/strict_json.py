"""JSON that others wrote: nodes, services, files of a disk that anybody may have written to.

`load_json` is the only place where such text is parsed; a test finds any other. What it returns is
safe to walk and has one meaning, and what it refuses is refused in one short line.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

from zkagent.models.nesting import MOST_LEVELS, TEXT, check_depth

#: Of what is read whole: a hundred times what any of ours is.
MOST_BYTES = 1 << 26
#: Brackets, commas and quotes: some bytes of text become a hundred of memory each.
MOST_PARTS = 1 << 21
PARTS = '[{,"'
MOST_DIGITS = 100  # a word of the EVM has 78


def load_json(
    text: str | bytes,
    *,
    most_bytes: int = MOST_BYTES,
    most_levels: int = MOST_LEVELS,
    most_parts: int = MOST_PARTS,
) -> Any:
    """The value. Raises ValueError for what is too long, too deep or of too many parts, no UTF-8,
    no JSON, or says something twice: keys that are repeated, NaN, infinities, numbers that nobody
    means."""
    if len(text) > most_bytes:
        raise ValueError(f"it is longer than {most_bytes:,} bytes")
    text = text if isinstance(text, str) else text.decode()
    if sum(map(text.count, PARTS)) > most_parts and _has_more_parts(text, most_parts):
        raise ValueError(f"it has more than {most_parts:,} brackets, commas and quotes")
    check_depth(text, most_levels)
    return json.loads(
        text,
        object_pairs_hook=_no_repetition,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_finite,
    )


def _has_more_parts(text: str, most: int) -> bool:
    """What stands in texts is no part, their quotes are. Nothing is kept of what is counted."""
    content, count, last = text.encode("utf-8", "surrogatepass"), 0, 0
    for found in TEXT.finditer(content):
        count += _parts(content, last, found.start()) + 2
        if count > most:
            return True
        last = found.end()
    return count + _parts(content, last, len(content)) > most


def _parts(content: bytes, start: int, end: int) -> int:
    return sum(content.count(part.encode(), start, end) for part in PARTS)


def _no_repetition(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _integer(digits: str) -> int:
    return int(_short(digits))


def _finite(digits: str) -> float:
    if math.isfinite(value := float(_short(digits))):
        return value
    raise ValueError(f"{digits} is not a number that can be held")


def _short(digits: str) -> str:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return digits


__all__ = ["load_json"]
