"""What an agent may be made of, each refusal beside what passes."""

import json
from typing import Any

import pytest

from zkagent.executor.runtime.core.config import AgentConfig, MemoryPolicy, RetryPolicy, RunOptions
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.steps import Models, PlannerState, PlanStep
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput


class Finishes:
    name = "finishes"

    async def plan(self, state: PlannerState, models: Models) -> PlanStep:
        return PlanStep("finish")


async def run(values: dict[str, Any], context: CallContext) -> ToolOutput:
    return ToolOutput(True)


def tool(name: str = "look", **others: Any) -> ToolDefinition:
    return ToolDefinition(name, "Looks.", others.pop("schema", {"type": "object"}), run, **others)


def config(**others: Any) -> AgentConfig:
    return AgentConfig(**{"id": "a", "task_prompt": "Do.", "planner": Finishes(), **others})


@pytest.mark.parametrize(
    ("passes", "refused", "says"),
    [
        ({"id": "a-B_9"}, {"id": "a b"}, "id is"),
        ({"id": "a" * 64}, {"id": "a" * 65}, "id is"),
        ({"task_prompt": "x"}, {"task_prompt": " \n"}, "task_prompt is empty"),
        ({"planner": Finishes()}, {"planner": None}, "nothing to decide by"),
        ({"max_steps": 1}, {"max_steps": 0}, "max_steps"),
        ({"max_steps": 1000}, {"max_steps": 1001}, "max_steps"),
        ({"step_timeout_s": 0.1}, {"step_timeout_s": 0}, "step_timeout_s"),
        ({"step_timeout_s": 1e9}, {"step_timeout_s": float("nan")}, "step_timeout_s"),
        ({"tools": [tool("a"), tool("b")]}, {"tools": [tool("a"), tool("a")]}, "two tools"),
        ({"tools": [tool("a.b/c:d-e")]}, {"tools": [tool("a b")]}, "a tool's id"),
        ({"tools": [tool()]}, {"tools": [tool(schema={"type": "array"})]}, "of type object"),
        ({"tools": [tool(timeout_s=1)]}, {"tools": [tool(timeout_s=-1)]}, "timeout_s of tool"),
    ],
)
def test_a_config_is_refused_beside_one_that_passes(
    passes: dict[str, Any], refused: dict[str, Any], says: str
) -> None:
    config(**passes)
    with pytest.raises(AgentConfigRefused, match=says):
        config(**refused)


@pytest.mark.parametrize(
    ("passes", "refused", "says"),
    [
        ({"task": "é\n🙂"}, {"task": "a\0b"}, r"task has '\\x00' at 1.*leave it out"),
        ({"task": "."}, {"task": "\ud800"}, r"task has '\\ud800' at 0"),
        ({"task": None}, {"task": b"Do."}, "task is text, not bytes"),
        ({"session": "a-B_9"}, {"session": "ada/talk"}, "session is .* not 'ada/talk'"),
        ({"session": "a" * 64}, {"session": "a" * 65}, "session is"),
        ({"session": None}, {"session": ""}, "session is .* or give none"),
        ({"session": "7"}, {"session": 7}, "session is .* not 7"),
        ({"seed": -(1 << 63)}, {"seed": 1 << 63}, "seed is a whole number of 64 bits"),
        ({"seed": 1}, {"seed": "1"}, "seed is a whole number of 64 bits, not '1'"),
        ({"seed": 0}, {"seed": False}, "not False"),
    ],
)
def test_options_of_a_run_are_refused_beside_ones_that_pass(
    passes: dict[str, Any], refused: dict[str, Any], says: str
) -> None:
    RunOptions(**passes)
    with pytest.raises(AgentConfigRefused, match=says):
        RunOptions(**refused)


@pytest.mark.parametrize(
    "refused", [{"attempts": 0}, {"attempts": 101}, {"first_wait_s": 20}, {"first_wait_s": -1}]
)
def test_a_retry_policy_has_bounds(refused: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        RetryPolicy(**refused)


def test_waits_double_up_to_the_longest() -> None:
    policy = RetryPolicy(attempts=5, first_wait_s=1, most_wait_s=3)
    assert [policy.wait_s(attempt) for attempt in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 3]


def test_a_stream_is_named_by_agent_and_session_only() -> None:
    assert MemoryPolicy("{agent}/{session}").stream_of("a", "s") == "a/s"
    for refused in ("{user}", "{}", "{agent.x}", "{agent"):
        with pytest.raises(AgentConfigRefused, match="may have"):
            MemoryPolicy(refused)


def test_a_config_describes_itself_in_json() -> None:
    told = config(tools=[tool()], labels={"team": "x"}).described()
    assert json.loads(json.dumps(told)) == told
    assert (told["planner"], told["labels"]) == ("finishes", {"team": "x"})
    assert [one["id"] for one in told["tools"]] == ["look"]


@pytest.mark.parametrize("task", ["", " \n"])
def test_a_run_s_task_that_says_nothing_is_refused(task: str) -> None:
    """It is not the agent's own task, which may be a dangerous one."""
    with pytest.raises(AgentConfigRefused, match="task is empty"):
        RunOptions(task)


def test_a_plain_function_is_no_tool() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    with pytest.raises(AgentConfigRefused, match="'add' is no tool: write @tool"):
        AgentConfig("clerk", "Add.", [add], planner=Finishes())  # type: ignore[list-item]
