"""Which tools an agent may use: by exact name, and never what it has not been given.

Names are plain ASCII, so that none looks like another; a tool of another name is another tool.
"""

import re
from collections.abc import Collection, Mapping

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Asked
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.permissions.engine import Opinion, Rule, Stage

PLAIN = re.compile(r"[A-Za-z0-9_.:/@-]{1,128}", re.ASCII)


def plain_names(names: Collection[str]) -> frozenset[str]:
    """Raises AgentConfigRefused for a name that may look like another, or for a text in place of
    a collection."""
    if isinstance(names, str):
        raise AgentConfigRefused(f"tools are named in a list: write [{names!r}]")
    for name in names:
        if not PLAIN.fullmatch(name):
            raise AgentConfigRefused(
                f"{name!a} is no name of a tool: use 1 to 128 of a-z A-Z 0-9 _ . : / @ -, and name "
                "each in full (prefix* is for ToolRegistry.for_agent)"
            )
    return frozenset(names)


class KnownTool(Rule):
    """A step names a tool that the agent has, exactly; all else is refused before other rules."""

    name = "known_tool"
    stage: Stage = "guard"

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        if step.kind != "tool":
            return None
        tool = asked.tool
        known = tool is not None and tool.id == step.tool_id and PLAIN.fullmatch(tool.id)
        return None if known else Opinion("refuse", "the agent has no tool of exactly this name")


class SafeTools(Rule):
    """Tools that change something outside or read what is private are used where they are allowed
    by name; what cannot be undone where it is named as destructive, which allows it as well.

    allow, destructive: ids of tools. Raises AgentConfigRefused.
    """

    name = "safe_tools"

    def __init__(self, allow: Collection[str] = (), destructive: Collection[str] = ()) -> None:
        self._destructive = plain_names(destructive)
        self._allow = plain_names(allow) | self._destructive

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        tool = asked.tool
        if tool is None:
            return None
        if tool.destructive and tool.id not in self._destructive:
            return Opinion("refuse", _remedy(tool, "what it does cannot be undone", "destructive"))
        if not tool.safe_by_default and tool.id not in self._allow:
            return Opinion("refuse", _remedy(tool, "it is not safe by default", "allow"))
        return None


def _remedy(tool: ToolDefinition, why: str, where: str) -> str:
    return f"the tool {tool.id} is denied: {why}; name it in {where}= to permit it"


class ToolLists(Rule):
    """Lists per agent. only: the tools that may be used at all, None for all; deny: those that may
    not, whatever else allows them; agents: lists of single agents by id, which hold beside these.

    Raises AgentConfigRefused.
    """

    name = "tool_lists"

    def __init__(
        self,
        only: Collection[str] | None = None,
        deny: Collection[str] = (),
        agents: "Mapping[str, ToolLists] | None" = None,
    ) -> None:
        self._only = None if only is None else plain_names(only)
        self._deny = plain_names(deny)
        self._agents = dict(agents or {})

    def restricted(self, agent_id: str) -> Collection[str]:
        own = self._agents.get(agent_id)
        return self._deny | (own._deny if own else frozenset())

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        if asked.tool is None:
            return None
        own = self._agents.get(asked.agent_id)
        lists = (self,) if own is None else (self, own)
        return next((found for each in lists if (found := each._denied(asked.tool.id))), None)

    def _denied(self, tool: str) -> Opinion | None:
        if tool in self._deny:
            return Opinion("refuse", f"the tool {tool} is on a list of denied tools")
        if self._only is not None and tool not in self._only:
            return Opinion("refuse", f"the tool {tool} is not on the list of allowed tools")
        return None


__all__ = ["KnownTool", "SafeTools", "ToolLists", "plain_names"]
