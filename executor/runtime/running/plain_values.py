"""Values as they will be read from a record: JSON, and no one else's objects."""

import json
from collections.abc import Mapping
from typing import Any

MOST_TEXT = 1 << 24  # characters of one value as JSON; the permissions may allow less


def plain_json(value: Any) -> Any:
    """A copy, of dicts, lists, texts and numbers. Raises ValueError: it is no JSON, or too long."""
    try:
        text = json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as exc:
        raise ValueError(f"it is no JSON: {exc}") from exc
    if len(text) > MOST_TEXT:
        raise ValueError(f"it has more than {MOST_TEXT:,} characters as JSON")
    return json.loads(text)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is none")


__all__ = ["plain_json"]
