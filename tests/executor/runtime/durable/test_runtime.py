"""Whose a run is, and who takes it up: two runtimes stand for two processes, by their leases."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any

import pytest
import sqlalchemy as sa

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime import Agent, AgentService, RunOptions
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    JournalFault,
    RecordsBroken,
    RunChanged,
    RunTakenOver,
    RunUnknown,
)
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.durable import tables
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.journal import DurableJournal
from zkagent.executor.runtime.durable.kept import KeptRun, Whole
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.durable.store import Attempt, RunStore, Written
from zkagent.executor.runtime.running.session import AgentSession


def awaited(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs an asynchronous test, which hangs for ten minutes at most."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*given, **named), 600))

    return run


class Waits(Calls):
    """A call that ends when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.free = asyncio.Event(), asyncio.Event()

    async def __call__(self, given: Any, context: Any) -> Any:
        self.begun.set()
        await self.free.wait()
        return await super().__call__(given, context)


@pytest.fixture
def runtime(database: RunsDatabase) -> Iterator[DurableRuntime]:
    with DurableRuntime(database, look_every_s=0.05) as opened:
        yield opened


@pytest.fixture
def other(database: RunsDatabase) -> Iterator[DurableRuntime]:
    with DurableRuntime(database, look_every_s=0.05) as opened:
        yield opened


def clerk(run: Any = None, **others: Any) -> Agent:
    return agent(use(), DONE, tools=[tool(run or Calls(), honours_keys=True)], **others)


@dataclass
class Begun:
    """A run in the middle of its call."""

    session: AgentSession
    waits: Waits
    running: asyncio.Future[AgentResult]


async def begun(runtime: DurableRuntime) -> Begun:
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    return Begun(session, waits, running)


async def left(runtime: DurableRuntime) -> str:
    """The id of a run in the middle of its call, whose process is gone."""
    one = await begun(runtime)
    await until(lambda: len(runtime.store.events(one.session.id)) == 4)
    one.running.cancel()
    with suppress(asyncio.CancelledError):
        await one.running
    runtime.close()
    return one.session.id


async def until(condition: Any) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_run_is_listed_with_what_it_came_to(runtime: DurableRuntime) -> None:
    result = runtime.run(clerk(), RunOptions(task="Look.", session="talk", seed=3))
    (kept,) = runtime.store.page()
    assert (kept.id, kept.agent, kept.session, kept.seed) == (result.id, "clerk", "talk", 3)
    assert (kept.task, kept.state, kept.success, kept.steps) == ("Look.", "finished", True, 2)
    assert runtime.result(result.id).to_json() == result.to_json()  # type: ignore[union-attr]
    assert len(runtime.store.events(result.id)) == kept.events == len(result.event_stream)
    assert [event.number for event in runtime.store.events(result.id, 2, 3)] == [2, 3, 4]


def test_a_run_that_fails_is_kept_with_why(runtime: DurableRuntime) -> None:
    result = runtime.run(agent(use("none"), tools=[], max_steps=1))
    (kept,) = runtime.store.page()
    assert (kept.state, kept.success, kept.code) == ("finished", False, "steps_exhausted")
    assert result.error
    assert kept.finished_at
    assert kept.finished_at >= kept.started_at


def test_lists_are_filtered_and_have_pages(runtime: DurableRuntime) -> None:
    mine = clerk()
    ids = [runtime.run(mine).id for _ in range(3)]
    runtime.run(agent(DONE, id="other"))
    assert [run.agent for run in runtime.store.page(most=2)] == ["other", "clerk"]
    listed = runtime.store.page(agent="clerk")
    assert [run.id for run in listed] == ids[::-1]
    assert [run.id for run in runtime.store.page(agent="clerk", before=ids[1])] == [ids[0]]
    assert runtime.store.page(state="running") == []


def test_what_is_old_is_forgotten_and_what_runs_is_not(runtime: DurableRuntime) -> None:
    ended = runtime.run(clerk())
    assert runtime.store.forget(0) == 0
    assert runtime.store.forget(4e9) == 1
    with pytest.raises(RunUnknown, match=f"there is no run '{ended.id}'"):
        runtime.store.whole(ended.id)


@awaited
async def test_a_run_that_is_on_its_way_is_nobody_elses(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    one = await begun(runtime)
    other.register(clerk())
    assert other.take_up() == []
    for elsewhere in (runtime, other):
        with pytest.raises(RunTakenOver, match=f"run {one.session.id} is on its way"):
            elsewhere.session(elsewhere._agents["clerk"], run_id=one.session.id)
    one.waits.free.set()
    assert (await one.running).success


@awaited
async def test_a_run_that_was_left_is_taken_up_and_whoever_left_it_is_fenced_off(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    """As after a connection that broke: the first process lives, and does not know yet."""
    one = await begun(runtime)
    runtime._lease.close()
    other.register(clerk())
    (taken,) = other.take_up()
    assert (await taken.arun()).success
    one.waits.free.set()
    with pytest.raises(RunTakenOver, match="goes on elsewhere"):
        await one.running
    assert other.store.whole(one.session.id).run.success


@awaited
async def test_who_watches_takes_up_what_was_left(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    run = await left(runtime)
    calls = Calls()
    other.register(clerk(calls))
    watching = asyncio.ensure_future(other.watch())
    result = await other.wait(run)
    watching.cancel()
    assert (result.success, len(calls.given)) == (True, 1)
    assert [event.number for event in other.store.events(run)] == list(range(10))


@awaited
async def test_a_service_takes_up_what_was_left(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    run = await left(runtime)
    service, mine = AgentService(other.session), clerk()
    service.register(mine)
    other.register(mine)
    watching = asyncio.ensure_future(other.watch(service))
    await until(lambda: service.session(run))
    assert (await service.result(run)).success
    watching.cancel()
    await service.shutdown()


@awaited
async def test_a_run_of_another_process_is_aborted(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    watching = asyncio.ensure_future(runtime.watch())
    await waits.begun.wait()
    assert other.abort(session.id)
    result = await running
    watching.cancel()
    assert (result.aborted, result.actions[0].state) == (True, "unknown")
    assert not other.abort(session.id)
    with pytest.raises(RunUnknown, match="no run 'none'"):
        other.abort("none")


@awaited
async def test_a_run_that_was_left_is_aborted_where_it_was(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    """What it told before it has to tell again, and only then that it was aborted."""
    run = await left(runtime)
    calls = Calls()
    other.register(clerk(calls))
    other.abort(run)
    (taken,) = other.take_up()
    result = await taken.arun()
    assert (result.aborted, calls.given) == (True, [])
    assert other.store.whole(run).run.code == "aborted"


@awaited
async def test_an_agent_that_decides_otherwise_does_not_go_on(
    runtime: DurableRuntime, other: DurableRuntime, database: RunsDatabase
) -> None:
    """It has not the tool that is on record: it halts until it is resumed, by one that has."""
    run = await left(runtime)
    other.register(agent(use("peek"), DONE, tools=[tool(Calls(), "peek")], id="clerk"))
    (taken,) = other.take_up()
    with pytest.raises(RunChanged, match=r"event 3 \(tool_failed\) is not the one"):
        await taken.arun()
    assert other.store.find(run).state == "halted"
    assert other.take_up() == []
    with pytest.raises(JournalFault, match="halts: event 3"):
        await other.wait(run)
    with DurableRuntime(database, [clerk()]) as unchanged:
        assert (await unchanged.resume(run).arun()).success


@awaited
async def test_a_run_that_halts_ends_as_soon_as_it_is_aborted_and_can_be_forgotten(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    run = await left(runtime)
    other.store.halt(run, "it tells something else")
    assert other.store.forget(4e9) == 0
    assert other.abort(run)
    result = await other.wait(run)
    assert (result.aborted, result.success, result.steps) == (True, False, 1)
    assert result.error
    assert result.error.message.endswith("was aborted while it was halted: it tells something else")
    whole = other.store.whole(run)
    assert (whole.run.outcome, whole.run.owner) == ("aborted", None)
    assert [event.kind for event in whole.events][3:] == ["tool_called", "run_finished"]
    assert not other.abort(run)
    assert other.store.forget(4e9) == 1


@awaited
async def test_what_somebody_changed_of_a_run_that_halts_shows_also_when_it_is_aborted(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    run = await left(runtime)
    other.store.halt(run, "broken")
    forged = sa.update(tables.runs).values(task="Another.")
    other.database.write(lambda connection, _: connection.execute(forged))
    assert other.abort(run)
    assert other.store.find(run).state == "finished"
    with pytest.raises(RecordsBroken, match="is not what was written"):
        other.store.whole(run)


@awaited
async def test_a_run_whose_process_ended_when_it_was_aborted_calls_nothing_again(
    runtime: DurableRuntime, other: DurableRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it was is on record, and its end is not."""
    one, write = await begun(runtime), RunStore.write

    def killed(store: RunStore, attempt: Attempt, written: Written) -> None:
        if "result" in written.changes:
            raise JournalFault("killed")
        write(store, attempt, written)

    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "write", killed)
        one.session.abort()
        with pytest.raises(JournalFault, match="killed"):
            await one.running
    assert "finish" in runtime.store.whole(one.session.id).records
    runtime.close()
    calls = Calls()
    other.register(clerk(calls))
    (taken,) = other.take_up()
    result = await taken.arun()
    assert (result.aborted, result.actions[0].state, calls.given) == (True, "unknown", [])
    whole = other.store.whole(one.session.id)
    assert (whole.run.outcome, len(whole.events)) == ("aborted", 7)


@awaited
async def test_whoever_runs_what_was_released_writes_nothing_more(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    one = await begun(runtime)
    runtime.close()
    one.waits.free.set()
    with pytest.raises(RunTakenOver, match="goes on elsewhere"):
        await one.running
    other.register(clerk())
    (taken,) = other.take_up()
    assert (await taken.arun()).success


@awaited
async def test_who_watches_goes_on_whatever_fails(
    runtime: DurableRuntime,
    other: DurableRuntime,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, listed, failures = await left(runtime), RunStore.open_runs, [1, 2, 3]

    def failing(store: RunStore, agents: list[str]) -> list[KeptRun]:
        if failures:
            raise OSError(f"planted {failures.pop()}")
        return listed(store, agents)

    monkeypatch.setattr(RunStore, "open_runs", failing)
    other.register(clerk())
    watching = asyncio.ensure_future(other.watch())
    assert (await other.wait(run)).success
    watching.cancel()
    said = [record.getMessage() for record in caplog.records]
    assert said == ["runs are not looked after, trying again: OSError"]


@pytest.mark.parametrize("by_a_service", [False, True])
@awaited
async def test_a_run_that_cannot_be_taken_up_keeps_no_other_from_it(
    runtime: DurableRuntime,
    other: DurableRuntime,
    monkeypatch: pytest.MonkeyPatch,
    by_a_service: bool,
) -> None:
    mine, ids = clerk(), ["first", "second", "third"]
    for name in ids:
        attempt = Attempt(name, "clerk", name, 0, "gone", name)
        await DurableJournal(runtime.store, attempt).record("0.model.1", nothing)
    claim = RunStore.claim

    def failing(store: RunStore, run_id: str, *given: Any) -> Any:
        if run_id == "second":
            raise OSError("planted")
        return claim(store, run_id, *given)

    monkeypatch.setattr(RunStore, "claim", failing)
    other.register(mine)
    if not by_a_service:
        assert [session.id for session in other.take_up()] == ["first", "third"]
        return
    service = AgentService(other.session)
    service.register(mine)
    await other._look(service, set())
    assert [name for name in ids if service.session(name)] == ["first", "third"]
    await service.shutdown()


async def nothing() -> Any:
    return {}


@awaited
async def test_runs_are_listed_once_and_each_process_is_asked_for_once(
    runtime: DurableRuntime, other: DurableRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = runtime._lease.owner()
    for name in ("first", "second", "third"):
        attempt = Attempt(name, "clerk", name, 0, owner, name)
        await DurableJournal(runtime.store, attempt).record("start", nothing)
    asked, listed = [], []
    is_dead, open_runs = other._lease.is_dead, other.store.open_runs

    def is_asked(one: str) -> bool:
        asked.append(one)
        return is_dead(one)

    def is_listed(agents: list[str]) -> list[KeptRun]:
        listed.append(agents)
        return open_runs(agents)

    monkeypatch.setattr(other._lease, "is_dead", is_asked)
    monkeypatch.setattr(other.store, "open_runs", is_listed)
    service, mine = AgentService(other.session), clerk()
    service.register(mine)
    other.register(mine)
    await other._look(service, set())
    assert (asked, listed, service.running) == ([owner], [["clerk"]], ())


@awaited
async def test_a_run_that_changes_while_it_is_looked_at_is_not_claimed(
    runtime: DurableRuntime, other: DurableRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process lived, and wrote once more; the next look finds it whole."""
    run, whole = await left(runtime), RunStore.whole
    (row,) = other.database.read(
        lambda connection: connection.execute(sa.select(tables.runs)).all()
    )
    attempt = Attempt(run, "clerk", run, 0, "gone", row.incarnation)

    def slowly(store: RunStore, run_id: str) -> Whole:
        found = whole(store, run_id)
        store.write(attempt, Written(records=[("9.plan", "{}")]))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "whole", slowly)
        assert other.store.claim(run, "mine", "new", lambda owner: True) is None
    found = other.store.claim(run, "mine", "new", lambda owner: True)
    assert found
    assert "9.plan" in found.records


def test_lists_leave_results_where_they_are(runtime: DurableRuntime) -> None:
    ran, said = runtime.run(clerk()).id, []
    sa.event.listen(
        runtime.database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *_: said.append(statement),
    )
    runtime.store.find(ran)
    runtime.store.page()
    runtime.store.open_runs(["clerk"])
    lists = [statement for statement in said if "FROM zkagent_run" in statement]
    assert len(lists) == 3
    assert not any("zkagent_run.result" in statement for statement in lists)


def test_only_what_is_open_is_resumed(runtime: DurableRuntime) -> None:
    ended = runtime.run(clerk())
    with pytest.raises(RunUnknown, match="is finished"):
        runtime.resume(ended.id)
    with pytest.raises(RunUnknown, match="is of agent clerk, not of another"):
        runtime.session(agent(DONE, id="another"), run_id=ended.id)


def test_two_agents_of_one_id_are_refused(runtime: DurableRuntime) -> None:
    runtime.run(clerk())
    with pytest.raises(AgentConfigRefused, match="two agents have the id clerk"):
        runtime.run(clerk())


def test_a_runtime_that_only_looks_holds_no_lease(runtime: DurableRuntime) -> None:
    assert runtime.store.page() == []
    assert runtime._lease.held is None


def test_an_id_is_of_one_run(runtime: DurableRuntime, other: DurableRuntime) -> None:
    mine = clerk()
    first, second = runtime.session(mine, run_id="one"), other.session(mine, run_id="one")
    assert first.run().success
    with pytest.raises(RunTakenOver, match="there is a run one already"):
        second.run()
