"""Whose turn it is: priorities, turns that the engine gave ahead of time, slots."""

import time

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import Wanted
from zkagent.prover.service.fakes.catalogue import Order, fake_digest
from zkagent.prover.service.queue.claims import Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Priority, Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import Failure, State

SOON = Request(fake_digest("quick"), (1, 0, 0, 0), Priority.URGENT)
LATE = Request(fake_digest("slow"), (2, 0, 0, 0), Priority.BULK)


@pytest.fixture
def one(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(backoff_s=60))


def waits(database: Database, proof_id: str) -> bool:
    with database.read() as connection:
        query = sa.select(proofs.c.state).where(proofs.c.id == proof_id)
        return connection.execute(query).scalar_one() == State.WAITING


def test_a_turn_goes_to_the_most_urgent_and_then_to_its_own(store: Store, one: Claims) -> None:
    for request in (LATE, SOON):
        store.submit("alice", request)
    first, second = one.claim(LATE.id, 1), one.claim(LATE.id, 1)
    assert first
    assert second
    assert (list(first.members), first.circuit) == ([SOON.id], SOON.circuit)
    assert list(second.members) == [LATE.id]
    assert one.claim(SOON.id, 1) is None


def test_a_turn_of_equals_goes_to_who_waits_longest(store: Store, one: Claims) -> None:
    old, new = (Request(LATE.circuit, (number, 1, 1, 1)) for number in (1, 2))
    for request in (old, new):
        store.submit("alice", request)
    claim = one.claim(new.id, 1)
    assert claim
    assert list(claim.members) == [old.id]


def test_a_turn_does_not_go_to_a_proof_that_is_to_be_tried_later_or_elsewhere(
    store: Store, one: Claims, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", SOON)
    claim = one.claim(SOON.id, 1)
    assert claim
    one.crash(claim, Failure.CRASH, "signal SIGKILL")
    store.submit("alice", LATE)
    two = Claims(database, queue, "two")
    for worker in (two, one):
        found = worker.claim(LATE.id, queue.runs[-1].generation)
        assert found
        assert list(found.members) == [LATE.id]
        worker.hand_back(found.token)
    assert waits(database, SOON.id)


def test_an_offered_proof_has_two_runs_of_which_the_first_proves_it(
    store: Store, one: Claims, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", LATE)
    one.offer(LATE.id, 1)
    offered = queue.runs[-1]
    assert offered.id != queue.runs[0].id
    assert Claims(database, queue, "two").claim(offered.proof_id, offered.generation)
    assert one.claim(LATE.id, 1) is None
    one.offer(LATE.id, 1)
    assert len(queue.runs) == 2


def test_a_returned_turn_keeps_its_place_in_line(
    store: Store, one: Claims, database: Database, queue: ListedRuns
) -> None:
    new = Request(LATE.circuit, (9, 9, 9, 9), Priority.BULK)
    for request in (LATE, new):
        store.submit("alice", request)
    one.return_run(LATE.id, 1)
    assert one.claim(LATE.id, 1) is None
    claim = one.claim(new.id, 1)
    assert claim
    assert list(claim.members) == [LATE.id]


def test_urgent_proofs_go_first(small: Fleet, features: list[int]) -> None:
    small.serve(slots=0)
    with small.client() as client:
        ids = {
            name: client.submit(
                Wanted.of_features("slow", [number, *features[1:]], priority=name)
            ).id
            for number, name in enumerate(("bulk", "normal", "urgent"))
        }
        small.work()
        started = {
            n: client.wait(proof_id, timeout_s=300).started_at for n, proof_id in ids.items()
        }
    assert sorted(started, key=lambda name: str(started[name])) == ["urgent", "normal", "bulk"]


def test_no_proof_starts_while_a_more_urgent_one_waits(small: Fleet, features: list[int]) -> None:
    small.serve()
    with small.client() as client:
        client.prove(
            Wanted.of_features("slow", features), timeout_s=300
        )  # now it takes turns ahead
        order = ("bulk", "bulk", "bulk", "normal", "urgent", "bulk", "normal", "urgent", "normal")
        wanted = [
            Wanted.of_features("slow", [features[0], 1, 2, number], priority=name)
            for number, name in enumerate(order)
        ]
        ids = [client.submit(one).id for one in wanted]
        views = [client.wait(proof_id, timeout_s=300) for proof_id in ids]
    started = [view.started_at for view in views if view.started_at]
    assert len(set(started)) == len(order)
    for late in views:
        for early in views:
            waited = early.created_at < late.started_at < early.started_at
            assert not (waited and early.priority < late.priority), order


def test_a_proof_does_not_wait_for_a_busy_worker_while_another_is_idle(
    small: Fleet, features: list[int]
) -> None:
    small.serve()
    with small.client() as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
        time.sleep(1.5)  # a heartbeat: it takes turns ahead
        long = client.submit(Wanted.of_features("quick", [Order.SLOW, *features[1:]]))
        eventually(lambda: client.get(long.id).state is State.PROVING)
        short = client.submit(Wanted.of_features("quick", [features[0], 9, 9, 9]))
        small.work()
        client.wait(short.id, timeout_s=300)
        assert client.get(long.id).state is State.PROVING
        client.cancel(long.id)


def test_each_worker_has_its_own_number_of_slots(small: Fleet, features: list[int]) -> None:
    small.serve(slots=3)
    small.work("--slots", "1")
    with small.client() as client:
        orders = [[Order.SLOW, number, *features[2:]] for number in range(6)]
        ids = [client.submit(Wanted.of_features("quick", order)).id for order in orders]

        def proving() -> dict[str, int]:
            rows = [small.proof(proof_id) for proof_id in ids]
            names = [str(row.worker) for row in rows if row.state == State.PROVING]
            return {name: names.count(name) for name in names}

        eventually(lambda: sum(proving().values()) == 4)
        assert sorted(proving().values()) == [1, 3]
        for proof_id in ids:
            client.cancel(proof_id)
