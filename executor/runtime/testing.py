"""For tests of agents: a world that repeats itself, tools and models that answer by script, the
events of a run, and what to say of its actions. Import it in your tests:

    from zkagent.executor.runtime import PlanStep
    from zkagent.executor.runtime.testing import ScriptedTool, assert_actions, try_agent

    def test_the_clerk_looks_and_then_answers():
        look = ScriptedTool("look", ["a cat"])
        trial = try_agent(my_config(tools=[look.definition]), task="what is there?")
        assert_actions(trial, ["look", "finish"])
        assert look.inputs == [{"where": "garden"}]

Nothing here needs a network, a database or a chain, and the same trial tells the same events, byte
for byte.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from zkagent.executor.runtime.core.config import AgentConfig, RunOptions
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.steps import ActionResult
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.core.world import CountedIds, World
from zkagent.executor.runtime.events.collected import Collected
from zkagent.executor.runtime.planners.scripted import ScriptedPlanner
from zkagent.executor.runtime.providers.scripted import ScriptedClient
from zkagent.executor.runtime.running.agent import Agent

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(milliseconds=1)


@dataclass
class FixedClock:
    """Each look at it is a tick later than the last one."""

    now: datetime = BEGINNING
    tick: timedelta = TICK

    def __call__(self) -> datetime:
        self.now += self.tick
        return self.now


def fixed_world() -> World:
    """Times from BEGINNING on, runs run-0001, run-0002."""
    return World(FixedClock(), CountedIds())


@dataclass
class ScriptedTool:
    """A tool that gives these answers in turn, the last one again and again: JSON, a ToolOutput, or
    an exception, which it raises. inputs, contexts: of the calls so far."""

    id: str
    answers: Sequence[Any] = ("ok",)
    schema: JsonObject = field(default_factory=lambda: {"type": "object"})
    inputs: list[dict[str, Any]] = field(default_factory=list, init=False)
    contexts: list[CallContext] = field(default_factory=list, init=False)

    @property
    def definition(self) -> ToolDefinition:
        return self.defined()

    def defined(self, **others: Any) -> ToolDefinition:
        """others: of ToolDefinition. Safe by default, so that no permission is needed."""
        values = {"description": f"Scripted {self.id}.", "safe_by_default": True, **others}
        return ToolDefinition(id=self.id, schema=self.schema, run=self._answer, **values)

    async def _answer(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        answer = self.answers[min(len(self.inputs), len(self.answers) - 1)]
        self.inputs.append(given)
        self.contexts.append(context)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, ToolOutput) else ToolOutput(True, answer)


@dataclass(frozen=True)
class Trial:
    """What came of a run, and all that it told, passing events included."""

    result: AgentResult
    events: tuple[Event, ...]

    @property
    def actions(self) -> tuple[ActionResult, ...]:
        return self.result.actions

    def snapshot(self) -> str:
        """The events as text: the same for the same agent, script and world, to be compared with a
        file that is kept beside the test."""
        lines = (json.dumps(event.to_json(), sort_keys=True) for event in self.events)
        return "\n".join(lines) + "\n"


def try_agent(
    config: AgentConfig, task: str | None = None, *, world: World | None = None, **others: Any
) -> Trial:
    """One run in a fixed world. others: of Agent."""
    return asyncio.run(atry_agent(config, task, world=world, **others))


async def atry_agent(
    config: AgentConfig, task: str | None = None, *, world: World | None = None, **others: Any
) -> Trial:
    """The same, within an event loop."""
    kept = Collected()
    sinks = [*others.pop("sinks", ()), kept]
    agent = Agent(config, world=world or fixed_world(), sinks=sinks, **others)
    result = await agent.arun(RunOptions(task=task))
    return Trial(result, tuple(kept.events))


def actions_of(found: Trial | AgentResult | Sequence[Event]) -> list[str]:
    """What was done, a word each: the tool's id, or message, finish, internal."""
    return [_word(step) for step, _ in _steps(found)]


def assert_actions(
    found: Trial | AgentResult | Sequence[Event], expected: Sequence[str | Mapping[str, Json]]
) -> None:
    """expected: for each action in order a word as in `actions_of`, or some of its step's fields
    and `state`: {"tool_id": "look", "input": {"where": "garden"}, "state": "ok"}. Raises
    AssertionError, with both sequences and where they part."""
    steps = _steps(found)
    for place, (wanted, (step, state)) in enumerate(zip(expected, steps, strict=False)):
        if not _fits(wanted, step, state):
            raise AssertionError(_parted(place, expected, steps))
    if len(steps) != len(expected):
        raise AssertionError(_parted(min(len(steps), len(expected)), expected, steps))


Steps = list[tuple[Mapping[str, Any], str]]


def _steps(found: Trial | AgentResult | Sequence[Event]) -> Steps:
    """Each step as JSON, and its state."""
    if isinstance(found, Trial):
        found = found.result
    if isinstance(found, AgentResult):
        return [(action.step.to_json(), action.state) for action in found.actions]
    done: list[Any] = [one.data["action"] for one in found if one.kind == "step_finished"]
    return [(action["step"], action["state"]) for action in done]


def _word(step: Mapping[str, Any]) -> str:
    return str(step.get("tool_id") or step["kind"])


def _fits(wanted: str | Mapping[str, Json], step: Mapping[str, Any], state: str) -> bool:
    if isinstance(wanted, str):
        return wanted == _word(step)
    told = {**step, "state": state}
    return all(told.get(name) == value for name, value in wanted.items())


def _parted(place: int, expected: Sequence[str | Mapping[str, Json]], steps: Steps) -> str:
    lines = [f"the actions part at number {place}:"]
    for index in range(max(len(expected), len(steps))):
        wanted = str(expected[index]) if index < len(expected) else "nothing"
        found = str({**steps[index][0], "state": steps[index][1]}) if index < len(steps) else "none"
        lines.append(f"{'>' if index == place else ' '} {index}: expected {wanted}, was {found}")
    return "\n".join(lines)


__all__ = [
    "Collected",
    "FixedClock",
    "ScriptedClient",
    "ScriptedPlanner",
    "ScriptedTool",
    "Trial",
    "actions_of",
    "assert_actions",
    "atry_agent",
    "fixed_world",
    "try_agent",
]
