"""Upkeep keeps no heartbeat waiting, however much of it is due at once."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import DAY_S, Store, end_as
from zkagent.prover.service.queue.tables import handles, proofs
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker import sweeper
from zkagent.prover.service.worker.roster import Patience
from zkagent.prover.service.worker.sweeper import AT_ONCE_S, Sweeper

CIRCUIT = "ab" * 32


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path}/service.sqlite")
    opened.prepare()
    yield opened
    opened.close()


class Records:
    """The engine's, a page of which is forgotten at a time, or the roster's."""

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def forget(self, before: float) -> int:
        self.pages -= 1
        return max(0, self.pages + 1)


@pytest.fixture
def records() -> Records:
    return Records(3)


@pytest.fixture
def swept(
    database: Database, queue: ListedRuns, records: Records, monkeypatch: pytest.MonkeyPatch
) -> Sweeper:
    """Whoever has no time: each duty comes to one step a heartbeat, and the old are due at once."""
    monkeypatch.setattr(sweeper, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(sweeper, "FIRST_PURGE_S", 0.0)
    monkeypatch.setattr("zkagent.prover.service.queue.store.PURGED_AT_ONCE", 1)
    store = Store(database, queue)
    return Sweeper(store, records, Records(0), DAY_S)  # type: ignore[arg-type]


def ask(database: Database, deadline: float | None = None) -> list[str]:
    store = Store(database, ListedRuns())
    asked = (Request(CIRCUIT, (number,), deadline=deadline) for number in range(4))
    return [store.submit("alice", request).proof_id for request in asked]


def count(database: Database, query: sa.Select[tuple[object]]) -> int:
    with database.read() as connection:
        return len(connection.execute(query).all())


def test_deadlines_that_pass_together_are_spread_over_heartbeats(
    swept: Sweeper, database: Database
) -> None:
    asked = ask(database, deadline=time.time() - 1)
    found = [swept.expire() for _ in range(5)]
    assert [len(changed) for changed in found] == [1, 1, 1, 1, 0]
    assert {name for changed in found for name in changed} == set(asked)
    open_ones = sa.select(handles.c.proof_id).where(handles.c.state == "open")
    assert count(database, open_ones) == 0


def test_what_is_forgotten_together_is_spread_over_heartbeats_and_none_of_it_is_left(
    swept: Sweeper, database: Database, records: Records
) -> None:
    asked = ask(database)
    with database.write() as connection:
        for name in asked:
            end_as(connection, name, State.DONE)
        old = {"finished_at": time.time() - 2 * DAY_S}
        connection.execute(sa.update(proofs).values(old))
    left = []
    for _ in range(8):
        swept.purge_when_due()
        left.append((count(database, sa.select(proofs.c.id)), records.pages))
    assert [proofs_left for proofs_left, _ in left] == [3, 2, 1, 0, 0, 0, 0, 0]
    assert left[-1][1] <= 0


def test_a_heartbeat_with_all_its_upkeep_is_none_that_was_missed() -> None:
    patience = Patience()
    assert patience.beat_s + 2 * AT_ONCE_S < patience.stale_s / 5
