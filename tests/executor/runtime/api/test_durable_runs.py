"""Runs that are kept: left by who stops, taken up by who comes, and whose they are all along."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.executor.runtime.api.agents import agents
from zkagent.executor.runtime import RunOptions
from zkagent.executor.runtime.api.durable_runs import DurableRuns
from zkagent.executor.runtime.core.errors import AgentUnknown, RecordsBroken, RunUnknown
from zkagent.executor.runtime.core.runs import Page, RunRecord, Waiting
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import VARIABLE, RunsDatabase, open_runs
from zkagent.executor.runtime.durable.tables import approvals
from zkagent.executor.runtime.events.collected import Collected
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunsDatabase]:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    opened = open_runs(tmp_path / "runs.sqlite")
    yield opened
    opened.close()


@asynccontextmanager
async def serving(database: RunsDatabase) -> AsyncIterator[DurableRuns]:
    """Runs as a service has them, which stops at the end."""
    desk = ApprovalDesk(KeptApprovals(database), poll_s=0.01)
    runs = DurableRuns(database, agents(Collected()), desk)
    await runs.open()
    try:
        yield runs
    finally:
        await runs.close()


async def until(runs: DurableRuns, run_id: str, state: str) -> RunRecord:
    async with asyncio.timeout(120):
        while (found := await runs.find(run_id)).state != state:
            await asyncio.sleep(0.01)
    return found


async def begun(runs: DurableRuns) -> Waiting:
    """What waits in a run of somebody."""
    await runs.start("payer", RunOptions(), "somebody", "run-1")
    await until(runs, "run-1", "waiting")
    async with asyncio.timeout(120):
        while not (found := await runs.waiting("run-1")):  # its question comes a moment later
            await asyncio.sleep(0.01)
    (waiting,) = found
    return waiting


def test_who_stops_leaves_its_runs_to_who_comes_next(
    database: RunsDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.api.durable_runs.STOP_S", 0.05)

    async def whole() -> None:
        async with serving(database) as runs:
            waiting = await begun(runs)
        async with serving(database) as runs:
            (again,) = await runs.waiting()
            assert again.digest == waiting.digest
            await runs.decide(again.digest, "boss", approve=True)
            found = await until(runs, "run-1", "done")
            assert (found.owner, found.steps) == ("somebody", 2)
            assert [one.id for one in await runs.page(Page(owner="somebody"))] == ["run-1"]
            assert await runs.page(Page(owner="another")) == []

    asyncio.run(whole())


def test_a_run_that_no_process_is_at_is_told_as_left(
    database: RunsDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a service that has no such agent; while another is at it, it is not left."""
    monkeypatch.setattr("zkagent.executor.runtime.api.durable_runs.STOP_S", 0.05)

    async def whole() -> None:
        stranger = DurableRuns(database, [])
        await stranger.open()
        try:
            async with serving(database) as runs:
                await begun(runs)
                assert not (await stranger.find("run-1")).left
            found = await stranger.find("run-1")
            assert (found.state, found.left) == ("waiting", True)
            assert await stranger.page(Page()) == [found]
        finally:
            await stranger.close()

    asyncio.run(whole())


def test_the_same_run_is_begun_once_and_of_agents_that_there_are(database: RunsDatabase) -> None:
    async def whole() -> None:
        async with serving(database) as runs:
            first = await runs.start("echo", RunOptions(), "somebody", "run-1")
            await until(runs, "run-1", "done")
            again = await runs.start("echo", RunOptions(), "another", "run-1")
            assert (again.owner, again.started_at) == (first.owner, first.started_at)
            with pytest.raises(AgentUnknown, match="there are: echo, looker"):
                await runs.start("nobody", RunOptions(), "somebody", "run-2")
            with pytest.raises(RunUnknown):
                await runs.find("run-2")

    asyncio.run(whole())


def test_the_same_run_asked_for_at_once_is_begun_once(database: RunsDatabase) -> None:
    async def whole() -> None:
        async with serving(database) as runs:
            asked = [runs.start("echo", RunOptions(), "somebody", "run-1") for _ in range(5)]
            found = await asyncio.gather(*asked)
            assert {(one.id, one.started_at) for one in found} == {("run-1", found[0].started_at)}
            await until(runs, "run-1", "done")
            assert [one.id for one in await runs.page(Page())] == ["run-1"]

    asyncio.run(whole())


@pytest.mark.parametrize("state", ["done", "failed", "aborted"])
def test_runs_are_found_by_what_they_came_to(database: RunsDatabase, state: str) -> None:
    async def whole() -> None:
        async with serving(database) as runs:
            await runs.start("echo", RunOptions(), "somebody", "done")
            await runs.start("waiter", RunOptions(), "somebody", "aborted")
            await runs.start("lost", RunOptions(), "somebody", "failed")
            await runs.abort("aborted")
            found = await until(runs, state, state)
            assert await runs.page(Page(state=found.state)) == [found]

    asyncio.run(whole())


def test_an_answer_that_somebody_without_the_key_put_there_is_no_answer(
    database: RunsDatabase,
) -> None:
    async def whole() -> None:
        async with serving(database) as runs:
            waiting = await begun(runs)
            kept = KeptApprovals(database)
            request = kept.find(waiting.digest)
            assert request is not None
            forged = request.__class__(**{**_fields(request), "state": "approved", "by": "boss"})
            row = kept._row(forged) | {"seal": kept._row(request)["seal"]}
            database.write(lambda connection, _: connection.execute(approvals.update().values(row)))
            with pytest.raises(RecordsBroken, match="an approval of run run-1 is not what was"):
                kept.find(waiting.digest)
            assert (await until(runs, "run-1", "waiting")).steps == 1

    asyncio.run(whole())


def _fields(request: object) -> dict[str, object]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}  # type: ignore[attr-defined]
