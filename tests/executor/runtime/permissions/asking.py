"""Setup vocabulary: who asks an engine about what."""

import asyncio
from typing import Any

from zkagent.executor.runtime.core.permissions import Asked, Permissions, Place, Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput


async def _nothing(given: dict[str, Any], context: CallContext) -> ToolOutput:
    return ToolOutput(True)


def tool(name: str = "look", *, safe: bool = True, destructive: bool = False) -> ToolDefinition:
    schema = {"type": "object"}
    return ToolDefinition(name, "", schema, _nothing, safe_by_default=safe, destructive=destructive)


def asked(
    place: Place = "plan",
    of: ToolDefinition | None = None,
    *,
    run: str = "run",
    agent: str = "clerk",
    step: int = 0,
    now_s: float = 0.0,
) -> Asked:
    return Asked(run, agent, step, place, now_s, of)


def step_verdict(
    engine: Permissions, of: ToolDefinition | None, given: Any = None, **others: Any
) -> Verdict:
    """Of a call of this tool."""
    name = of.id if of else "look"
    return asyncio.run(
        engine.judge_step(asked(of=of, **others), PlanStep("tool", name, given or {}))
    )


def verdict(
    engine: Permissions,
    value: Any,
    place: Place = "output",
    of: ToolDefinition | None = None,
    **others: Any,
) -> Verdict:
    return asyncio.run(engine.judge_value(asked(place, of, **others), value))
