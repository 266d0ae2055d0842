"""How urgent a proof is: as those who want it now wish, and nobody who has given it up."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Priority, Request
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import Quota, Store, end_as
from zkagent.prover.service.queue.tables import handles, proofs
from zkagent.prover.service.wire.states import State

QUICK = fake_digest("quick")
LINE = [Request(QUICK, (number, 0, 0, 0), Priority.BULK) for number in range(12)]
WISH = Request(QUICK, (7, 7, 7, 7))
SOON = replace(WISH, priority=Priority.URGENT)
LATE = replace(WISH, priority=Priority.BULK)


@pytest.fixture
def worker(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(backoff_s=60))


def priority(store: Store, request: Request = WISH) -> int:
    with store.database.read() as connection:
        query = sa.select(proofs.c.priority).where(proofs.c.id == request.id)
        return int(connection.execute(query).scalar_one())


def begun_before(worker: Claims, proof_id: str) -> int:
    """How many others are begun before it; each is done at once."""
    for count in range(100):
        claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
        assert claim
        (name,) = claim.members
        if name == proof_id:
            return count
        with worker.database.write() as connection:
            end_as(connection, name, State.DONE)
    pytest.fail("it is never begun")


def cancel(store: Store, key: str) -> None:
    store.cancel(key, WISH.id)


def cancel_line(store: Store, key: str) -> None:
    store.cancel_of_key(key)


def expire(store: Store, key: str) -> None:
    ours = (handles.c.proof_id == WISH.id) & (handles.c.key_id == key)
    with store.database.write() as connection:
        connection.execute(sa.update(handles).where(ours).values(deadline=time.time() - 5))
    assert store.expire() == [WISH.id]


def revoke(store: Store, key: str) -> None:
    Keys(store.database).revoke(key)


@pytest.mark.parametrize("leave", [cancel, cancel_line, expire, revoke])
@pytest.mark.parametrize("is_begun", [False, True])
def test_a_more_urgent_wish_ends_with_its_handle(
    store: Store, worker: Claims, leave: Callable[[Store, str], None], is_begun: bool
) -> None:
    key = Keys(store.database).create("urgent").split("_")[1]
    store.submit("plain", LATE)
    claim = worker.claim(WISH.id, 1) if is_begun else None
    store.submit("some", WISH)
    store.submit(key, SOON)
    assert priority(store) == Priority.URGENT
    leave(store, key)
    assert priority(store) == Priority.NORMAL
    store.cancel("some", WISH.id)
    assert priority(store) == Priority.BULK
    if claim:
        assert worker.held(claim) == {WISH.id}
        assert worker.hand_back(claim.token) == 1
        assert priority(store) == Priority.BULK


def test_whoever_leaves_first_the_most_urgent_that_is_left_counts(store: Store) -> None:
    for key, request in (("plain", LATE), ("urgent", SOON), ("some", WISH)):
        store.submit(key, request)
    for key in ("plain", "some"):
        store.cancel(key, WISH.id)
        assert priority(store) == Priority.URGENT


def test_who_asks_again_for_less_hurry_keeps_what_it_has_until_it_gives_it_up(store: Store) -> None:
    store.submit("plain", LATE)
    store.submit("some", WISH)
    store.submit("some", LATE)
    assert priority(store) == Priority.NORMAL
    store.cancel("some", WISH.id)
    store.submit("some", LATE)
    assert priority(store) == Priority.BULK


@pytest.mark.parametrize("is_given_up", [True, False])
def test_a_line_that_another_key_hurried_does_not_delay_its_owners_sooner_wish(
    store: Store, worker: Claims, is_given_up: bool
) -> None:
    for request in LINE:
        store.submit("alice", request)
    for request in LINE:
        store.submit("bob", replace(request, priority=Priority.NORMAL))
        if is_given_up:
            store.cancel("bob", request.id)
    store.submit("alice", WISH)
    assert begun_before(worker, WISH.id) == (0 if is_given_up else 1)


def test_nobodys_line_is_urgent_when_nobody_urgent_wants_it(store: Store, worker: Claims) -> None:
    for request in LINE:
        store.submit("plain", request)
    for request in LINE:
        store.submit("urgent", replace(request, priority=Priority.URGENT), Quota(1, 1000))
        store.cancel("urgent", request.id)
    store.submit("carol", WISH)
    assert begun_before(worker, WISH.id) == 0


def test_a_wish_that_is_hurried_and_left_has_its_place_in_its_own_line(
    store: Store, worker: Claims
) -> None:
    for request in LINE:
        store.submit("plain", request)
    hurried = replace(LINE[3], priority=Priority.NORMAL)
    store.submit("some", hurried)
    store.cancel("some", hurried.id)
    assert begun_before(worker, hurried.id) == 3


def test_what_an_operator_tries_again_is_as_urgent_as_those_who_wait_wanted_it(
    store: Store, database: Database
) -> None:
    keys = Keys(database)
    urgent = keys.create("urgent").split("_")[1]
    store.submit("plain", LATE)
    store.submit(urgent, SOON)
    with database.write() as connection:
        end_as(connection, WISH.id, State.POISON)
    keys.revoke(urgent)
    store.retry(WISH.id)
    assert priority(store) == Priority.BULK
