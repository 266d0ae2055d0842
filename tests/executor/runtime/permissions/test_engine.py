"""How opinions are weighed, and what is written down of them."""

import asyncio
from typing import Any

import pytest

from tests.executor.runtime.permissions.asking import asked, step_verdict, tool, verdict
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.permissions import Asked
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.audit.recorder import MemoryAudit
from zkagent.executor.runtime.permissions.engine import Act, Opinion, PermissionEngine, Rule, Stage


class Saying(Rule):
    """Says the same of all steps and values."""

    def __init__(self, act: Act | None, value: Json = None, stage: Stage = "usual") -> None:
        self.name, self.stage = f"{act}.{stage}", stage
        self._opinion = Opinion(act, f"because {act}", value) if act else None
        self.seen: list[Json] = []

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        self.seen.append(step.input)
        return self._opinion

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        self.seen.append(value)
        return self._opinion


@pytest.mark.parametrize(
    ("acts", "heaviest"),
    [
        (["change", "wait", "refuse"], "refuse"),
        (["refuse", "wait"], "refuse"),
        (["change", "wait"], "wait"),
        (["wait", "change"], "wait"),
        (["change", None], "change"),
    ],
)
def test_refusal_beats_waiting_beats_changing(acts: list[Act | None], heaviest: Act) -> None:
    found = verdict(PermissionEngine([Saying(act, "new") for act in acts]), "old")
    assert (found.allowed, found.waits) == (heaviest == "change", heaviest == "wait")
    assert found.reason == f"because {heaviest}"
    assert found.rules == tuple(f"{act}.usual" for act in acts if act)


def test_what_nobody_has_anything_against_passes_unchanged_and_unrecorded() -> None:
    audit = MemoryAudit()
    value = {"a": [1, None, "x"]}
    found = verdict(PermissionEngine([Saying(None)], audit), value)
    assert (found.allowed, found.changed, found.value, found.rules) == (True, False, value, ())
    assert not audit.records


def test_each_rule_sees_what_the_ones_before_made_of_a_value() -> None:
    last = Saying(None)
    assert verdict(PermissionEngine([Saying("change", "b"), last]), "a").value == "b"
    assert last.seen == ["b"]


def test_what_is_refused_is_not_given_back() -> None:
    found = verdict(PermissionEngine([Saying("change", "b"), Saying("refuse")]), "a")
    assert found.value is None


def test_a_guard_that_refuses_keeps_others_from_looking() -> None:
    other, guard = Saying(None), Saying("refuse", stage="guard")
    assert not verdict(PermissionEngine([other, guard]), "x").allowed
    assert other.seen == []
    assert verdict(PermissionEngine([other, Saying(None, stage="guard")]), "x").allowed
    assert other.seen == ["x"]


def test_the_last_ones_do_not_look_at_what_is_refused_but_at_what_waits() -> None:
    last = Saying(None, stage="last")
    verdict(PermissionEngine([last, Saying("refuse")]), "refused")
    verdict(PermissionEngine([last, Saying("wait")]), "waits")
    assert last.seen == ["waits"]


def test_a_steps_input_is_judged_as_it_would_be_carried_out() -> None:
    class Hiding(Rule):
        name = "hiding"

        async def value(self, asked: Asked, value: Json) -> Opinion | None:
            return Opinion("change", "hidden", {"key": "<hidden>"})

    looking = Saying(None)
    looking.value = Rule.value.__get__(looking)  # type: ignore[method-assign]
    step_verdict(PermissionEngine([Hiding(), looking]), tool(), {"key": "hunter2"})
    assert looking.seen == [{"key": "<hidden>"}]


class Failing(Rule):
    name = "failing"

    async def value(self, asked: Asked, value: Json) -> Opinion | None:
        raise ValueError(f"cannot read {value}")


def test_a_rule_that_fails_refuses_and_its_error_is_not_told() -> None:
    audit = MemoryAudit()
    found = verdict(PermissionEngine([Failing()], audit), "hunter2")
    assert not found.allowed
    assert found.rules == ("failing",)
    assert "ValueError" in found.reason
    assert "hunter2" not in found.reason + str(audit.records)


def test_what_is_recorded_says_who_where_and_by_which_rule_but_not_what() -> None:
    audit = MemoryAudit()
    engine = PermissionEngine([Saying("refuse")], audit)
    verdict(engine, "hunter2", "input", tool("mail"), run="r7", step=3)
    (record,) = audit.records
    assert dict(record) == {
        "kind": "refused",
        "run": "r7",
        "agent": "clerk",
        "step": 3,
        "place": "input",
        "tool": "mail",
        "rules": ["refuse.usual"],
        "value": audit.digest("hunter2"),
    }


def test_a_name_that_no_tool_has_is_not_recorded() -> None:
    """It may be a secret that a planner was made to write there."""
    audit = MemoryAudit()
    step = PlanStep("tool", "hunter2", {})
    engine = PermissionEngine([Saying("refuse")], audit)
    assert not asyncio.run(engine.judge_step(asked(), step)).allowed
    assert "hunter2" not in str(audit.records)


def test_what_a_guard_refused_is_not_looked_at_for_the_log() -> None:
    audit = MemoryAudit()
    endless: list[Json] = []
    endless.append(endless)
    engine = PermissionEngine([Saying("refuse", stage="guard")], audit)
    assert not verdict(engine, endless).allowed
    assert not step_verdict(engine, tool(), endless).allowed
    assert [record["value"] for record in audit.records] == [None, None]


def test_digests_are_of_one_log() -> None:
    one, other = MemoryAudit(), MemoryAudit()
    assert one.digest({"a": 1, "b": 2}) == one.digest({"b": 2, "a": 1})
    assert one.digest("x") != one.digest("y")
    assert one.digest("x") != other.digest("x")


def test_nothing_is_judged_that_cannot_be_written_down() -> None:
    class Full(MemoryAudit):
        async def record(self, what: JsonObject) -> None:
            raise AuditBroken("the disk is full")

    with pytest.raises(AuditBroken, match="full"):
        verdict(PermissionEngine([Saying("refuse")], Full()), "x")
    assert verdict(PermissionEngine([Saying(None)], Full()), "x").allowed


def test_rules_are_fixed_when_the_engine_is_made() -> None:
    rules: list[Any] = [Saying("refuse")]
    engine = PermissionEngine(rules)
    rules.clear()
    assert engine.rules == ("refuse.usual",)
    assert not verdict(engine, "x").allowed
