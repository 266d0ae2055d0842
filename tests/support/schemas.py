"""JSON schemas that ship with the package, and documents that they must refuse."""

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]
#: For each type of value one of another type.
OTHERS: dict[type, Any] = {str: 5, int: "5", bool: "no", float: "5", list: {}, dict: []}


def shipped(package: str, name: str) -> Schema:
    """As whoever installed the package reads it; checked to be a schema at all."""
    schema: Schema = json.loads((files(package) / name).read_text())
    Draft202012Validator.check_schema(schema)
    return schema


def problems(document: Any, schema: Schema) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


def neighbours(document: Any, free: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """(what was changed, document): each key taken away, an unknown one added to each object, each
    value replaced by one of another type. free: objects whose keys are names of the user's."""
    for path, value in _values(document):
        shown = ".".join(map(str, path))
        if type(value) in OTHERS:
            yield f"{shown} of another type", _changed(document, path, OTHERS[type(value)])
        if isinstance(value, dict) and (not path or path[-1] not in free):
            for key in value:
                rest = {name: kept for name, kept in value.items() if name != key}
                yield f"{shown} without {key}", _changed(document, path, rest)
            yield f"{shown} with more", _changed(document, path, {**value, "more": 1})


def _values(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _values(item, (*path, key))


def _changed(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def accepted_neighbours(document: Any, schema: Schema, free: tuple[str, ...] = ()) -> list[str]:
    """Those that the schema takes for the real thing; a list that should be empty."""
    return [shown for shown, changed in neighbours(document, free) if not problems(changed, schema)]
