"""The filters of the language of prompts: none makes much out of little, all are bounded.

`redact` is the helper by which a template takes out of a value what a model should not see.
"""

import json
from collections.abc import Callable
from typing import Any

from jinja2 import Undefined

from zkagent.executor.runtime.core.errors import PromptFault

MOST_CHARACTERS = 1 << 20  # of a text that a filter gives, and of a rendered prompt
HIDDEN = "[redacted]"
Redactor = Callable[[str], str]


def hide(_: str) -> str:
    """Without a redactor that knows what to look for, all of it."""
    return HIDDEN


def filters(redactor: Redactor) -> dict[str, Callable[..., Any]]:
    """By name."""

    def redact(value: Any) -> str:
        return redactor(_text(value))

    return {
        "default": _default,
        "first": lambda value: _sequence(value)[0] if value else Undefined(name="first"),
        "float": lambda value: _number(float, value),
        "int": lambda value: _number(int, value),
        "items": lambda value: list(_mapping(value).items()),
        "join": _join,
        "keys": lambda value: list(_mapping(value)),
        "last": lambda value: _sequence(value)[-1] if value else Undefined(name="last"),
        "length": len,
        "lower": lambda value: _text(value).lower(),
        "redact": redact,
        "sort": lambda value: sorted(_sequence(value)),
        "title": lambda value: _text(value).title(),
        "tojson": _json,
        "trim": lambda value: _text(value).strip(),
        "truncate": _truncate,
        "upper": lambda value: _text(value).upper(),
        "values": lambda value: list(_mapping(value).values()),
    }


def bounded(value: Any) -> Any:
    """Raises PromptFault: a text that grew beyond what a prompt may have."""
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        raise PromptFault(f"a filter gave more than {MOST_CHARACTERS:,} characters")
    return value


def _default(value: Any, instead: Any = "") -> Any:
    return instead if isinstance(value, Undefined) else value


def _join(value: Any, between: Any = "") -> str:
    parts, glue = [_text(part) for part in value], _text(between)
    if sum(map(len, parts)) + len(glue) * len(parts) > MOST_CHARACTERS:
        raise PromptFault(f"a join would give more than {MOST_CHARACTERS:,} characters")
    return glue.join(parts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _truncate(value: Any, most: Any = 255) -> str:
    text, length = _text(value), max(1, _number(int, most))
    return text if len(text) <= length else text[: length - 1] + "…"


def _number(kind: Callable[[Any], Any], value: Any) -> Any:
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        raise PromptFault(f"{kind.__name__} is given a {type(value).__name__}, no number") from None


def _sequence(value: Any) -> Any:
    if isinstance(value, list | tuple | str):
        return value
    raise PromptFault(f"a list is wanted where there is a {type(value).__name__}")


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise PromptFault(f"an object is wanted where there is a {type(value).__name__}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


__all__ = ["HIDDEN", "MOST_CHARACTERS", "Redactor", "bounded", "filters", "hide"]
