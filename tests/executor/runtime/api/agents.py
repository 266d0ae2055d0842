"""Agents that a service has in tests."""

import asyncio
from typing import Any

from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    PlanStep,
    ScriptedClient,
    ScriptedPlanner,
    ToolDefinition,
    ToolOutput,
)
from zkagent.executor.runtime.core.events import Sink
from zkagent.executor.runtime.core.tools import CallContext
from zkagent.executor.runtime.permissions.approvals import Supervised
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.testing import ScriptedTool

FOUND = "found-81"
HALF = "\ud800"  # of a surrogate pair, as no UTF-8 has it
SAID = "a long answer that comes in more than one piece, since it has so many words in it. " * 10


def echo(state: Any) -> PlanStep:
    return PlanStep("finish", result={"task": state.task, "params": dict(state.params)})


async def _forever(given: dict[str, Any], context: CallContext) -> ToolOutput:
    await asyncio.Event().wait()
    return ToolOutput(True)


def agents(sink: Sink) -> list[Agent]:
    look = ScriptedTool("look", [FOUND]).definition
    wait = ToolDefinition("wait", "Waits.", {"type": "object"}, _forever, safe_by_default=True)
    pay = ScriptedTool("pay", ["paid"]).definition
    supervised = default_permissions(rules=[Supervised(["pay"])])
    odd = PlanStep("tool", "pay", {"to": HALF})
    step, done = PlanStep("tool", "pay", {"amount": 7}), PlanStep("finish", result="done")
    configs = [
        AgentConfig("echo", "Say it.", planner=ScriptedPlanner([echo])),
        AgentConfig("looker", "Look.", [look],
                    ScriptedPlanner([PlanStep("tool", "look", {"where": "given-82"}), done])),
        AgentConfig("waiter", "Wait.", [wait], ScriptedPlanner([PlanStep("tool", "wait", {})])),
        AgentConfig("payer", "Pay.", [pay], ScriptedPlanner([step, done]),
                    permissions=supervised),
        AgentConfig("odd", "Pay.", [pay],
                    ScriptedPlanner([odd, PlanStep("finish", result=HALF)]),
                    permissions=supervised),
        AgentConfig("lost", "Go.", planner=ScriptedPlanner([]), max_steps=1),
        AgentConfig("talker", "Talk.", model_providers=[ScriptedClient([SAID], repeats=True)]),
    ]  # fmt: skip
    return [Agent(config, sinks=[sink]) for config in configs]
