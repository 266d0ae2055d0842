"""What events show: everything that happened, and contents only where they are included."""

import json
from dataclasses import replace

import pytest

from tests.executor.runtime.events.stories import (
    FOUND,
    GIVEN,
    RESULT,
    SAID,
    TASK,
    asked,
    event,
    told,
)
from zkagent.executor.runtime import PlanStep
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events.contents import (
    EVERYTHING,
    WITHHELD,
    Include,
    shown,
    shown_result,
)

GROUP_OF = {GIVEN: "inputs", FOUND: "outputs", RESULT: "outputs", TASK: "texts", SAID: "errors"}


def story() -> list[Event]:
    return told(PlanStep("finish", result=RESULT, message=TASK))


def text(events: list[Event], include: Include) -> str:
    return json.dumps([shown(one, include).to_json() for one in events])


def test_no_content_is_shown_unless_it_is_included() -> None:
    everything = text(story(), EVERYTHING)
    assert all(content in everything for content in GROUP_OF)
    nothing = text(story(), Include())
    assert not [content for content in GROUP_OF if content in nothing]
    assert not [content for content in (TASK, RESULT) if content in text(asked(), Include())]


@pytest.mark.parametrize("group", sorted(set(GROUP_OF.values())))
def test_a_group_that_is_included_is_shown_and_no_other(group: str) -> None:
    found = text(story(), Include.of([group]))
    assert {content for content in GROUP_OF if content in found} == {
        content for content, its in GROUP_OF.items() if its == group
    }


def test_what_happened_is_shown_always() -> None:
    events = [shown(one) for one in story()]
    calls = [one.data for one in events if one.kind == "tool_called"]
    assert [(call["tool"], call["attempt"]) for call in calls] == [("look", 1), ("look", 2)]
    failed = next(one.data for one in events if one.kind == "tool_failed")
    assert failed["error"] == {"code": "tool_failed", "message": WITHHELD, "info": WITHHELD}
    finished = events[-1].data["result"]
    assert isinstance(finished, dict)
    assert (finished["success"], finished["steps"], finished["result"]) == (True, 2, WITHHELD)


def test_hashes_by_which_a_guess_could_be_confirmed_are_withheld_with_their_contents() -> None:
    call = next(one for one in story() if one.kind == "tool_called")
    assert len(str(call.data["key"])) == 64
    assert shown(call).data["key"] == WITHHELD
    assert shown(call, Include(inputs=True)).data["key"] == call.data["key"]
    finished = shown(asked()[-1]).data["result"]
    assert isinstance(finished, dict)
    assert finished["model_calls"][0]["prompt"] == WITHHELD


def test_a_field_that_nobody_thought_of_is_withheld() -> None:
    odd = event("step_started", 0, step=3, extra="secret")
    assert shown(odd).data == {"step": 3, "extra": WITHHELD}
    blocked = replace(odd, kind="tool_failed", data={"error": "words instead of an object"})
    assert shown(blocked).data == {"error": WITHHELD}


def test_results_alone_are_withheld_alike() -> None:
    result = story()[-1].data["result"]
    assert isinstance(result, dict)
    assert shown_result(result) == shown(story()[-1]).data["result"]
    assert shown_result(result, Include(outputs=True))["result"] == RESULT


def test_what_can_be_included_is_named_when_something_else_is_asked_for() -> None:
    assert Include.of(["all"]) == EVERYTHING
    with pytest.raises(AgentConfigRefused, match="'inpust' cannot be included: there are inputs, "):
        Include.of(["inpust"])
