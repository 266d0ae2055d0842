"""Values as the text that stores keep, and what is no value: the same bounds for every store.

What comes back is what was given, to the digit: integers stay exact, objects keep their order.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.models.strict_json import load_json

MOST_BYTES = 1 << 20
MOST_LEVELS = 32
MOST_DIGITS = 100
MOST_NAME = 200
_BIGGEST = 10**MOST_DIGITS


def text_of(value: Json) -> str:
    """JSON of at most MOST_BYTES. Raises MemoryFault: too big or too deep, NaN, infinities,
    integers of more than MOST_DIGITS digits, or no JSON at all; the value is not quoted."""
    plain = _plain(value, 0)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    try:
        size = len(text.encode())
    except UnicodeEncodeError:  # halves of characters, as strangers' JSON may have them
        text = json.dumps(plain, separators=(",", ":"))
        size = len(text)
    if size > MOST_BYTES:
        raise MemoryFault(f"a value has {size:,} bytes, at most {MOST_BYTES:,} are kept: split it")
    return text


def value_of(text: str, where: str) -> Any:
    """What `text_of` made a text of. where: what to name if somebody changed it. Raises
    MemoryFault."""
    try:
        return load_json(text, most_bytes=MOST_BYTES, most_levels=MOST_LEVELS)
    except ValueError as exc:
        raise MemoryFault(f"{where} is not what was written: {exc}") from exc


def sorted_text(value: Json) -> str:
    """The same for two values that are equal as JSON: the order of an object's fields is none of
    its meaning, but 1, 1.0 and true are three things."""
    return json.dumps(_plain(value, 0), sort_keys=True, separators=(",", ":"))


def check_name(kind: str, name: object) -> str:
    """A stream's, a collection's, a key's or a namespace's name. Raises MemoryFault."""
    if not isinstance(name, str) or not 1 <= len(name) <= MOST_NAME:
        raise MemoryFault(f"a {kind} has a name of 1 to {MOST_NAME} characters, not {name!r:.80}")
    if not name.isprintable():
        raise MemoryFault(f"a {kind}'s name is printable text, not {name!r:.80}")
    return name


def check_namespace(namespace: str) -> str:
    """Empty for the host's own. Raises MemoryFault."""
    return check_name("namespace", namespace) if namespace else ""


def matches(value: Any, where: Mapping[str, Json]) -> bool:
    """Whether a value is an object that has these fields, equal as JSON."""
    if not isinstance(value, dict):
        return False
    return all(
        name in value and sorted_text(value[name]) == sorted_text(wanted)
        for name, wanted in where.items()
    )


def check_count(kind: str, count: object) -> int:
    """Raises MemoryFault."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise MemoryFault(f"{kind} is {count!r:.40}; it is a number of entries from 0 on")
    return min(count, 1 << 31)


def _plain(value: Any, level: int) -> Any:
    """Lists for sequences, dictionaries for mappings; nothing else is let through."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return _bounded(value)
    if isinstance(value, float):
        return _finite(value)
    if level == MOST_LEVELS:
        raise MemoryFault(f"a value is nested deeper than {MOST_LEVELS} levels: flatten it")
    if isinstance(value, Mapping):
        return {_key(key): _plain(inner, level + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, level + 1) for inner in value]
    raise MemoryFault(f"a {type(value).__name__} is no JSON: give text, numbers, lists or objects")


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise MemoryFault(f"an object's field is named by text, not by a {type(key).__name__}")


def _bounded(value: int) -> int:
    if abs(value) < _BIGGEST:
        return value
    raise MemoryFault(f"an integer has more than {MOST_DIGITS} digits: give it as text")


def _finite(value: float) -> float:
    if math.isfinite(value):
        return value
    raise MemoryFault(f"{value} is no number of JSON: give null or text")


__all__ = ["MOST_BYTES", "MOST_DIGITS", "MOST_LEVELS", "MOST_NAME", "check_count", "check_name"]
__all__ += ["check_namespace", "matches", "sorted_text", "text_of", "value_of"]
