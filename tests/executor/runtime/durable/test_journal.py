"""What a run did is kept, whatever comes between: a moment's keeping, a database that is away."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from tests.executor.runtime.scripts import DONE, Calls, agent, tool, use
from tests.support.processes import environment
from zkagent.executor.runtime.core.errors import JournalFault
from zkagent.executor.runtime.core.events import Event, EventKind
from zkagent.executor.runtime.durable import database as databases
from zkagent.executor.runtime.durable.database import RunsDatabase, open_runs
from zkagent.executor.runtime.durable.journal import DurableJournal
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.durable.store import Attempt, RunStore, Written
from zkagent.prover.service.queue import database as queue_database

ATTEMPT = Attempt("one", "clerk", "one", 0, "owner", "first")
RESULT = {"success": True, "error": None, "steps": 1}


def event(number: int, kind: EventKind = "planned", **data: Any) -> Event:
    return Event("one", number, datetime(2026, 1, 1, tzinfo=UTC), kind, data)


def giving(value: Any) -> Any:
    async def give() -> Any:
        return value

    return give


class Held(RunStore):
    """Keeps events alone only when it is let go."""

    def __init__(self, database: RunsDatabase) -> None:
        super().__init__(database)
        self.keeping, self.free = threading.Event(), threading.Event()

    def write(self, attempt: Attempt, written: Written) -> None:
        if not written.records and not written.changes:
            self.keeping.set()
            assert self.free.wait(600)
        super().write(attempt, written)


async def meanwhile(store: Held, do: Callable[[DurableJournal], Any]) -> None:
    """`do`, while a moment's keeping of an event is on its way."""
    journal = DurableJournal(store, ATTEMPT)
    await journal.record("start", giving({"task": "Look."}))
    await journal.take(event(0))
    assert await asyncio.to_thread(store.keeping.wait, 120)
    doing = asyncio.ensure_future(do(journal))
    await asyncio.sleep(0.05)
    store.free.set()
    async with asyncio.timeout(120):
        await doing


def test_a_run_that_ends_while_events_are_kept_has_ended(database: RunsDatabase) -> None:
    store = Held(database)
    finished = event(1, "run_finished", result=RESULT)
    asyncio.run(meanwhile(store, lambda journal: journal.take(finished)))
    row = store.find("one")
    assert (row.state, row.success, row.steps, row.events) == ("finished", True, 1, 2)
    assert row.owner is None


def test_a_step_that_is_planned_while_events_are_kept_counts(database: RunsDatabase) -> None:
    store = Held(database)
    asyncio.run(meanwhile(store, lambda journal: journal.record("0.plan", giving({}))))
    assert store.find("one").steps == 1
    assert set(store.whole("one").records) == {"start", "0.plan"}


def test_what_a_run_told_last_is_kept_with_its_end_or_not_at_all(
    database: RunsDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with its last event and without its end could be ended by nobody."""

    async def end() -> None:
        journal = DurableJournal(RunStore(database), ATTEMPT)
        await journal.record("start", giving({"task": "Look."}))
        monkeypatch.setattr(RunStore, "write", failing)
        with pytest.raises(JournalFault, match="away"):
            await journal.take(event(0, "run_finished", result=RESULT))
        monkeypatch.undo()
        await asyncio.sleep(0.1)  # a moment's keeping would come now
        journal._keep_soon()
        assert journal._keeping
        await journal._keeping

    def failing(*_: object) -> None:
        raise JournalFault("away")

    asyncio.run(end())
    assert RunStore(database).whole("one").events == ()


@contextmanager
def away(engine: sa.Engine, *, after: bool, times: int) -> Iterator[list[bool]]:
    """So many times in turn the connection is lost when it commits; after: when it has."""
    dialect: Any = engine.dialect
    commit, lost = dialect.do_commit, [True] * times
    error: type[Exception] = dialect.loaded_dbapi.OperationalError

    def do_commit(connection: Any) -> None:
        is_lost = bool(lost) and lost.pop()
        if after or not is_lost:
            commit(connection)
        if is_lost:
            raise error("server closed the connection: planted")

    dialect.do_commit = do_commit
    try:
        yield lost
    finally:
        dialect.do_commit = commit


@pytest.mark.parametrize("after", [False, True])
def test_a_run_outlives_that_its_database_is_away_for_a_moment(
    database: RunsDatabase, after: bool
) -> None:
    """Before or after it kept what was written: that is kept once."""
    calls = Calls()
    with DurableRuntime(database) as runtime:
        session = runtime.session(agent(use(), DONE, tools=[tool(calls)]))
        with away(database.engine, after=after, times=3) as lost:
            result = session.run()
        whole = runtime.store.whole(session.id)
    assert (result.success, len(calls.given), lost) == (True, 1, [])
    assert whole.run.state == "finished"
    assert [told.number for told in whole.events] == list(range(whole.run.events))
    assert len(whole.records) == 6


@pytest.mark.parametrize("last", [False, True])
def test_an_answer_that_was_lost_when_the_run_ended_is_no_other_attempt(
    database: RunsDatabase, last: bool
) -> None:
    async def end() -> None:
        journal = DurableJournal(RunStore(database), ATTEMPT)
        with away(database.engine, after=True, times=int(not last)):
            await journal.record("start", giving({"task": "Look."}))
        with away(database.engine, after=True, times=int(last)):
            await journal.take(event(0, "run_finished", result=RESULT))

    asyncio.run(end())
    assert RunStore(database).find("one").state == "finished"


def test_a_database_that_stays_away_is_given_up(
    database: RunsDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.executor.runtime.durable.store.PATIENCE_S", 0.2)
    now = [0.0]
    still = SimpleNamespace(  # time passes by sleeping alone
        monotonic=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s), time=time.time
    )
    monkeypatch.setattr(queue_database, "time", still)
    assert databases.PATIENCE_S >= 10
    journal = DurableJournal(RunStore(database), ATTEMPT)
    with away(database.engine, after=False, times=99) as lost, pytest.raises(JournalFault) as told:
        asyncio.run(journal.record("start", giving({})))
    assert 1 < 99 - len(lost) < 20
    assert "planted" not in str(told.value)


def test_what_no_waiting_mends_is_not_waited_for(database: RunsDatabase) -> None:
    tries = []

    def write(connection: sa.Connection, _: float) -> None:
        tries.append(1)
        raise sa.exc.DataError("planted", None, Exception("planted"))

    with pytest.raises(JournalFault):
        database.write(write, patience_s=20)
    assert len(tries) == 1


def test_a_database_that_was_closed_says_so(file: Path) -> None:
    database = open_runs(file)
    database.close()
    with pytest.raises(JournalFault, match="it was closed here"):
        asyncio.run(database.in_thread(lambda: None))


def test_a_file_that_cannot_be_opened_later_is_a_fault_of_the_journal(
    file: Path, tmp_path: Path
) -> None:
    database = open_runs(file)
    database.engine.dispose()
    file.rename(tmp_path / "elsewhere")
    file.mkdir()
    with pytest.raises(JournalFault, match="cannot be opened"):
        database.read(lambda connection: None)
    database.close()


FORKS = """
import os, sys
from pathlib import Path
from tests.executor.runtime.scripts import DONE, agent
from zkagent.executor.runtime.durable.runtime import DurableRuntime

def ran(name):
    with DurableRuntime(Path(sys.argv[1]) / name) as runtime:
        assert runtime.run(agent(DONE)).success

ran("parent.sqlite")
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
ran("child.sqlite")
os._exit(0)
"""


def test_a_process_that_was_forked_after_a_run_keeps_its_own(tmp_path: Path) -> None:
    words = [sys.executable, "-W", "ignore", "-c", FORKS, str(tmp_path)]
    known = environment(ZKAGENT_RUNTIME_KEY="ab" * 32)
    assert subprocess.run(words, env=known, timeout=600, check=False).returncode == 0
