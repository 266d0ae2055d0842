"""What users of the runtime test their agents with."""

from typing import Any

import pytest

from zkagent.executor.runtime import AgentConfig, AllowAll, PlanStep, ToolOutput
from zkagent.executor.runtime.testing import (
    ScriptedClient,
    ScriptedPlanner,
    ScriptedTool,
    actions_of,
    assert_actions,
    fixed_world,
    try_agent,
)

DONE = PlanStep("finish", result="a cat")


def config(tool: ScriptedTool, *steps: PlanStep, **others: Any) -> AgentConfig:
    planner = ScriptedPlanner([*steps, DONE])
    values = {"permissions": AllowAll(), **others}
    return AgentConfig("clerk", "Look.", [tool.definition], planner, **values)


def looks(where: str) -> PlanStep:
    return PlanStep("tool", "look", {"where": where})


def test_a_run_is_tried_and_its_actions_are_asserted() -> None:
    look = ScriptedTool("look", ["nothing", "a cat"])
    trial = try_agent(config(look, looks("house"), looks("garden")))
    assert_actions(trial, ["look", {"input": {"where": "garden"}, "state": "ok"}, "finish"])
    assert look.inputs == [{"where": "house"}, {"where": "garden"}]
    assert trial.actions[1].output == "a cat"
    assert trial.result.id == "run-0001"


@pytest.mark.parametrize(
    ("expected", "place"),
    [
        (["look"], 1),
        (["look", "finish", "finish"], 2),
        (["finish", "look"], 0),
        ([{"tool_id": "look", "input": {"where": "street"}}, "finish"], 0),
        (["look", {"kind": "finish", "result": "a dog"}], 1),
        ([{"tool_id": "look", "state": "failed"}, "finish"], 0),
    ],
)
def test_other_actions_are_told_apart_with_where_they_part(expected: Any, place: int) -> None:
    trial = try_agent(config(ScriptedTool("look"), looks("house")))
    assert_actions(trial, ["look", "finish"])
    with pytest.raises(AssertionError, match=f"(?s)part at number {place}:.*> {place}: expected"):
        assert_actions(trial, expected)


def test_events_and_results_tell_the_same_actions() -> None:
    trial = try_agent(config(ScriptedTool("look", [ValueError("no")]), looks("house")))
    for found in (trial, trial.result, trial.events):
        assert actions_of(found) == ["look", "finish"]
        assert_actions(found, [{"state": "failed"}, {"state": "ok"}])


def test_the_same_trial_tells_the_same_events_byte_for_byte_and_another_script_does_not() -> None:
    def snapshot(answer: Any) -> str:
        agent = config(ScriptedTool("look", [answer]), looks("house"))
        return try_agent(agent, world=fixed_world()).snapshot()

    assert snapshot("a cat") == snapshot("a cat")
    assert snapshot("a cat") != snapshot("a dog")


def test_a_model_answers_by_script_and_its_tokens_are_among_the_events() -> None:
    client = ScriptedClient(["hello"])
    greeter = AgentConfig("clerk", "Greet.", model_providers=[client], permissions=AllowAll())
    trial = try_agent(greeter)
    assert trial.result.result == "hello"
    kinds = [event.kind for event in trial.events]
    assert "model_tokens" in kinds
    assert "model_called" in kinds
    assert kinds[-1] == "run_finished"


def test_a_scripted_tool_gives_answers_outputs_and_faults_in_turn() -> None:
    look = ScriptedTool("look", [ToolOutput(False, "gone"), RuntimeError("broken"), "last"])
    trial = try_agent(config(look, *[looks(place) for place in "abcd"]))
    assert [action.output for action in trial.actions[:4]] == ["gone", None, "last", "last"]
    assert [action.state for action in trial.actions[:4]] == ["ok", "failed", "ok", "ok"]
