"""What a key is told of what it waits for no more is how that ended, whatever others do."""

import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claim, Claims, Limits, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import HandleState, Priority, Request
from zkagent.prover.service.queue.store import Store, end_as
from zkagent.prover.service.queue.tables import handles
from zkagent.prover.service.wire.schemas import ProofSummary, ProofView
from zkagent.prover.service.wire.states import Failure, State

QUICK = fake_digest("quick")
WISH = Request(QUICK, (1, 0, 0, 0))


@pytest.fixture
def worker(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(crashes=1, backoff_s=0))


def begin(worker: Claims) -> Claim:
    claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
    assert claim
    return claim


def succeed(worker: Claims) -> None:
    claim = begin(worker)
    worker.settle(claim, Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1))


def shown(store: Store, key: str = "a") -> tuple[ProofView, list[ProofSummary]]:
    views = Views(store.database)
    return views.proof(key, WISH.id), views.page(key, None, 10, None).proofs


def set_aside(store: Store, worker: Claims) -> None:
    store.submit("a", WISH)
    worker.crash(begin(worker), Failure.TIMEOUT, "no proof within 300 s")


def give_up(store: Store, worker: Claims) -> None:
    store.submit("b", WISH)
    store.submit("a", WISH)
    begin(worker)
    store.cancel("a", WISH.id)
    store.cancel("b", WISH.id)


def give_up_alone(store: Store, worker: Claims) -> None:
    store.submit("a", WISH)
    store.cancel("a", WISH.id)


@pytest.mark.parametrize("end", [set_aside, give_up, give_up_alone])
def test_what_others_do_with_a_proof_changes_nothing_that_a_key_is_told_of_its_end(
    store: Store, worker: Claims, end: Callable[[Store, Claims], None]
) -> None:
    end(store, worker)
    before = shown(store)
    assert before[0].finished_at
    assert before[0].priority == Priority.NORMAL
    store.submit("b", replace(WISH, priority=Priority.URGENT))
    assert shown(store) == before
    claim = begin(worker)
    assert shown(store) == before
    worker.crash(claim, Failure.KEYS, "keys missing")
    assert shown(store) == before
    worker.crash(begin(worker), Failure.CRASH, "it crashed")
    assert shown(store, "b")[0].state is State.POISON
    assert shown(store) == before
    store.submit("b", WISH)
    store.cancel("b", WISH.id)
    assert shown(store) == before


@pytest.mark.parametrize("end", [give_up, give_up_alone])
def test_who_gave_up_is_not_told_what_the_proof_took_of_others(
    store: Store, worker: Claims, end: Callable[[Store, Claims], None]
) -> None:
    end(store, worker)
    before = shown(store)
    store.submit("b", WISH)
    succeed(worker)
    assert shown(store) == before


def test_a_try_of_others_that_succeeds_is_told_to_who_wanted_it_until_it_was_set_aside(
    store: Store, worker: Claims, database: Database
) -> None:
    set_aside(store, worker)
    before = shown(store)[0]
    store.submit("b", WISH)
    with database.write() as connection:
        end_as(connection, WISH.id, State.FAILED, failure=Failure.INPUT, reason="too large")
    after = shown(store)[0]
    assert after.state is State.FAILED
    assert (after.failure and after.failure.reason) == "too large"
    assert after.finished_at
    assert before.finished_at
    assert after.finished_at > before.finished_at


@pytest.mark.parametrize("again", ["operator", "key"])
def test_who_waits_again_sees_what_is_now(store: Store, worker: Claims, again: str) -> None:
    set_aside(store, worker)
    store.retry(WISH.id) if again == "operator" else store.submit("a", WISH)
    view = shown(store)[0]
    assert (view.state, view.finished_at, view.failure) == (State.WAITING, None, None)


def test_tables_of_version_5_are_brought_up_and_their_handles_show_their_proofs(
    tmp_path: Path,
) -> None:
    file = tmp_path / "service.sqlite"
    database = Database(f"sqlite:///{file}")
    database.prepare()
    store = Store(database, ListedRuns())
    store.submit("a", WISH)
    with database.write() as connection:
        end_as(connection, WISH.id, State.POISON, failure=Failure.CRASH, reason="it crashed")
    before = shown(store)
    database.close()
    with sqlite3.connect(file) as plain:
        plain.execute("ALTER TABLE zkagent_handle DROP COLUMN ended")
        plain.execute("UPDATE zkagent_meta SET value = '5' WHERE name = 'schema'")
    plain.close()
    database = Database(f"sqlite:///{file}")
    database.prepare()
    assert shown(Store(database, ListedRuns())) == before
    with database.read() as connection:
        query = sa.select(handles.c.state, handles.c.ended)
        assert connection.execute(query).all() == [(HandleState.POISON, None)]
    database.close()


@pytest.mark.parametrize("end", [give_up, give_up_alone, set_aside])
def test_who_asks_again_is_told_of_its_own_times(
    store: Store, worker: Claims, database: Database, end: Callable[[Store, Claims], None]
) -> None:
    """And not of what others had done with the proof since it gave up or was told of a failure."""
    end(store, worker)
    asked = shown(store)[0].created_at
    store.submit("b", WISH)
    time.sleep(0.02)
    with database.write() as connection:
        end_as(connection, WISH.id, State.FAILED, failure=Failure.INPUT, reason="too large")
    time.sleep(0.02)
    store.submit("a", WISH)
    view = shown(store)[0]
    assert view.state is State.FAILED
    assert view.created_at > asked
    assert view.finished_at == view.created_at
    assert view.started_at in (None, view.created_at)


def test_who_still_waits_has_asked_when_it_first_did(store: Store) -> None:
    store.submit("a", WISH)
    asked = shown(store)[0].created_at
    time.sleep(0.02)
    store.submit("a", WISH)
    assert shown(store)[0].created_at == asked
