"""Calls of tools: what they are given, when they are tried again, what becomes of interrupted ones.

An interruption is made as the next process meets it: a journal that has a call's beginning on
record, by another incarnation, and no outcome.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.hasty_loop import hastily
from zkagent.executor.runtime import ActionResult, AgentResult, PlanStep, ToolOutput
from zkagent.executor.runtime.core.errors import CallUnknown, ToolFault
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.tools import CallContext


@dataclass
class Kept:
    """A journal in a dict; cut: the records that an earlier process wrote before it was killed."""

    incarnation: str = "second"
    kept: dict[str, Any] = field(default_factory=dict)
    kept_events: int = 0

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        if name not in self.kept:
            self.kept[name] = await do()
        return self.kept[name]

    def killed_before(self, name: str) -> "Kept":
        """What the next process finds."""
        names = list(self.kept)
        before = names[: names.index(name)]
        return Kept("third", {one: self.kept[one] for one in before})


@dataclass
class Approves:
    allowed: bool
    asked: list[str] = field(default_factory=list)

    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        self.asked.append(reason)
        return Verdict(self.allowed, rules=("approval",))


def only(result: AgentResult) -> ActionResult:
    return result.actions[0]


def interrupted(calls: Calls, **others: Any) -> AgentResult:
    """A run that was killed within the call of its first step, and goes on."""
    of_agent = {"approvals": others.pop("approvals")} if "approvals" in others else {}
    clerk = agent(use(a=1), DONE, tools=[tool(calls, **others)], **of_agent)
    kept = Kept()
    clerk.create_session(run_id="r", journal=kept).run()
    return clerk.create_session(run_id="r", journal=kept.killed_before("0.call.1")).run()


def test_a_call_is_given_its_run_and_a_key_of_its_own() -> None:
    calls = Calls()
    clerk = agent(use(a=1), use(a=1), DONE, tools=[tool(calls)])
    clerk.run()
    first, second = calls.contexts
    assert (first.run_id, first.agent_id, first.step) == ("run-0001", "clerk", 0)
    assert len(first.key) == 64
    assert first.key != second.key


def test_a_fault_that_is_retriable_is_tried_again_with_the_same_key() -> None:
    calls = Calls([ToolFault("busy", retriable=True), "ok"])
    result = agent(use(), DONE, tools=[tool(calls)]).run()
    assert (only(result).state, only(result).attempts) == ("ok", 2)
    assert len({context.key for context in calls.contexts}) == 1
    assert result.retry_info
    assert (result.retry_info.attempts, result.retry_info.last_error) == (1, "busy")


def test_attempts_end_with_the_policy_and_the_planner_is_told() -> None:
    calls = Calls([ToolFault("busy", retriable=True)])
    result = agent(use(), DONE, tools=[tool(calls)]).run()
    assert (only(result).state, only(result).attempts, len(calls.given)) == ("failed", 3, 3)
    assert result.success


def test_a_fatal_fault_is_not_tried_again() -> None:
    calls = Calls([ToolFault("gone"), "ok"])
    assert only(agent(use(), DONE, tools=[tool(calls)]).run()).attempts == 1


@pytest.mark.parametrize(("error", "attempts"), [(ConnectionError("reset"), 2), (ValueError(), 1)])
def test_a_tools_own_list_says_which_errors_are_retriable(error: Exception, attempts: int) -> None:
    calls = Calls([error, "ok"])
    found = only(agent(use(), DONE, tools=[tool(calls, retriable=(OSError,))]).run())
    assert found.attempts == attempts


@pytest.mark.parametrize(
    "answer",
    [
        ToolOutput(True, {1, 2}),
        ToolOutput(True, float("inf")),
        ToolOutput(True, "\ud800"),
        ToolOutput(True, [{"\ud800": 1}]),
        ToolOutput(True, "ok", {"a": "x\udfff"}),
    ],
)
def test_an_output_that_is_no_json_is_a_fault(answer: ToolOutput) -> None:
    found = only(agent(use(), DONE, tools=[tool(Calls([answer]))]).run())
    assert found.state == "failed"
    assert "cannot be kept" in str(found.error)


def test_all_that_utf_8_can_say_is_an_output() -> None:
    said = ["žlutý 日本 🎈", {"🎈": "\\ud800"}, "\ud83c\udf88"]
    found = only(agent(use(), DONE, tools=[tool(Calls([ToolOutput(True, said)]))]).run())
    assert (found.state, found.output) == ("ok", [*said[:2], "🎈"])


def test_a_fault_that_says_half_a_character_can_be_kept() -> None:
    fault = ToolFault("no \ud800", **{"\ud800": "\ud800"})
    found = only(agent(use(), DONE, tools=[tool(Calls([fault]))]).run())
    json.dumps(found.error, ensure_ascii=False).encode()


def test_a_tool_that_answers_with_no_output_is_a_fault() -> None:
    async def lies(given: dict[str, Any], context: CallContext) -> Any:
        return "text"

    found = only(agent(use(), DONE, tools=[tool(lies)]).run())
    assert "answered with str, not with a ToolOutput" in str(found.error)


def test_an_input_that_does_not_fit_the_schema_never_reaches_the_tool() -> None:
    calls = Calls()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    clerk = agent(use(n="one"), use(), use(n=1), DONE, tools=[tool(calls, schema=schema)])
    result = clerk.run()
    assert [action.state for action in result.actions] == ["failed", "failed", "ok", "ok"]
    assert calls.given == [{"n": 1}]
    assert result.actions[0].error
    assert result.actions[0].error["code"] == "tool_input"


def test_a_tool_that_is_not_the_agents_is_unknown() -> None:
    found = only(agent(use("rm"), DONE, tools=[tool(Calls())]).run())
    assert found.error
    assert (found.error["code"], found.attempts) == ("tool_unknown", 0)


@pytest.mark.parametrize(
    ("others", "state", "attempts"),
    [
        ({"safe_by_default": True}, "failed", 3),
        ({"safe_by_default": False, "honours_keys": True}, "unknown", 3),
        ({"safe_by_default": False}, "unknown", 1),
    ],
)
def test_a_call_that_takes_too_long_is_repeated_only_where_that_is_harmless(
    others: dict[str, Any], state: str, attempts: int
) -> None:
    async def sleeps(given: dict[str, Any], context: CallContext) -> ToolOutput:
        await asyncio.sleep(600)
        return ToolOutput(True)

    clerk = agent(use(), DONE, tools=[tool(sleeps, timeout_s=0.01, **others)])
    found = only(hastily(clerk.arun()))
    assert (found.state, found.attempts) == (state, attempts)
    assert found.error
    assert found.error["code"] == "tool_timeout"


def test_a_tool_that_does_not_end_when_it_is_cancelled_holds_up_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.core.patience.GRACE_S", 0.01)
    free = asyncio.Event()

    async def clings(given: dict[str, Any], context: CallContext) -> ToolOutput:
        while not free.is_set():
            try:
                await asyncio.wait_for(free.wait(), 600)
            except asyncio.CancelledError:
                continue
        return ToolOutput(True)

    async def run() -> AgentResult:
        result = await agent(use(), DONE, tools=[tool(clings, timeout_s=0.01)]).arun()
        free.set()
        await asyncio.sleep(0.01)
        return result

    assert only(hastily(run())).state == "failed"


def test_an_interrupted_call_is_made_again_with_the_same_key_where_keys_are_honoured() -> None:
    calls = Calls()
    result = interrupted(calls, honours_keys=True)
    assert (only(result).state, len(calls.given)) == ("ok", 2)
    assert len({context.key for context in calls.contexts}) == 1


def test_an_interrupted_call_is_made_again_where_the_tool_says_so() -> None:
    calls = Calls()
    assert only(interrupted(calls, interrupted="retry")).state == "ok"
    assert len(calls.given) == 2


def test_an_interrupted_call_that_changes_nothing_is_made_again() -> None:
    calls = Calls()
    assert only(interrupted(calls)).state == "ok"
    assert len(calls.given) == 2
    assert tool(calls, safe_by_default=False).interrupted == "fail"


def test_an_interrupted_call_ends_as_unknown_otherwise() -> None:
    calls = Calls()
    result = interrupted(calls, interrupted="fail")
    assert (only(result).state, len(calls.given), result.success) == ("unknown", 1, True)
    assert only(result).error
    assert only(result).error["code"] == "call_unknown"


@pytest.mark.parametrize(("allowed", "state", "made"), [(True, "ok", 2), (False, "unknown", 1)])
def test_somebody_is_asked_whether_an_interrupted_call_is_made_again(
    allowed: bool, state: str, made: int
) -> None:
    calls, approves = Calls(), Approves(allowed)
    result = interrupted(calls, interrupted="ask", approvals=approves)
    assert (only(result).state, len(calls.given)) == (state, made)
    assert "call it again?" in approves.asked[0]


def test_where_nobody_can_be_asked_an_interrupted_call_stays_unknown() -> None:
    assert only(interrupted(Calls(), interrupted="ask")).state == "unknown"


def test_a_call_that_is_on_record_is_not_made_again() -> None:
    calls, kept = Calls(), Kept()
    clerk = agent(use(a=1), use(a=2), DONE, tools=[tool(calls)])
    clerk.create_session(run_id="r", journal=kept).run()
    for name, again in (("0.begin.1", 2), ("1.plan", 1), ("2.plan", 0), ("finish", 0)):
        made = len(calls.given)
        assert clerk.create_session(run_id="r", journal=kept.killed_before(name)).run().success
        assert (name, len(calls.given) - made) == (name, again)


def test_a_run_that_goes_on_tells_the_same_events_with_the_same_numbers() -> None:
    kept = Kept()
    clerk = agent(use(a=1), use(a=2), DONE, tools=[tool(Calls(), honours_keys=True)])
    whole = clerk.create_session(run_id="r", journal=kept).run()
    for name in list(kept.kept)[1:]:
        again = clerk.create_session(run_id="r", journal=kept.killed_before(name)).run()
        assert [(e.number, e.kind) for e in again.event_stream] == [
            (e.number, e.kind) for e in whole.event_stream
        ]
        assert again.result == whole.result


def test_secrets_are_withheld_from_what_a_tool_gives_back() -> None:
    async def leaks(given: dict[str, Any], context: CallContext) -> ToolOutput:
        assert context.secrets
        key = context.secrets("API_KEY")
        if given.get("fail"):
            raise ToolFault(f"refused with {key}", header=key)
        return ToolOutput(True, {"echo": [f"Bearer {key}"]}, {"sent": key})

    clerk = agent(
        use(), use(fail=True), DONE, tools=[tool(leaks)], secrets={"API_KEY": "k-12345"}.__getitem__
    )
    result = clerk.run()
    assert only(result).output == {"echo": ["Bearer [secret API_KEY]"]}
    told = str([event.to_json() for event in result.event_stream])
    assert "k-12345" not in told + str(result.to_json())
    assert "refused with [secret API_KEY]" in told


@pytest.mark.parametrize("kind", [ToolFault, ValueError])
@pytest.mark.parametrize("before", ["", "x" * 490, "x" * 3_990, "\u202e"])
def test_a_secret_of_many_lines_is_withheld_before_an_error_is_cut_and_escaped(
    kind: type[Exception], before: str
) -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END KEY-----\n"

    async def leaks(given: dict[str, Any], context: CallContext) -> ToolOutput:
        assert context.secrets
        raise kind(before + context.secrets("PEM"))

    result = agent(use(), DONE, tools=[tool(leaks)], secrets={"PEM": key}.__getitem__).run()
    told = str([event.to_json() for event in result.event_stream]) + str(result.to_json())
    assert "BEGIN" not in told
    assert "MIIE" not in told
    if len(before) < 100:
        assert "[secret PEM]" in told


@pytest.mark.parametrize(("value", "given"), [("1", "[secret PIN]"), ("10", "10")])
def test_a_secret_that_stands_everywhere_is_withheld_where_it_stands_alone(
    value: str, given: str
) -> None:
    async def leaks(_: dict[str, Any], context: CallContext) -> ToolOutput:
        assert context.secrets
        context.secrets("PIN")
        return ToolOutput(True, value)

    secrets = {"PIN": "1"}.__getitem__
    assert only(agent(use(), DONE, tools=[tool(leaks)], secrets=secrets).run()).output == given


@pytest.mark.parametrize(("step_s", "state"), [(0.1, "ok"), (0.01, "failed")])
def test_a_call_is_not_tried_again_when_the_step_has_no_time_left(
    step_s: float, state: str
) -> None:
    made: list[float] = []

    async def slow_at_first(given: dict[str, Any], context: CallContext) -> ToolOutput:
        made.append(context.timeout_s)
        if len(made) == 1:
            await asyncio.sleep(600)
        return ToolOutput(True)

    tools = [tool(slow_at_first, timeout_s=0.05)]
    result = hastily(agent(use(), DONE, tools=tools, step_timeout_s=step_s).arun())
    found = only(result)
    assert (found.state, found.attempts) == (state, len(made))
    assert len(made) == (2 if state == "ok" else 1)
    assert min(made) > 0
    if state == "failed":
        assert found.error
        assert found.error["code"] == "tool_timeout"
        told = [event.data for event in result.event_stream if event.kind == "tool_failed"]
        assert "was not called" in str(told[-1])


@pytest.mark.parametrize("takes_s", [0.0, 0.3])
def test_the_time_that_somebody_took_to_approve_a_second_call_is_none_of_the_steps(
    takes_s: float,
) -> None:
    class Slow(Approves):
        async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
            await asyncio.sleep(takes_s)
            return await super().wait(asked, step, reason)

    calls = Calls([CallUnknown("gone"), "ok"])
    tools = [tool(calls, interrupted="ask")]
    clerk = agent(use(), DONE, tools=tools, step_timeout_s=0.2, approvals=Slow(True))
    found = only(hastily(clerk.arun()))
    assert (found.state, len(calls.given)) == ("ok", 2)
    assert min(context.timeout_s for context in calls.contexts) > 0.05
