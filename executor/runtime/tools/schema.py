"""Whether an input fits a tool's JSON Schema (2020-12). Nothing is ever fetched: a schema may be a
stranger's, and so a reference that leads out of it is refused."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.tools import ToolDefinition

MOST_SHOWN = 200  # characters of a reason
MOST_LEVELS = 64  # of an input
#: Keys of schemas that the same value must fit.
IN_PLACE = {"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}


class InputSchema:
    """A tool's schema, ready to be checked by. Raises AgentConfigRefused: no JSON Schema, or not
    of an object."""

    def __init__(self, tool: str, schema: JsonObject) -> None:
        self.tool = tool
        try:
            Draft202012Validator.check_schema(dict(schema))
        except (SchemaError, RecursionError) as exc:
            raise AgentConfigRefused(
                f"tool {tool}: its schema is no JSON Schema: {_why(exc)}"
            ) from exc
        if schema.get("type") != "object":
            raise AgentConfigRefused(f'tool {tool}: its schema is not of an object: "type" is not')
        _check_references(tool, schema)
        self._validator = Draft202012Validator(dict(schema), registry=Registry())

    def check(self, given: Json) -> dict[str, Any]:
        """The input. Raises ToolInputRefused."""
        if _too_deep(given):
            raise ToolInputRefused(
                f"input of {self.tool}: it has more than {MOST_LEVELS} levels", path=""
            )
        try:
            worst = min(
                self._validator.iter_errors(given),
                key=lambda error: list(map(str, error.path)),
                default=None,
            )
        except RecursionError as exc:
            raise ToolInputRefused(
                f"input of {self.tool}: its schema cannot be followed so far", path=""
            ) from exc
        if worst is not None:
            where = "/".join(map(str, worst.path))
            place = where or "the input"
            raise ToolInputRefused(
                f"input of {self.tool}: {place}: {_why(worst)}", tool=self.tool, path=where
            )
        assert isinstance(given, Mapping)
        return dict(given)


def checked_tool(tool: ToolDefinition, given: Json) -> dict[str, Any]:
    """The input, of one call. Raises ToolInputRefused, AgentConfigRefused."""
    return InputSchema(tool.id, tool.schema).check(given)


def _check_references(tool: str, schema: JsonObject) -> None:
    """Raises AgentConfigRefused for one that leads out, or to itself without going down in the
    input: whoever follows that never comes back."""
    done, open_ = set[str](), list[str]()

    def follow(part: Any) -> None:
        for reference in _references(part):
            if reference in open_:
                raise AgentConfigRefused(f"tool {tool}: {reference} refers to itself")
            if reference in done:
                continue
            open_.append(reference)
            follow(_found(tool, schema, reference))
            open_.pop()
            done.add(reference)

    for part in _parts(schema):
        if isinstance(part.get("$dynamicRef"), str) or (
            part is not schema and isinstance(part.get("$id"), str)
        ):
            raise AgentConfigRefused(f"tool {tool}: its schema has $dynamicRef or an $id within")
        if isinstance(part.get("$ref"), str):
            _found(tool, schema, part["$ref"])
    open_.append("#")
    follow(schema)
    for part in _parts(schema):
        open_[:] = []
        follow(part)


def _found(tool: str, schema: JsonObject, reference: str) -> Any:
    """What a reference within the schema is of."""
    part: Any = schema
    if not reference.startswith("#"):
        shown = in_line(reference, MOST_SHOWN)
        raise AgentConfigRefused(
            f"tool {tool}: its schema refers to {shown}, and nothing is fetched: write it out "
            "under $defs"
        )
    for name in filter(None, unquote(reference[1:]).split("/")):
        key = name.replace("~1", "/").replace("~0", "~")
        part = part.get(key) if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping | bool):
        raise AgentConfigRefused(f"tool {tool}: its schema has no {in_line(reference, MOST_SHOWN)}")
    return part


def _references(part: Any) -> Iterator[str]:
    """From a schema to others that the same value must fit."""
    if isinstance(part, list | tuple):
        for each in part:
            yield from _references(each)
    if not isinstance(part, Mapping):
        return
    if isinstance(found := part.get("$ref"), str):
        yield found
    for name in IN_PLACE & part.keys():
        yield from _references(part[name])
    if isinstance(found := part.get("dependentSchemas"), Mapping):
        yield from _references(list(found.values()))


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, list | tuple):
        for part in schema:
            yield from _parts(part)
    elif isinstance(schema, Mapping):
        yield schema
        for part in schema.values():
            yield from _parts(part)


def _too_deep(value: Any, left: int = MOST_LEVELS) -> bool:
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple):
        return False
    return left == 0 or any(_too_deep(part, left - 1) for part in value)


def _why(exc: Exception) -> str:
    return in_line(str(getattr(exc, "message", exc)), MOST_SHOWN)


__all__ = ["InputSchema", "checked_tool"]
