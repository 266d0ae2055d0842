"""Setup vocabulary of the runtime's tests: a world that repeats itself, tools, scripted agents."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime import Agent, AgentConfig, AllowAll, PlanStep, ScriptedPlanner
from zkagent.executor.runtime.core.config import RetryPolicy
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.planners.scripted import Scripted
from zkagent.executor.runtime.testing import fixed_world

AT_ONCE = RetryPolicy(attempts=3, first_wait_s=0, most_wait_s=0)
OBJECT = {"type": "object"}
DONE = PlanStep("finish", result="done")


@dataclass
class Calls:
    """A tool's calls: what it was given, and its answers in turn, the last one again and again."""

    answers: Sequence[Any] = ("ok",)
    given: list[dict[str, Any]] = field(default_factory=list)
    contexts: list[CallContext] = field(default_factory=list)

    async def __call__(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        answer = self.answers[min(len(self.given), len(self.answers) - 1)]
        self.given.append(given)
        self.contexts.append(context)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, ToolOutput) else ToolOutput(True, answer)


Run = Callable[[dict[str, Any], CallContext], Awaitable[ToolOutput]]


def tool(run: Run, name: str = "look", **others: Any) -> ToolDefinition:
    schema = others.pop("schema", OBJECT)
    return ToolDefinition(name, "Looks.", schema, run, **{"safe_by_default": True, **others})


def use(name: str = "look", **given: Any) -> PlanStep:
    return PlanStep("tool", name, given)


def agent(*script: Scripted, **others: Any) -> Agent:
    """Follows the script. others: of AgentConfig, or of Agent."""
    of_agent = {
        name: others.pop(name)
        for name in ("world", "sinks", "hooks", "approvals", "secrets")
        if name in others
    }
    values = {"permissions": AllowAll(), "tool_retries": AT_ONCE, "model_retries": AT_ONCE}
    if script:
        values["planner"] = ScriptedPlanner(script)
    config = AgentConfig(**{"id": "clerk", "task_prompt": "Do it.", **values, **others})
    return Agent(config, **{"world": fixed_world(), **of_agent})
