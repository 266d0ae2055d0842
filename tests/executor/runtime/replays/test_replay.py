"""A run once more from its record: the same decisions, and what shows that they are not."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime import Agent, PlanStep, ScriptedClient
from zkagent.executor.runtime.core.errors import RecordsBroken, RunUnknown, ToolFault
from zkagent.executor.runtime.core.permissions import AllowAll, Asked, Verdict
from zkagent.executor.runtime.core.steps import PlannerState, ProofOfStep, StepVerdict
from zkagent.executor.runtime.durable import tables
from zkagent.executor.runtime.durable.database import VARIABLE
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.replays.compared import alike
from zkagent.executor.runtime.replays.replaying import replay
from zkagent.executor.runtime.replays.report import ReplayReport

ASKS = [
    '{"kind": "tool", "tool_id": "look", "input": {"at": "door"}}',
    '{"kind": "finish", "result": "open"}',
]


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DurableRuntime]:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    with DurableRuntime(tmp_path / "runs.sqlite") as opened:
        yield opened


def replayed(
    runtime: DurableRuntime, ran: Agent, again: Agent, *, verify: bool = False
) -> ReplayReport:
    return replay(runtime.run(ran).id, runtime.store, [again], verify=verify)


def asking(answers: list[str], calls: Any = None, **others: Any) -> Agent:
    return agent(
        model_providers=[ScriptedClient(answers)], tools=[tool(calls or Calls())], **others
    )


def test_a_run_by_a_model_is_decided_again_without_model_or_tools(runtime: DurableRuntime) -> None:
    silent, calls = ScriptedClient([]), Calls()
    again = agent(model_providers=[silent], tools=[tool(calls)])
    report = replayed(runtime, asking(ASKS), again)
    assert [(step.outcome, step.redacted) for step in report.steps] == [("same", False)] * 2
    assert (report.agrees, report.ended, report.events) == (True, "finished: success", 12)
    assert (list(silent.asked), calls.given) == ([], [])
    assert json.loads(json.dumps(report.to_json()))["agrees"] is True


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ((use(at="door"), PlanStep("finish", result="shut")), "result is 'open' on record, now"),
        ((use(at="window"), PlanStep("finish", result="open")), "input is {'at': 'door'} on rec"),
        ((use("peek"), PlanStep("finish", result="open")), "tool_id is 'look' on record, now it"),
        ((PlanStep("message", message="?"), PlanStep("finish", result="open")), "kind is 'tool'"),
    ],
)
def test_another_decision_is_found_and_the_others_are_the_same(
    runtime: DurableRuntime, script: tuple[PlanStep, PlanStep], why: str
) -> None:
    def by(*steps: PlanStep) -> Agent:
        return agent(*steps, tools=[tool(Calls()), tool(Calls(), "peek")])

    report = replayed(runtime, by(use(at="door"), PlanStep("finish", result="open")), by(*script))
    assert not report.agrees
    (found,) = [step for step in report.steps if step.outcome == "differs"]
    assert found.why.startswith(why)


def test_a_planner_that_asks_something_else_is_found(runtime: DurableRuntime) -> None:
    ran = runtime.run(asking(ASKS)).id
    assert replay(ran, runtime.store, [asking([], labels={"new": "label"})]).agrees
    renamed = agent(
        model_providers=[ScriptedClient([])], tools=[replace(tool(Calls()), description="Other.")]
    )
    report = replay(ran, runtime.store, [renamed])
    assert report.difference == "event 2 (model_called): messages differs"
    assert not report.agrees


def test_a_planner_that_asks_once_more_than_then_is_found(runtime: DurableRuntime) -> None:
    class Curious:
        async def plan(self, state: PlannerState, models: Any) -> PlanStep:
            await models.ask("once")
            await models.ask("twice")
            return DONE

    ran = agent(DONE, model_providers=[ScriptedClient([])])
    curious = agent(planner=Curious(), model_providers=[ScriptedClient([])])
    report = replayed(runtime, ran, curious)
    assert (report.agrees, report.difference) == (False, "0.model.1 is not on record")


def test_failures_of_tools_and_of_the_run_are_the_same_again(runtime: DurableRuntime) -> None:
    def failing() -> Agent:
        fault = ToolFault("not now", retriable=True)
        return agent(use(), use("none"), tools=[tool(Calls([fault, "ok"]))], max_steps=2)

    report = replayed(runtime, failing(), failing())
    assert (report.agrees, report.ended) == (True, "finished: steps_exhausted")


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_a_tool_that_tries_to_end_the_process_is_on_record_as_failed(
    runtime: DurableRuntime, ending: BaseException
) -> None:
    def leaving() -> Agent:
        return agent(use(), DONE, tools=[tool(Calls([ending]))])

    run = runtime.run(leaving())
    error = run.actions[0].error
    assert error
    assert (run.success, run.actions[0].state, error["code"]) == (True, "failed", "tool_failed")
    report = replay(run.id, runtime.store, [leaving()])
    assert (report.agrees, report.ended) == (True, "finished: success")


class Redacting(AllowAll):
    """Takes one word out of all that passes."""

    async def judge_value(self, asked: Asked, value: Any) -> Verdict:
        text = json.dumps(value)
        if "hunter2" not in text:
            return Verdict(True, value)
        return Verdict(True, json.loads(text.replace("hunter2", "<secret:1>")), ("secrets",))


def test_what_was_redacted_is_said_where_it_entered_a_decision(runtime: DurableRuntime) -> None:
    script = (use(at="door"), use(at="hunter2"), use(at="gate"), DONE)

    def careful() -> Agent:
        return agent(*script, tools=[tool(Calls())], permissions=Redacting())

    report = replayed(runtime, careful(), careful())
    assert [step.outcome for step in report.steps] == ["same", "redacted", "same", "same"]
    assert [step.redacted for step in report.steps] == [False, True, True, True]
    assert report.agrees
    assert "hunter2" not in json.dumps(report.to_json())
    other = agent(use(at="door"), use(to="hunter2"), use(at="gate"), DONE, tools=[tool(Calls())])
    report = replay(report.run_id, runtime.store, [other])
    assert [step.outcome for step in report.steps] == ["same", "differs", "same", "same"]


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (use("look", to="hunter2", eur=5), "redacted"),
        (use("look", to="whatever it was", eur=5), "redacted"),
        (use("peek", to="hunter2", eur=5), "differs"),
        (use("look", to="hunter2", eur=6), "differs"),
        (use("look", to="hunter2", eur=5, at="door"), "differs"),
        (replace(use("look", to="hunter2", eur=5), reason="why"), "differs"),
    ],
)
def test_beside_a_text_that_was_redacted_all_else_is_compared(
    runtime: DurableRuntime, step: PlanStep, outcome: str
) -> None:
    tools = [tool(Calls()), tool(Calls(), "peek")]
    careful = agent(use(to="hunter2", eur=5), DONE, tools=tools, permissions=Redacting())
    report = replayed(runtime, careful, agent(step, DONE, tools=tools))
    assert (report.steps[0].outcome, report.agrees) == (outcome, outcome == "redacted")
    assert "hunter2" not in json.dumps(report.to_json())


@pytest.mark.parametrize(
    ("recorded", "made", "is_alike"),
    [
        ("pay <card:1> to <name:2>!", "pay 4111 to Ann!", True),
        ("pay <card:1> to <name:2>!", "pay 4111 to Ann", False),
        ("pay <card:1> to <name:2>!", "send 4111 to Ann!", False),
        ("pay <card:1> to <name:2>!", "pay 4111, Ann!", False),
        ("ab<name:1>ba", "aba", False),
        ("<card:1>", 4111111111111111, True),
        ("<card:1>", True, False),
        ("card", 4111111111111111, False),
        ({"to": ["<name:1>", "x"]}, {"to": ["Ann", "x"]}, True),
        ({"to": ["<name:1>", "x"]}, {"to": ["Ann", "y"]}, False),
        ({"to": "<name:1>"}, {"to": "Ann", "cc": "Bob"}, False),
        ("Ann", "Bob", False),
    ],
)
def test_texts_differ_only_where_a_token_is_on_record(
    recorded: Any, made: Any, is_alike: bool
) -> None:
    assert alike(recorded, made) == is_alike


class Supervising(AllowAll):
    """All calls wait for somebody."""

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        waits = step.kind == "tool"
        return Verdict(not waits, rules=("supervised",) if waits else (), reason="ask", waits=waits)


class Approving:
    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        return Verdict(True)


class Forbidding(AllowAll):
    """No tool may be called, whatever with."""

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        return Verdict(step.kind != "tool", rules=("denied",), reason="no tools")


class Censoring(AllowAll):
    """Refuses what names a price."""

    async def judge_value(self, asked: Asked, value: Any) -> Verdict:
        if "eur" in json.dumps(value):
            return Verdict(False, rules=("content",), reason="a price")
        return Verdict(True, value)


@pytest.mark.parametrize("permissions", [Supervising(), Forbidding()])
@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (use("look", eur=5), "same"),
        (use("look", eur=6), "differs"),
        (use("peek", eur=5), "differs"),
        (use("look"), "differs"),
    ],
)
def test_a_step_that_was_approved_or_denied_is_compared_as_a_whole(
    runtime: DurableRuntime, permissions: AllowAll, step: PlanStep, outcome: str
) -> None:
    tools = [tool(Calls()), tool(Calls(), "peek")]
    ran = agent(use(eur=5), DONE, tools=tools, permissions=permissions, approvals=Approving())
    report = replayed(runtime, ran, agent(step, DONE, tools=tools))
    assert (report.steps[0].outcome, report.steps[1].outcome) == (outcome, "same")
    assert (report.steps[0].redacted, report.agrees) == (False, outcome == "same")


@pytest.mark.parametrize(
    ("step", "outcome"), [(use("look", eur=6), "redacted"), (use("peek", eur=5), "differs")]
)
def test_of_a_step_that_was_refused_for_what_it_says_the_tool_is_compared(
    runtime: DurableRuntime, step: PlanStep, outcome: str
) -> None:
    tools = [tool(Calls()), tool(Calls(), "peek")]
    ran = agent(use(eur=5), DONE, tools=tools, permissions=Censoring())
    report = replayed(runtime, ran, agent(step, DONE, tools=tools))
    assert report.steps[0].outcome == outcome


def test_a_step_without_input_that_waited_is_no_step_whose_input_is_withheld(
    runtime: DurableRuntime,
) -> None:
    ran = agent(
        PlanStep("tool", "look"),
        DONE,
        tools=[tool(Calls())],
        permissions=Supervising(),
        approvals=Approving(),
    )
    report = replayed(runtime, ran, agent(use(eur=5), DONE, tools=[tool(Calls())]))
    assert report.steps[0].why == "input is not there on record, now it is {'eur': 5}"


def test_an_output_that_was_redacted_marks_what_is_decided_from_it(runtime: DurableRuntime) -> None:
    def careful() -> Agent:
        return agent(use(), DONE, tools=[tool(Calls(["hunter2"]))], permissions=Redacting())

    report = replayed(runtime, careful(), careful())
    assert [(s.outcome, s.redacted) for s in report.steps] == [("same", False), ("same", True)]


def test_a_run_that_was_aborted_agrees_up_to_there(runtime: DurableRuntime) -> None:
    async def cut() -> str:
        begun = asyncio.Event()

        async def waits(given: Any, context: Any) -> Any:
            begun.set()
            await asyncio.sleep(600)

        session = runtime.session(agent(use(), DONE, tools=[tool(waits)]))
        running = asyncio.ensure_future(session.arun())
        await begun.wait()
        session.abort()
        await running
        return session.id

    report = replay(asyncio.run(cut()), runtime.store, [agent(use(), DONE, tools=[tool(Calls())])])
    assert (report.agrees, report.ended) == (True, "the run was aborted before 0.call.1")


def test_a_run_of_an_agent_that_is_not_here_is_refused(runtime: DurableRuntime) -> None:
    ran = runtime.run(agent(DONE)).id
    with pytest.raises(RunUnknown, match="is of agent clerk, which is not here"):
        replay(ran, runtime.store, [agent(DONE, id="other")])
    with pytest.raises(RunUnknown, match="there is no run 'none'"):
        replay("none", runtime.store, [agent(DONE)])


EVENTS, RECORDS, RUNS = tables.events, tables.records, tables.runs
#: What somebody with the key of the file, and not ours, may do to a run.
FORGERIES: dict[str, Callable[[sa.Connection], Any]] = {
    "an event changed": lambda c: c.execute(
        sa.update(EVENTS).where(EVENTS.c.number == 3).values(event=EVENTS.c.event + " ")
    ),
    "an event taken out": lambda c: c.execute(sa.delete(EVENTS).where(EVENTS.c.number == 3)),
    "the last event cut off": lambda c: c.execute(
        sa.delete(EVENTS).where(
            EVENTS.c.number == sa.select(sa.func.max(EVENTS.c.number)).scalar_subquery()
        )
    ),
    "two events in another order": lambda c: [
        c.execute(sa.update(EVENTS).where(EVENTS.c.number == old).values(number=new))
        for old, new in ((2, 99), (3, 2), (99, 3))
    ],
    "an event put at the end": lambda c: c.execute(
        sa.insert(EVENTS).from_select(
            ["run_id", "number", "event", "head"],
            sa.select(EVENTS.c.run_id, sa.literal(50), EVENTS.c.event, EVENTS.c.head).limit(1),
        )
    ),
    "all cut off, and said so": lambda c: [
        c.execute(sa.delete(EVENTS).where(EVENTS.c.number > 2)),
        c.execute(
            sa.update(RUNS).values(
                events=3,
                head=sa.select(EVENTS.c.head).where(EVENTS.c.number == 2).scalar_subquery(),
            )
        ),
    ],
    "a record changed": lambda c: c.execute(
        sa.update(RECORDS).where(RECORDS.c.name == "0.call.1").values(value='{"ok": true}')
    ),
    "a record taken out": lambda c: c.execute(sa.delete(RECORDS).where(RECORDS.c.name == "finish")),
    "the result changed": lambda c: c.execute(sa.update(RUNS).values(result="{}")),
    "the task changed": lambda c: c.execute(sa.update(RUNS).values(task="Another.")),
    "made to look unfinished": lambda c: c.execute(sa.update(RUNS).values(state="running")),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_log_that_somebody_touched_is_refused(runtime: DurableRuntime, forgery: str) -> None:
    ran = runtime.run(agent(use(), DONE, tools=[tool(Calls())])).id
    assert replay(ran, runtime.store, [agent(use(), DONE, tools=[tool(Calls())])]).agrees
    runtime.database.write(lambda connection, _: FORGERIES[forgery](connection))
    with pytest.raises(RecordsBroken, match=r"not (those )?(that were|what was) written"):
        replay(ran, runtime.store, [agent(use(), DONE, tools=[tool(Calls())])])


class Proving:
    """Decides by a script, and names a proof that holds for `good` alone."""

    def __init__(self, good: str = "step-0.json") -> None:
        self.good = good
        self.seen: list[tuple[int, str | None]] = []
        self.redacted: list[bool] = []

    async def plan(self, state: PlannerState, models: Any) -> PlanStep:
        proof = ProofOfStep("small", "ab" * 32, receipt=f"step-{state.step}.json")
        return replace(use() if state.step == 0 else DONE, proof=proof)

    def planned(self, run_id: str, step: PlanStep) -> bool:
        return True

    async def evidence(self, run_id: str, step: PlanStep) -> Any:
        from zkagent.executor.runtime.core.steps import Evidence

        assert step.proof
        return Evidence({str(step.proof.receipt): "evidence"}, {"proofs": 1})

    def attachment_of(self, proof: ProofOfStep) -> str:
        return str(proof.receipt)

    async def verify_step(
        self, state: PlannerState, step: PlanStep, attachment: str | None, *, redacted: bool = False
    ) -> StepVerdict:
        assert step.proof
        self.seen.append((state.step, attachment))
        self.redacted.append(redacted)
        return StepVerdict(step.proof.receipt == self.good, "it is another's")


def proven(planner: Any, **others: Any) -> Agent:
    return agent(planner=planner, tools=[tool(Calls())], **others)


def test_proofs_are_verified_only_where_that_is_asked_for(runtime: DurableRuntime) -> None:
    planner = Proving()
    report = replayed(runtime, proven(Proving()), proven(planner))
    assert (report.agrees, [step.proof for step in report.steps]) == (True, [None, None])
    report = replay(report.run_id, runtime.store, [proven(planner)], verify=True)
    assert [(step.proof, step.proof_why) for step in report.steps][1] == (
        "false",
        "it is another's",
    )
    assert (report.steps[0].proof, report.agrees) == ("verified", False)
    assert planner.seen == [(0, "evidence"), (1, "evidence")]


def test_the_proof_of_a_step_that_was_approved_is_compared_with_its_input(
    runtime: DurableRuntime,
) -> None:
    """Only what the rules changed is not."""
    planner = Proving()
    ran = proven(Proving(), permissions=Supervising(), approvals=Approving())
    replayed(runtime, ran, proven(planner), verify=True)
    assert planner.redacted == [False, False]


def test_a_planner_that_cannot_verify_leaves_proofs_unverified(runtime: DurableRuntime) -> None:
    class Blind:
        plan = Proving.plan

    report = replayed(runtime, proven(Proving()), proven(Blind()), verify=True)
    assert [step.proof for step in report.steps] == ["unverified", "unverified"]
    assert not report.agrees
