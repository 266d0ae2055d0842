"""Where the runner asks the permissions, and that what they say is done."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.hasty_loop import hastily
from zkagent.executor.runtime import AgentResult, PlanStep, RunOptions, ScriptedClient
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.permissions.approvals import Supervised
from zkagent.executor.runtime.permissions.audit.recorder import MemoryAudit
from zkagent.executor.runtime.permissions.engine import PermissionEngine

SECRET = "hunter2"


def redacted(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(SECRET, "[password]")
    if isinstance(value, dict):
        return {name: redacted(one) for name, one in value.items()}
    return [redacted(one) for one in value] if isinstance(value, list | tuple) else value


@dataclass
class Rules:
    """refuses: values that hold this, at these places, by `rule`; waits, denies: steps with these
    tools."""

    refuses: dict[str, str] = field(default_factory=dict)
    rule: str = "secrets"
    waits: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    asked: list[Asked] = field(default_factory=list)

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        if step.tool_id in self.waits:
            return Verdict(False, rules=("approve",), reason="needs approval", waits=True)
        if step.tool_id in self.denies:
            return Verdict(False, rules=("deny",), reason=f"{step.tool_id} is denied")
        return Verdict(True)

    async def judge_value(self, asked: Asked, value: Json) -> Verdict:
        self.asked.append(asked)
        if (word := self.refuses.get(asked.place)) and word in str(value):
            return Verdict(False, rules=(self.rule,), reason="a secret")
        clean = redacted(value)
        return Verdict(True, clean, ("redact",) if clean != value else ())


def told(result: AgentResult) -> str:
    return str([event.to_json() for event in result.event_stream]) + str(result.to_json())


def kinds(result: AgentResult, kind: str) -> list[Any]:
    return [event.data for event in result.event_stream if event.kind == kind]


def test_each_place_is_asked() -> None:
    rules = Rules()
    client = ScriptedClient(['{"kind": "tool", "tool_id": "look", "input": {}}', "bye"])
    agent(model_providers=[client], tools=[tool(Calls())], permissions=rules).run()
    assert {asked.place for asked in rules.asked} == {"task", "plan", "input", "output", "model"}
    tools = {asked.tool.id for asked in rules.asked if asked.place == "input" and asked.tool}
    assert tools == {"look"}


def test_what_is_redacted_stands_nowhere() -> None:
    calls = Calls([f"the password is {SECRET}"])
    clerk = agent(
        use(say=SECRET),
        PlanStep("internal", input={"note": SECRET}),
        PlanStep("finish", result=f"it was {SECRET}"),
        tools=[tool(calls)],
        permissions=Rules(),
        task_prompt=f"Use {SECRET}.",
    )
    result = clerk.run(RunOptions(params={"p": SECRET}))
    assert calls.given == [{"say": "[password]"}]
    assert result.result == "it was [password]"
    assert result.actions[0].changed_by == ("redact",)
    assert SECRET not in told(result)
    assert {change["place"] for change in kinds(result, "changed")} >= {"task", "plan", "output"}


def test_what_models_are_asked_and_answer_is_redacted() -> None:
    client = ScriptedClient([f"it is {SECRET}"])
    result = agent(
        model_providers=[client], permissions=Rules(), task_prompt=f"Say {SECRET}."
    ).run()
    assert result.result == "it is [password]"
    assert SECRET not in str(client.asked) + told(result)


def test_what_passed_on_its_way_to_a_model_is_looked_at_once_in_a_run() -> None:
    class Watching(Rules):
        seen: list[str]

        async def judge_value(self, asked: Asked, value: Json) -> Verdict:
            if asked.place == "model" and isinstance(value, list):
                self.seen += [message["content"] for message in value]
            return await super().judge_value(asked, value)

    rules = Watching()
    rules.seen = []
    call = '{"kind": "tool", "tool_id": "look", "input": {}}'
    client = ScriptedClient([call, call, "bye"])
    calls = Calls(["a", f"{SECRET} b"])
    clerk = agent(model_providers=[client], tools=[tool(calls)], permissions=rules)
    clerk.run()
    assert [content for content in rules.seen if content == "Do it."] == ["Do it."]
    assert len(rules.seen) == len(set(client.asked[2]))
    assert SECRET not in str(client.asked)
    client.asked.clear()
    clerk.run()
    assert sum(content.startswith("You decide") for content in rules.seen) == 1
    assert rules.seen.count("Do it.") == 2


@pytest.mark.parametrize(
    ("rule", "code"), [("secrets", "secret_refused"), ("no-secretaries", "refused")]
)
def test_what_is_refused_as_a_secret_is_known_by_the_rule(rule: str, code: str) -> None:
    rules = Rules(refuses={"task": SECRET}, rule=rule)
    result = agent(DONE, permissions=rules).run(f"use {SECRET}")
    assert result.error
    assert result.error.code == code


def test_a_refused_task_ends_the_run_before_anything_is_planned() -> None:
    for task, code in (("fine", None), (f"use {SECRET}", "secret_refused")):
        result = agent(DONE, permissions=Rules({"task": SECRET}), task_prompt=task).run()
        assert (result.error and result.error.code) == code
        assert SECRET not in told(result)


@pytest.mark.parametrize("place", ["plan", "input"])
def test_a_refused_step_is_not_taken_and_the_planner_goes_on(place: str) -> None:
    calls, rules = Calls(), Rules({place: "forbidden"})
    script = use(say="forbidden"), use(say="fine"), DONE
    result = agent(*script, tools=[tool(calls)], permissions=rules).run()
    assert [action.state for action in result.actions] == ["refused", "ok", "ok"]
    assert calls.given == [{"say": "fine"}]
    assert "forbidden" not in told(result)
    assert kinds(result, "blocked")[0]["place"] == place


def test_a_denied_tool_is_not_called() -> None:
    good, bad = Calls(), Calls()
    tools = [tool(good, "look"), tool(bad, "shell")]
    result = agent(
        use("shell"), use(), DONE, tools=tools, permissions=Rules(denies=("shell",))
    ).run()
    assert (len(good.given), bad.given) == (1, [])
    assert "shell is denied" in str(result.actions[0].error)


def test_an_output_that_is_refused_is_not_seen() -> None:
    calls = Calls([f"x {SECRET}"])
    result = agent(use(), DONE, tools=[tool(calls)], permissions=Rules({"output": SECRET})).run()
    assert (result.actions[0].state, result.actions[0].output) == ("refused", None)
    assert SECRET not in told(result)


def test_a_step_that_waits_ends_the_run_where_nobody_can_approve() -> None:
    calls = Calls()
    result = agent(use(), DONE, tools=[tool(calls)], permissions=Rules(waits=("look",))).run()
    assert result.error
    assert (result.error.code, calls.given) == ("approval_needed", [])


@pytest.mark.parametrize(("allowed", "state"), [(True, "ok"), (False, "refused")])
def test_a_step_that_waits_is_taken_if_it_is_approved(allowed: bool, state: str) -> None:
    class Somebody:
        async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
            return Verdict(allowed, rules=("by ada",), reason="ada said so")

    calls = Calls()
    rules = Rules(waits=("look",))
    result = agent(use(), DONE, tools=[tool(calls)], permissions=rules, approvals=Somebody()).run()
    assert (result.actions[0].state, len(calls.given)) == (state, int(allowed))
    assert result.success


@pytest.mark.parametrize("takes_s", [0.0, 0.3])
def test_the_time_that_somebody_took_to_approve_a_step_is_none_of_the_steps(takes_s: float) -> None:
    class Slow:
        async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
            await asyncio.sleep(takes_s)
            return Verdict(True)

    calls, rules = Calls(), Rules(waits=("look",))
    clerk = agent(
        use(),
        DONE,
        tools=[tool(calls)],
        permissions=rules,
        approvals=Slow(),
        step_timeout_s=0.2,
    )
    assert hastily(clerk.arun()).actions[0].state == "ok"
    assert calls.contexts[0].timeout_s > 0.05


@pytest.mark.parametrize(
    ("answer", "kind", "by"),
    [
        (Verdict(True, by="ada"), "approved", "ada"),
        (Verdict(False, rules=("approvals",), reason="ada denied it", by="ada"), "denied", "ada"),
        (Verdict(False, rules=("approvals",), reason="it expired"), "expired", None),
    ],
)
def test_who_answered_is_in_the_audit_log_beside_what_waited(
    answer: Verdict, kind: str, by: str | None
) -> None:
    class Somebody:
        async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
            assert [record["kind"] for record in audit.records] == ["waits"]
            return answer

    calls, audit = Calls(), MemoryAudit()
    rules = PermissionEngine([Supervised(["look"])], audit)
    done = agent(use(), DONE, tools=[tool(calls)], permissions=rules, approvals=Somebody()).run()
    waits, answered = audit.records
    assert (answered["kind"], answered["answer"], answered["by"]) == ("answered", kind, by)
    for name in ("run", "agent", "step", "tool", "value"):
        assert answered[name] == waits[name]
    assert len(calls.given) == int(answer.allowed)
    assert done.id == answered["run"]


def test_an_answer_that_cannot_be_written_down_lets_nothing_happen() -> None:
    class Somebody:
        async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
            return Verdict(True, by="ada")

    class Full(MemoryAudit):
        async def record(self, what: JsonObject) -> None:
            if what["kind"] == "answered":
                raise AuditBroken("no room")

    calls = Calls()
    rules = PermissionEngine([Supervised(["look"])], Full())
    result = agent(use(), DONE, tools=[tool(calls)], permissions=rules, approvals=Somebody()).run()
    assert result.error
    assert (result.error.code, calls.given) == ("audit_broken", [])
