"""A stranger's JSON Schema, made harmless to check by: whoever has the tool checks by it again.

Regular expressions are left out, some of which take for ever on some texts. References are written
out, as far as that stays small; what refers to itself becomes "anything".
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

MOST_PARTS = 2_000
LEFT_OUT = {"pattern", "patternProperties", "format", "$ref", "$dynamicRef", "$defs", "definitions"}
LEFT_OUT |= {"$id", "$anchor", "$dynamicAnchor", "$schema", "$vocabulary", "propertyNames"}
LEFT_OUT |= {"unevaluatedProperties", "unevaluatedItems"}
NAMED = {"properties", "dependentSchemas"}  # the keys in them are names
VALUES = {"default", "examples", "enum", "const", "example"}  # no schemas
#: The words of a schema; others are a stranger's own, and say nothing.
MOST_TEXT = 1_000  # characters of a description


class _Budget:
    def __init__(self) -> None:
        self.left = MOST_PARTS


def harmless(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Of an object, without references and patterns, in at most MOST_PARTS parts."""
    found = _plain(schema, schema, (), _Budget())
    return {**(found if isinstance(found, dict) else {}), "type": "object"}


def _plain(part: Any, whole: Mapping[str, Any], within: tuple[str, ...], budget: _Budget) -> Any:
    budget.left -= 1
    if budget.left < 0:
        return {}
    if isinstance(part, list):
        return [_plain(each, whole, within, budget) for each in part]
    if isinstance(part, str):
        return part[:MOST_TEXT]
    if not isinstance(part, Mapping):
        return part
    found = {
        key: _value(key, value, whole, within, budget)
        for key, value in part.items()
        if key not in LEFT_OUT
    }
    reference = part.get("$ref")
    if isinstance(reference, str) and reference not in within:
        target = _target(whole, reference)
        more = _plain(target, whole, (*within, reference), budget)
        found = {**more, **found} if isinstance(more, dict) else found
    return found


def _value(
    key: str, value: Any, whole: Mapping[str, Any], within: tuple[str, ...], budget: _Budget
) -> Any:
    if key in VALUES:
        return value
    if key in NAMED and isinstance(value, Mapping):
        return {name: _plain(each, whole, within, budget) for name, each in value.items()}
    return _plain(value, whole, within, budget)


def _target(whole: Mapping[str, Any], reference: str) -> Any:
    part: Any = whole
    for name in filter(None, unquote(reference.removeprefix("#")).split("/")):
        key = name.replace("~1", "/").replace("~0", "~")
        part = part.get(key) if isinstance(part, Mapping) else None
    return part if reference.startswith("#") else {}


__all__ = ["harmless"]
