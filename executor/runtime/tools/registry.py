"""Tools by name, and which of them an agent gets.

A host registers what there is once and gives each agent a part of it. What an agent was given does
not change while it runs: `for_agent` makes a list, whatever is registered later.
"""

import re
from collections.abc import Iterable, Iterator

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolUnknown
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.tools.schema import InputSchema

#: What every model's interface takes for a name; dots are ours.
ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}", re.ASCII)


class ToolRegistry:
    """Raises AgentConfigRefused for an id that is none or taken, and for a schema that is none."""

    def __init__(self, tools: Iterable[ToolDefinition] = ()) -> None:
        self._tools: dict[str, ToolDefinition] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: ToolDefinition) -> ToolDefinition:
        if not ID.fullmatch(tool.id):
            raise AgentConfigRefused(
                f"{in_line(tool.id, 80)!r} is no tool's id: up to 64 letters, digits, _ . and -"
            )
        if any(tool.id.lower() == other.lower() for other in self._tools):
            raise AgentConfigRefused(f"there is a tool {tool.id!r} already: give another id")
        InputSchema(tool.id, tool.schema)
        self._tools[tool.id] = tool
        return tool

    def find(self, id: str) -> ToolDefinition:
        """Raises ToolUnknown."""
        if id not in self._tools:
            known = ", ".join(sorted(self._tools)) or "none"
            raise ToolUnknown(f"there is no tool {in_line(id, 80)!r}; there are: {known}")
        return self._tools[id]

    def for_agent(
        self, *, allow: Iterable[str] | None = None, deny: Iterable[str] = ()
    ) -> tuple[ToolDefinition, ...]:
        """Those that are allowed and not denied, in order of registration. allow: None for all
        that are safe by default; `prefix*` for all that begin so. A name that no tool has is
        refused (ToolUnknown): it would allow or deny nothing."""
        if allow is None:
            allowed = {tool.id for tool in self if tool.safe_by_default}
        else:
            allowed = {id for name in allow for id in self._named(name)}
        denied = {id for name in deny for id in self._named(name)}
        return tuple(tool for tool in self if tool.id in allowed - denied)

    def _named(self, name: str) -> list[str]:
        if name.endswith("*"):
            found = [id for id in self._tools if id.startswith(name[:-1])]
            if found:
                return found
        return [self.find(name).id]

    def __iter__(self) -> Iterator[ToolDefinition]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, id: object) -> bool:
        return id in self._tools


__all__ = ["ToolRegistry"]
