"""Values as they will be read from a record: JSON, and no one else's objects."""

import json
from collections.abc import Mapping
from typing import Any

from zkagent.executor.runtime.core.json_values import is_text

ESCAPED = "\\ud"  # how each surrogate begins in JSON of ASCII
MOST_TEXT = 1 << 24  # characters of one value as JSON; the permissions may allow less


def plain_json(value: Any) -> Any:
    """A copy, of dicts, lists, texts and numbers. Raises ValueError: it is no JSON, has a text or a
    key that UTF-8 cannot say, or is too long."""
    try:
        text = json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as exc:
        raise ValueError(f"it is no JSON: {exc}") from exc
    if len(text) > MOST_TEXT:
        raise ValueError(f"it has more than {MOST_TEXT:,} characters as JSON")
    found = json.loads(text)
    if ESCAPED in text and not is_text(json.dumps(found, ensure_ascii=False)):
        raise ValueError("it is no JSON: a text has half of a character (a lone surrogate)")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is none")


__all__ = ["plain_json"]
