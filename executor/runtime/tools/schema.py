"""Whether an input fits a tool's JSON Schema (2020-12). Nothing is ever fetched: a schema may be a
stranger's, and so a reference that leads out of it is refused."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.tools import ToolDefinition

MOST_SHOWN = 200  # characters of a reason


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
        if reference := _outward(schema):
            raise AgentConfigRefused(
                f"tool {tool}: its schema refers to {in_line(reference, MOST_SHOWN)}, and nothing "
                "is fetched: write it out under $defs"
            )
        self._validator = Draft202012Validator(dict(schema), registry=Registry())

    def check(self, given: Json) -> dict[str, Any]:
        """The input. Raises ToolInputRefused."""
        try:
            worst = min(
                self._validator.iter_errors(given),
                key=lambda error: list(map(str, error.path)),
                default=None,
            )
        except (RecursionError, Unresolvable) as exc:
            raise ToolInputRefused(
                f"input of {self.tool}: its schema cannot be followed: {_why(exc)}", tool=self.tool
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


def without_patterns(schema: Any) -> Any:
    """A stranger's schema without its regular expressions, some of which take for ever on some
    texts: whoever has the tool checks by them again."""
    if isinstance(schema, list):
        return [without_patterns(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if key not in PATTERNS}
    return {
        key: _each(value)
        if key in NAMED and isinstance(value, Mapping)
        else without_patterns(value)
        for key, value in kept.items()
    }


PATTERNS = {"pattern", "patternProperties", "format"}
NAMED = {"properties", "$defs", "definitions", "dependentSchemas"}  # keys in them are names


def _each(schemas: Mapping[str, Any]) -> dict[str, Any]:
    return {name: without_patterns(schema) for name, schema in schemas.items()}


def _outward(schema: Any) -> str | None:
    """A reference that leads out of the schema."""
    if isinstance(schema, list | tuple):
        return next(filter(None, map(_outward, schema)), None)
    if not isinstance(schema, Mapping):
        return None
    for name in ("$ref", "$dynamicRef"):
        found = schema.get(name)
        if isinstance(found, str) and not found.startswith("#"):
            return found
    return next(filter(None, map(_outward, schema.values())), None)


def _why(exc: Exception) -> str:
    return in_line(str(getattr(exc, "message", exc)), MOST_SHOWN)


__all__ = ["InputSchema", "checked_tool", "without_patterns"]
