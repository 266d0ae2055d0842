"""Values by key, for as long as a run or for all runs; in this process, or in a database.

In this process they end with it: a run that is killed and goes on in another one finds none. Give a
DatabaseClient for runs that are to survive.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import ToolFault, ToolInputRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.memory import DatabaseClient
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput

Scope = Literal["run", "shared"]
LONGEST_KEY = 200  # characters
KEY: dict[str, Json] = {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY}


@dataclass(frozen=True, slots=True)
class KvLimits:
    """keys: in one scope; value_bytes: of one value, as JSON."""

    keys: int = 10_000
    value_bytes: int = 1 << 16


@dataclass
class KeyValues:
    """scope: "run": no run sees another's values; "shared": all runs of all agents that have these
    tools see the same ones, so its tools have to be allowed by name.

    database: None for this process; else its collection `name`, for each run one of its own.
    """

    scope: Scope = "run"
    database: DatabaseClient | None = None
    name: str = "kv"
    limits: KvLimits = KvLimits()
    _held: dict[str, dict[str, str]] = field(default_factory=dict, init=False)

    def tools(self) -> tuple[ToolDefinition, ...]:
        """kv_put, kv_get, kv_delete, kv_list."""
        put: dict[str, Json] = {"key": KEY, "value": {"description": "any JSON"}}
        return (
            self._tool(
                "put", "Keep a value under a key, instead of what was there.", put, self._put
            ),
            self._tool("get", "The value that is kept under a key.", {"key": KEY}, self._get),
            self._tool("delete", "Forget the value under a key.", {"key": KEY}, self._delete),
            self._tool("list", "The keys under which values are kept.", {}, self._list),
        )

    def forget(self, run_id: str) -> None:
        """What this process holds of a run that is over."""
        self._held.pop(f"{self.name}:{run_id}", None)

    def _tool(
        self, verb: str, description: str, properties: dict[str, Json], run: Any
    ) -> ToolDefinition:
        alone = self.scope == "run"
        return ToolDefinition(
            id=f"{self.name}_{verb}",
            description=description,
            schema={
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
            run=run,
            safe_by_default=alone,
            # Nobody else writes in a run's own scope, so a second time changes nothing.
            honours_keys=alone or verb in ("get", "list"),
        )

    async def _put(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        key, text = given["key"], json.dumps(given["value"], allow_nan=False)
        size = len(text.encode())
        if size > self.limits.value_bytes:
            raise ToolInputRefused(
                f"the value of {in_line(key, 80)} has {size:,} bytes as JSON, "
                f"{self.limits.value_bytes:,} are kept at most",
                path="value",
            )
        place = self._place(context)
        known = await self._keys(place)
        if key not in known and len(known) >= self.limits.keys:
            raise ToolFault(f"{self.limits.keys:,} keys are kept already: delete some")
        if self.database:
            await self.database.write(place, key, {"key": key, "value": given["value"]})
        else:
            self._held.setdefault(place, {})[key] = text
        return ToolOutput(True, {"key": key})

    async def _get(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        place, key = self._place(context), given["key"]
        if self.database:
            found: Any = await self.database.read(place, key)
            there, value = found is not None, (found or {}).get("value")
        else:
            text = self._held.get(place, {}).get(key)
            there, value = text is not None, json.loads(text or "null")
        return ToolOutput(there, value, {"found": there})

    async def _delete(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        place, key = self._place(context), given["key"]
        if self.database:
            await self.database.clear(place, key)
        else:
            self._held.get(place, {}).pop(key, None)
        return ToolOutput(True, {"key": key})

    async def _list(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        return ToolOutput(True, sorted(await self._keys(self._place(context))))

    async def _keys(self, place: str) -> set[str]:
        if not self.database:
            return set(self._held.get(place, {}))
        found: Any = await self.database.query(place, {})
        return {entry["key"] for entry in found}

    def _place(self, context: CallContext) -> str:
        return self.name if self.scope == "shared" else f"{self.name}:{context.run_id}"


__all__ = ["KeyValues", "KvLimits"]
