"""What a tool may be called with, beside its own schema: a narrower schema, or a predicate."""

from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator
from referencing import Registry

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.permissions import Asked
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.engine import Opinion, Rule
from zkagent.executor.runtime.permissions.lists import plain_names
from zkagent.executor.runtime.tools.schema import InputSchema

Predicate = Callable[[Mapping[str, Any]], bool]
MOST_URL = 8192


class Arguments(Rule):
    """Calls of one tool whose input is not of the schema, or not as `fits` wants it, are refused.

    schema: JSON Schema (2020-12), which refers to nothing outside itself. fits: of the input; one
    that raises refuses. Raises AgentConfigRefused.
    """

    def __init__(
        self, tool: str, *, schema: JsonObject | None = None, fits: Predicate | None = None
    ) -> None:
        self._tool = next(iter(plain_names([tool])))
        self.name = f"arguments.{tool}"
        self._fits = fits
        self._schema = None if schema is None else _validator(tool, schema)
        if schema is None and fits is None:
            raise AgentConfigRefused(f"arguments of {tool}: give a schema or a predicate")

    def restricted(self, agent_id: str) -> Collection[str]:
        return (self._tool,)

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        return self._judged(asked, step.input)

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        return self._judged(asked, value) if asked.place == "input" else None

    def _judged(self, asked: Asked, value: Any) -> Opinion | None:
        if asked.tool is None or asked.tool.id != self._tool:
            return None
        if not isinstance(value, Mapping):
            return Opinion("refuse", f"the input of {self._tool} is no object")
        if self._schema and (error := next(self._schema.iter_errors(value), None)):
            wanted = "/".join(map(str, error.absolute_schema_path))
            return Opinion("refuse", f"the input of {self._tool} breaks the owner's {wanted}")
        if self._fits and self._fits(value) is not True:
            return Opinion("refuse", f"the input of {self._tool} is not as its owner allows it")
        return None


def _validator(tool: str, schema: JsonObject) -> Draft202012Validator:
    # Refuses what leads out, and what would never end.
    InputSchema(tool, {"type": "object", **schema})
    return Draft202012Validator(schema, registry=Registry())


def requests(*, hosts: Collection[str], methods: Collection[str] = ("GET",)) -> Predicate:
    """For tools with the arguments url and, where it is not GET, method: HTTPS to these hosts
    alone, without user names in the address, at the usual port."""
    allowed = frozenset(host.lower() for host in hosts)
    verbs = frozenset(methods)

    def fits(value: Mapping[str, Any]) -> bool:
        url, verb = value.get("url"), value.get("method", "GET")
        if not isinstance(url, str) or len(url) > MOST_URL or not url.isascii() or "\\" in url:
            return False
        if any(character <= " " for character in url):
            return False
        parts = urlsplit(url)
        usual = parts.scheme == "https" and parts.netloc.lower() in allowed
        return usual and isinstance(verb, str) and verb in verbs

    return fits


__all__ = ["Arguments", "Predicate", "requests"]
