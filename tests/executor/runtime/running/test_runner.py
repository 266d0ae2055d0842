"""The loop: what it does with each kind of step, and all ways in which it ends."""

import asyncio
import contextlib
import json
from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.hasty_loop import hastily
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    AllowAll,
    PlannerState,
    PlanStep,
    RunOptions,
    ScriptedClient,
)
from zkagent.executor.runtime.core.errors import ModelFault
from zkagent.executor.runtime.core.steps import Models
from zkagent.executor.runtime.testing import fixed_world


def test_an_agent_answers_in_under_ten_lines() -> None:
    client = ScriptedClient(["Hello, Ada."])
    config = AgentConfig("greeter", "Greet Ada.", model_providers=[client], permissions=AllowAll())
    result = Agent(config).run()
    assert result.result == "Hello, Ada."


def test_a_run_uses_two_tools_and_finishes() -> None:
    first, second = Calls([{"page": 1}]), Calls([7])
    tools = [tool(first, "http"), tool(second, "kv")]
    clerk = agent(
        use("http", url="x"),
        lambda state: use("kv", value=state.actions[0].output),
        lambda state: PlanStep("finish", result=state.actions[1].output),
        tools=tools,
    )
    result = clerk.run()
    assert (result.success, result.result, result.steps) == (True, 7, 3)
    assert (first.given, second.given) == ([{"url": "x"}], [{"value": {"page": 1}}])
    assert [action.state for action in result.actions] == ["ok", "ok", "ok"]


def test_events_are_told_in_order_and_numbered_without_gaps() -> None:
    result = agent(use(a=1), DONE, tools=[tool(Calls())]).run()
    events = result.event_stream
    assert [event.number for event in events] == list(range(len(events)))
    assert [event.kind for event in events] == (
        "run_started step_started planned tool_called tool_returned step_finished "
        "step_started planned step_finished run_finished"
    ).split()


def test_the_same_script_in_the_same_world_tells_the_same_events() -> None:
    def told() -> str:
        clerk = agent(use(a=1), DONE, tools=[tool(Calls())], world=fixed_world())
        return json.dumps([event.to_json() for event in clerk.run().event_stream])

    assert told() == told()


def test_a_run_without_a_finish_ends_when_its_steps_are_used_up() -> None:
    steps = [PlanStep("message", message="hm")] * 5
    assert agent(*steps, DONE, max_steps=6).run().success
    result = agent(*steps, DONE, max_steps=5).run()
    assert (result.success, result.steps) == (False, 5)
    assert result.error
    assert result.error.code == "steps_exhausted"


def test_internal_steps_note_in_the_scratchpad_and_messages_go_on() -> None:
    seen: list[PlannerState] = []
    clerk = agent(
        PlanStep("internal", input={"plan": "a"}),
        PlanStep("internal", input="b"),
        PlanStep("message", message="so far"),
        lambda state: seen.append(state) or DONE,
    )
    assert clerk.run().success
    assert seen[0].scratchpad == {"plan": "a", "1": "b"}
    assert [action.output for action in seen[0].actions] == [{"plan": "a"}, "b", "so far"]


def test_a_finish_without_a_result_has_its_message() -> None:
    assert agent(PlanStep("finish", message="bye")).run().result == "bye"
    assert agent(PlanStep("finish", message="bye", result=1)).run().result == 1


def test_a_planner_that_fails_ends_the_run_with_a_code() -> None:
    def fails(state: PlannerState) -> PlanStep:
        raise KeyError("price")

    result = agent(fails).run()
    assert result.error
    assert result.error.code == "plan_refused"
    assert "planner scripted failed: KeyError: 'price'" in result.error.message


@pytest.mark.parametrize("answer", ["finish", None, PlanStep("finish", result=float("nan"))])
def test_what_is_no_step_that_can_be_kept_ends_the_run(answer: object) -> None:
    result = agent(lambda state: answer).run()
    assert result.error
    assert result.error.code == "plan_refused"


def test_a_planner_that_takes_too_long_ends_the_run() -> None:
    async def sleeps(state: PlannerState) -> PlanStep:
        await asyncio.sleep(600)
        return DONE

    result = hastily(agent(sleeps, step_timeout_s=0.02).arun())
    assert result.error
    assert (result.error.code, result.success) == ("model_timeout", False)


def test_a_planner_that_does_not_end_when_it_is_cancelled_holds_up_no_run_and_asks_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.GRACE_S", 0.01)
    client, late = ScriptedClient(["a", "b"]), []

    class Clings:
        async def plan(self, state: PlannerState, models: Models) -> PlanStep:
            await models.ask("first")
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(600)
            await asyncio.sleep(0.1)
            try:
                await models.ask("second")
            except ModelFault as fault:
                late.append(str(fault))
            return DONE

    async def whole() -> None:
        clerk = agent(planner=Clings(), model_providers=[client], step_timeout_s=0.05)
        result = await clerk.arun()
        assert result.error
        assert (result.error.code, late) == ("model_timeout", [])
        await asyncio.sleep(0.3)

    hastily(whole())
    assert late == ["the step is over: its planner was given up"]
    assert len(client.asked) == 1


def test_a_task_takes_its_parameters_and_braces_of_others_stay() -> None:
    seen: list[str] = []
    clerk = agent(lambda state: seen.append(state.task) or DONE, task_prompt="Sum {a} of {b}.")
    clerk.run(RunOptions(params={"a": 3}))
    clerk.run("Other task.")
    assert seen == ["Sum 3 of {b}.", "Other task."]


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), "\ud800", {"\ud800": 1}])
def test_parameters_that_are_no_json_end_the_run_with_an_error(value: Any) -> None:
    result = agent(DONE).run(RunOptions(params={"a": value}))
    assert result.error
    assert (result.error.code, result.steps) == ("config_refused", 0)
    assert "cannot be kept" in result.error.message


@pytest.mark.parametrize("result", ["\ud800 hi", {"\udfff": 1}])
def test_a_result_that_utf_8_cannot_say_is_refused(result: Any) -> None:
    found = agent(PlanStep("finish", result=result)).run()
    assert found.error
    assert (found.error.code, found.result) == ("plan_refused", None)
    assert "lone surrogate" in found.error.message


def test_two_runs_of_an_agent_share_nothing() -> None:
    clerk = agent(PlanStep("internal", input={"x": 1}), DONE)
    first, second = clerk.run(), clerk.run()
    assert (first.id, second.id) == ("run-0001", "run-0002")
    assert len(first.actions) == len(second.actions) == 2


def test_what_a_run_noted_is_not_there_in_the_next() -> None:
    seen: list[PlannerState] = []

    def note(state: PlannerState) -> PlanStep:
        seen.append(state)
        return PlanStep("internal", input={f"run {len(seen)}": 1})

    clerk = agent(note, DONE)
    clerk.run()
    clerk.run()
    assert [dict(state.scratchpad) for state in seen] == [{}, {}]


def test_a_result_counts_what_was_used() -> None:
    calls = Calls()
    result = agent(use(), use(), DONE, tools=[tool(calls)]).run()
    assert result.metrics["tool_calls"] == 2
    assert result.metrics["tool_errors"] == 0
    assert result.metrics["tool_latency_ms"] == {"look": pytest.approx(1.0, abs=0.01)}
    assert result.deterministic
    assert result.provenance.planner == "scripted"
