"""Whose a run is, and who takes it up: two runtimes stand for two processes, by their leases."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from zkagent.executor.runtime import Agent, AgentService, RunOptions
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    JournalFault,
    RunChanged,
    RunTakenOver,
    RunUnknown,
)
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.runtime import DurableRuntime


def awaited(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs an asynchronous test."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

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


async def until(condition: Any) -> None:
    async with asyncio.timeout(20):
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
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    other.register(clerk())
    assert other.take_up() == []
    for elsewhere in (runtime, other):
        with pytest.raises(RunTakenOver, match=f"run {session.id} is on its way"):
            elsewhere.session(elsewhere._agents["clerk"], run_id=session.id)
    waits.free.set()
    assert (await running).success


@awaited
async def test_a_run_that_was_left_is_taken_up_and_whoever_left_it_is_fenced_off(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    """As after a connection that broke: the first process lives, and does not know yet."""
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    runtime._lease.close()
    other.register(clerk())
    (taken,) = other.take_up()
    assert (await taken.arun()).success
    waits.free.set()
    with pytest.raises(RunTakenOver, match="goes on elsewhere"):
        await running
    assert other.store.whole(session.id).run.success


@awaited
async def test_who_watches_takes_up_what_was_left(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    runtime.close()
    calls = Calls()
    other.register(clerk(calls))
    watching = asyncio.ensure_future(other.watch())
    result = await other.wait(session.id)
    watching.cancel()
    assert (result.success, len(calls.given)) == (True, 1)
    assert [event.number for event in other.store.events(session.id)] == list(range(10))


@awaited
async def test_a_service_takes_up_what_was_left(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    running.cancel()
    runtime.close()
    service, mine = AgentService(other.session), clerk()
    service.register(mine)
    other.register(mine)
    watching = asyncio.ensure_future(other.watch(service))
    await until(lambda: service.session(session.id))
    assert (await service.result(session.id)).success
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
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    running.cancel()
    runtime.close()
    calls = Calls()
    other.register(clerk(calls))
    other.abort(session.id)
    (taken,) = other.take_up()
    result = await taken.arun()
    assert (result.aborted, calls.given) == (True, [])
    assert other.store.whole(session.id).run.code == "aborted"


@awaited
async def test_an_agent_that_decides_otherwise_does_not_go_on(
    runtime: DurableRuntime, other: DurableRuntime
) -> None:
    """Another tool's output on record than the event told, say: it halts until it is resumed."""
    waits = Waits()
    session = runtime.session(clerk(waits))
    running = asyncio.ensure_future(session.arun())
    await waits.begun.wait()
    await until(lambda: len(runtime.store.events(session.id)) == 4)
    running.cancel()
    runtime.close()
    changed = agent(use(), DONE, tools=[tool(Calls(), "look", honours_keys=True)], id="clerk")
    other.register(changed)
    (taken,) = other.take_up()
    journal = other._live[taken.id][1]
    journal._told[3] = "another"
    with pytest.raises(RunChanged, match=r"event 3 \(tool_called\) is not the one"):
        await taken.arun()
    assert other.store.find(session.id).state == "halted"
    assert other.take_up() == []
    with pytest.raises(JournalFault, match="halts: event 3"):
        await other.wait(session.id)
    assert (await other.resume(session.id).arun()).success


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
