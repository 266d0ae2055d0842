"""Steps that wait across processes, databases that fail in the middle, tools that hold threads."""

import asyncio
import dataclasses
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.fleet import eventually
from zkagent.executor.runtime import Agent, RunOptions, ScriptedClient, ToolOutput
from zkagent.executor.runtime.api.durable_runs import DurableRuns
from zkagent.executor.runtime.core.errors import JournalFault, RecordsBroken
from zkagent.executor.runtime.core.permissions import AllowAll, Asked, Verdict
from zkagent.executor.runtime.core.runs import ENDED
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import RunsDatabase, open_runs
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.durable.store import Attempt, RunStore, Written
from zkagent.executor.runtime.durable.tables import approvals
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk, Request
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.running.session import AgentSession

T = TypeVar("T")
ASKS = '{"kind": "tool", "tool_id": "look", "input": {}}'


class Supervised(AllowAll):
    """All calls wait."""

    async def judge_step(self, asked: Asked, step: PlanStep) -> Verdict:
        waits = step.kind == "tool"
        return Verdict(not waits, rules=("supervised",) if waits else (), reason="ask", waits=waits)


def clerk(calls: Any = None) -> Agent:
    return agent(use(), DONE, tools=[tool(calls or Calls())], permissions=Supervised())


def done(work: Coroutine[Any, Any, T]) -> T:
    return background.run(work)


@pytest.fixture
def opened(file: Path) -> Iterator[Callable[[Agent], DurableRuns]]:
    """Runs of one file, as each process has its own."""
    stack: list[tuple[DurableRuns, RunsDatabase]] = []

    def open_them(one: Agent) -> DurableRuns:
        database = open_runs(file)
        runs = DurableRuns(database, [one], ApprovalDesk(KeptApprovals(database), poll_s=0.01))
        stack.append((runs, database))
        done(runs.open())
        return runs

    yield open_them
    for runs, database in stack:
        done(runs.close())
        database.close()


async def until(runs: DurableRuns, states: Any) -> str:
    """Of a run that waits, when its question is there."""
    async with asyncio.timeout(120):
        while (state := (await runs.find("one")).state) not in states:
            await asyncio.sleep(0.01)
        while state == "waiting" and not await runs.waiting("one"):
            await asyncio.sleep(0.01)
    return state


@pytest.mark.parametrize("approve", [True, False])
def test_a_step_that_waits_is_answered_in_a_later_process(
    opened: Callable[[Agent], DurableRuns], monkeypatch: pytest.MonkeyPatch, approve: bool
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.api.durable_runs.STOP_S", 0.0)
    first = opened(clerk())
    done(first.start("clerk", RunOptions(), "ann", "one"))
    done(until(first, {"waiting"}))
    done(first.close())
    calls = Calls()
    later = opened(clerk(calls))
    (waiting,) = done(later.waiting("one"))
    assert (waiting.run, waiting.step, waiting.tool) == ("one", 0, "look")
    done(later.decide(waiting.digest, "bob", approve=approve))
    assert done(until(later, ENDED)) == "done"
    assert len(calls.given) == int(approve)
    assert done(later.find("one")).owner == "ann"


def test_a_run_that_waits_is_aborted(opened: Callable[[Agent], DurableRuns]) -> None:
    runs = opened(clerk())
    done(runs.start("clerk", RunOptions(), "ann", "one"))
    done(until(runs, {"waiting"}))
    done(runs.abort("one"))
    assert done(until(runs, ENDED)) == "aborted"


REQUEST = Request("ab" * 32, "one", "clerk", 0, "look", {}, "ask", 1.0, 9e9)


def test_answers_are_given_once(database: RunsDatabase) -> None:
    store = KeptApprovals(database)
    assert store.add(REQUEST) == store.add(dataclasses.replace(REQUEST, reason="other")) == REQUEST
    answered = dataclasses.replace(REQUEST, state="denied", by="ann")
    assert store.decide(REQUEST.digest, "denied", "ann") == answered
    assert store.decide(REQUEST.digest, "approved", "bob") is None
    assert (store.find(REQUEST.digest), list(store.waiting())) == (answered, [])
    assert (store.find("none"), store.decide("none", "approved", "ann")) == (None, None)


def test_an_answer_that_was_written_into_the_database_is_none(database: RunsDatabase) -> None:
    store = KeptApprovals(database)
    store.add(REQUEST)
    text = approvals.c.request
    changed = sa.func.replace(text, '"state":"waits"', '"state":"approved"')
    forged = sa.update(approvals).values(state="approved", request=changed)
    database.write(lambda connection, _: connection.execute(forged))
    with pytest.raises(RecordsBroken, match="is not what was written"):
        store.find(REQUEST.digest)


@pytest.mark.parametrize("name", ["0.model.1", "0.plan", "0.call.1", "finish"])
def test_a_database_that_fails_in_the_middle_is_nothing_that_the_run_comes_to(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Not even within a planner, whose own failures are on record."""
    write = RunStore.write
    client = ScriptedClient([ASKS, "done"] if name != "0.model.1" else [ASKS, ASKS, "done"])

    def failing(self: RunStore, attempt: Attempt, written: Written) -> None:
        if any(found == name for found, _ in written.records):
            raise JournalFault("the disk is full")
        write(self, attempt, written)

    with closing(DurableRuntime(file)) as runtime:
        one = agent(model_providers=[client], tools=[tool(Calls(), honours_keys=True)])
        session = runtime.session(one)
        with monkeypatch.context() as patch:
            patch.setattr(RunStore, "write", failing)
            with pytest.raises(JournalFault, match="the disk is full"):
                session.run()
        sessions: list[AgentSession] = []
        eventually(lambda: sessions.extend(runtime.take_up()) or sessions)  # when all is kept
        (taken,) = sessions
        assert (taken.id, taken.run().result) == (session.id, "done")


def test_tools_that_hold_all_threads_keep_no_run_from_being_kept(file: Path) -> None:
    async def both(runtime: DurableRuntime) -> float:
        free = threading.Event()

        async def slow(given: Any, context: Any) -> ToolOutput:
            await asyncio.to_thread(free.wait, 600)
            return ToolOutput(True)

        held = [
            asyncio.ensure_future(runtime.session(one, run_id=f"held-{number}").arun())
            for one in (agent(use(), DONE, tools=[tool(slow)], id="slow"),)
            for number in range(40)
        ]
        await asyncio.sleep(0.5)
        began = time.monotonic()
        result = await runtime.arun(agent(DONE, id="quick"))
        took = time.monotonic() - began
        free.set()
        assert result.success
        assert all(one.success for one in await asyncio.gather(*held))
        return took

    with closing(DurableRuntime(file)) as runtime:
        assert asyncio.run(both(runtime)) < 120
