"""Who waits again when a proof is tried again: whoever asks, and where the operator tries it those
that may. Others learn how it ends, and nobody takes their room or their turns."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.errors import QuotaExceeded
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import HandleState, Request
from zkagent.prover.service.queue.keys import Allowance, Keys
from zkagent.prover.service.queue.store import Store, end_as
from zkagent.prover.service.queue.tables import handles, proofs
from zkagent.prover.service.wire.states import Failure, State

WANTED = Request(fake_digest("quick"), (1, 2, 3, 4))
ROOM = Allowance(unfinished=2)


@pytest.fixture
def key(database: Database) -> str:
    """With room for two unfinished proofs."""
    return Keys(database).create("alice", ROOM).split("_")[1]


def end(database: Database, state: State, *asked: Request) -> None:
    with database.write() as connection:
        for request in asked:
            end_as(connection, request.id, state)


def others(count: int) -> list[Request]:
    return [Request(WANTED.circuit, (number, 0, 0, 0)) for number in range(count)]


def waiting_of(database: Database, key_id: str) -> int:
    ours = (handles.c.key_id == key_id) & (handles.c.state == "open")
    with database.read() as connection:
        return len(connection.execute(sa.select(handles.c.proof_id).where(ours)).all())


AGAIN: dict[str, Callable[[Store, Request], object]] = {
    "bob asks": lambda store, request: store.submit("bob", request),
    "the operator tries it again": lambda store, request: store.retry(request.id),
}
again = pytest.mark.parametrize("how", AGAIN)


@again
def test_who_wanted_it_until_it_ended_waits_again_or_learns_how_it_ends(
    store: Store, database: Database, key: str, how: str
) -> None:
    for who in (key, "without a key"):
        store.submit(who, WANTED)
    end(database, State.POISON, WANTED)
    AGAIN[how](store, WANTED)
    waiting = 0 if how == "bob asks" else 1
    assert [waiting_of(database, who) for who in (key, "without a key")] == [waiting] * 2
    end(database, State.DONE, WANTED)
    with database.read() as connection:
        query = sa.select(handles.c.state).where(handles.c.key_id != "bob")
        assert connection.execute(query).scalars().all() == ["done", "done"]


@again
def test_who_wanted_it_by_a_time_that_has_passed_is_called_back_again(
    store: Store, database: Database, key: str, how: str
) -> None:
    hook = "http://hooks.example.org/"
    store.submit(key, replace(WANTED, deadline=store.in_seconds(600), callback_url=hook))
    end(database, State.POISON, WANTED)
    with database.write() as connection:  # ten minutes later
        connection.execute(sa.update(handles).values(deadline=store.in_seconds(-1)))
    AGAIN[how](store, WANTED)
    assert store.expire() == []
    assert waiting_of(database, key) == (how != "bob asks")
    end(database, State.DONE, WANTED)
    with database.read() as connection:
        query = sa.select(handles.c.state, handles.c.callback_state, handles.c.callback_number)
        found = connection.execute(query.where(handles.c.key_id == key)).one()
    assert found == (HandleState.DONE, "waiting", 2)


def test_the_deadline_of_who_asks_again_counts(store: Store, database: Database, key: str) -> None:
    for _ in range(2):
        store.submit(key, replace(WANTED, deadline=store.in_seconds(-1)))
        end(database, State.POISON, WANTED)
    store.submit(key, replace(WANTED, deadline=store.in_seconds(-1)))
    assert store.expire() == [WANTED.id]


@again
def test_a_revoked_key_does_not_and_keeps_no_proof_going(
    store: Store, database: Database, key: str, how: str
) -> None:
    store.submit(key, WANTED)
    end(database, State.POISON, WANTED)
    Keys(database).revoke(key)
    AGAIN[how](store, WANTED)
    assert waiting_of(database, key) == 0
    if how == "bob asks":
        store.cancel("bob", WANTED.id)
        with database.read() as connection:
            assert connection.execute(sa.select(proofs.c.state)).scalar_one() == State.CANCELLED


def test_nobodys_room_is_filled_by_the_operator(store: Store, database: Database, key: str) -> None:
    ended = others(4)
    for request in ended:
        store.submit(key, request, ROOM.quota)
        end(database, State.POISON, request)
    store.submit(key, WANTED, ROOM.quota)
    for request in ended:
        store.retry(request.id)
    assert waiting_of(database, key) == ROOM.unfinished
    with pytest.raises(QuotaExceeded):  # the place beside another one's proof is none for nothing
        store.submit(key, ended[-1], ROOM.quota)
    store.cancel(key, WANTED.id)
    store.submit(key, ended[-1], ROOM.quota)


def test_nobodys_room_is_filled_by_what_others_ask(
    store: Store, database: Database, key: str
) -> None:
    ended = others(4)
    for request in ended:
        store.submit(key, request, ROOM.quota)
        end(database, State.POISON, request)
    for request in ended:
        store.submit("bob", request)
    assert waiting_of(database, key) == 0
    for request in ended[:2]:
        store.submit(key, request, ROOM.quota)
    with pytest.raises(QuotaExceeded):
        store.submit(key, ended[2], ROOM.quota)


def test_who_asks_again_and_again_takes_no_turns_of_others(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    """What `victim` once wanted fails each time, and is set aside each time."""
    worker = Claims(database, queue, "one", Limits(crashes=1, backoff_s=0))
    store.submit("victim", WANTED)
    able, made = {WANTED.circuit}, []
    for request in others(8):
        store.submit("victim", request)
    for number in range(18):
        turn = worker.next_turn(able)
        claim = turn and worker.claim(*turn, able)
        assert claim
        if WANTED.id in claim.members:
            worker.crash(claim, Failure.TIMEOUT, "too slow")
            store.submit("attacker", WANTED)
        else:
            end(database, State.DONE, *(r for r in others(8) if r.id in claim.members))
            made.append(number)
    assert made == list(range(2, 18, 2))


def test_who_was_told_that_it_is_set_aside_is_not_told_so_for_each_try_of_others(
    store: Store, database: Database, key: str
) -> None:
    hook = "http://hooks.example.org/"
    store.submit(key, replace(WANTED, callback_url=hook))
    for state, messages in ((State.POISON, 1), (State.POISON, 1), (State.DONE, 2)):
        store.submit("bob", replace(WANTED, callback_url=hook))
        end(database, state, WANTED)
        with database.read() as connection:
            query = sa.select(handles.c.callback_number).where(handles.c.key_id == key)
            assert connection.execute(query).scalar_one() == messages


def test_who_wanted_it_is_told_why_it_was_set_aside_while_others_have_it_tried(
    store: Store, database: Database, key: str
) -> None:
    store.submit(key, WANTED)
    with database.write() as connection:
        values = {"failure": Failure.CRASH, "reason": "signal SIGSEGV"}
        end_as(connection, WANTED.id, State.POISON, **values)
    store.submit("bob", WANTED)
    seen = {who: Views(database).proof(who, WANTED.id) for who in (key, "bob")}
    assert (seen[key].state, seen["bob"].state) == (State.POISON, State.WAITING)
    told = [each.failure and each.failure.reason for each in seen.values()]
    assert told == ["signal SIGSEGV", None]


def test_giving_up_and_asking_again_brings_no_more_tries(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    worker = Claims(database, queue, "one", Limits(crashes=3, backoff_s=0))
    tries = 0
    for _ in range(4):
        store.submit("bob", WANTED)
        while turn := worker.next_turn({WANTED.circuit}):
            claim = worker.claim(*turn, {WANTED.circuit})
            assert claim
            worker.crash(claim, Failure.CRASH, "signal SIGSEGV")
            tries += 1
        store.submit("bob", WANTED)
        store.cancel("bob", WANTED.id)
    assert tries == 3 + 3


def test_who_had_no_room_learns_how_it_ended_all_the_same(
    store: Store, database: Database, key: str, queue: ListedRuns
) -> None:
    store.submit(key, WANTED)
    end(database, State.POISON, WANTED)
    for request in others(2):
        store.submit(key, request, ROOM.quota)
    store.submit("bob", WANTED)
    assert Views(database).proof(key, WANTED.id).state is State.POISON
    end(database, State.FAILED, WANTED)
    assert Views(database).proof(key, WANTED.id).state is State.FAILED
