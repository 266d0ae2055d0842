"""What steps, inputs, outputs and events are made of: JSON, so that all of it can be kept."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

#: null, true, numbers, text, lists and objects; mypy knows no recursive form that pydantic reads.
Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, Json]


def canonical(value: Json) -> str:
    """The one text of a value. Raises TypeError, ValueError, RecursionError for what is no JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def fields_of(value: Any) -> dict[str, Any]:
    """A dataclass's fields by name, as they are: `asdict` copies what is in them."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def is_text(text: str) -> bool:
    """Whether UTF-8 can say it: half of a surrogate pair is no character, both halves are one, as
    JSON reads them."""
    if text.isascii():
        return True
    try:
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return False
    return True


__all__ = ["Json", "JsonObject", "canonical", "fields_of", "is_text"]
