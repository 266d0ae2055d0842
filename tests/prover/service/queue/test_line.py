"""The line: keys take turns, the urgent come first, and workers take what they can prove."""

import itertools
import json
import time
from collections.abc import Callable, Collection
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.errors import KeyRefused, QuotaExceeded
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue import line
from zkagent.prover.service.queue.claims import Claim, Claims, Limits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import HandleState, Priority, Request
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import Quota, Store, end_as
from zkagent.prover.service.queue.tables import handles, proofs, turns
from zkagent.prover.service.wire.states import Failure, State

QUICK, SLOW = fake_digest("quick"), fake_digest("slow")


@pytest.fixture
def worker(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(backoff_s=60))


def ask(store: Store, key: str, count: int, circuit: str = QUICK, priority: int = 100) -> None:
    start = sum(map(ord, key)) * 1000
    for number in range(start, start + count):
        store.submit(key, Request(circuit, (number, 0, 0, 0), priority))


def served(worker: Claims, queue: ListedRuns, count: int) -> list[str]:
    """Whose proofs are begun, in order; each is set back as done."""
    askers = []
    turns = iter(list(queue.runs))
    run = next(turns)
    while len(askers) < count:
        while (claim := worker.claim(run.proof_id, run.generation)) is None:
            run = next(turns)
        (name,) = claim.members
        askers.append(asker(worker.database, name))
        with worker.database.write() as connection:
            end_as(connection, name, State.DONE)
    return askers


def asker(database: Database, proof_id: str) -> str:
    """The one key that asked for it."""
    with database.read() as connection:
        query = sa.select(handles.c.key_id).where(handles.c.proof_id == proof_id)
        return str(connection.execute(query).scalar_one())


def begun(worker: Claims, count: int, able: Collection[str] = (QUICK,)) -> list[str]:
    """The next proofs that are begun, in order; each is done at once."""
    names = []
    for _ in range(count):
        turn = worker.next_turn(able)
        assert turn
        claim = worker.claim(*turn, able)
        assert claim
        (name,) = claim.members
        with worker.database.write() as connection:
            end_as(connection, name, State.DONE)
        names.append(name)
    return names


def test_a_key_with_a_hundred_proofs_delays_anothers_first_one_by_one(
    store: Store, worker: Claims, queue: ListedRuns
) -> None:
    ask(store, "many", 100)
    assert served(worker, queue, 5) == ["many"] * 5
    ask(store, "few", 3)
    assert sorted(served(worker, queue, 6)) == ["few"] * 3 + ["many"] * 3


def test_three_keys_take_turns(store: Store, worker: Claims, queue: ListedRuns) -> None:
    for key in ("a", "b", "c"):
        ask(store, key, 10)
    order = served(worker, queue, 30)
    for start in range(0, 30, 3):
        assert set(order[start : start + 3]) == {"a", "b", "c"}


def test_what_waits_for_another_try_makes_no_newcomer_first(
    store: Store, worker: Claims, queue: ListedRuns
) -> None:
    ask(store, "unlucky", 1)
    claim = worker.claim(queue.runs[0].proof_id, 1)
    assert claim
    worker.crash(claim, Failure.CRASH, "signal SIGKILL")
    ask(store, "many", 20)
    served(worker, queue, 10)
    ask(store, "new", 10)
    assert sorted(served(worker, queue, 8)) == ["many"] * 4 + ["new"] * 4


def crash(worker: Claims, claim: Claim) -> None:
    worker.crash(claim, Failure.TIMEOUT, "too slow")


def die(worker: Claims, claim: Claim) -> None:
    die_with(worker, 1)


def die_with(worker: Claims, count: int) -> None:
    """With so many proofs."""
    with worker.database.write() as connection:
        assert worker.release_dead(connection, worker.worker) == count


@pytest.mark.parametrize(("fail", "tries_a_turn"), [(crash, 1), (die, 2)])
def test_proofs_that_fail_again_and_again_hold_up_nobody_else(
    store: Store, fail: Callable[[Claims, Claim], None], tries_a_turn: int
) -> None:
    limits = Limits(crashes=99, deaths=99, backoff_s=0)
    workers = [Claims(store.database, store.queue, name, limits) for name in ("one", "two")]
    ask(store, "many", 20)
    ask(store, "few", 6)
    tries, before = 0, []
    for worker in itertools.cycle(workers):
        turn = worker.next_turn({QUICK})
        assert turn
        claim = worker.claim(*turn, {QUICK})
        assert claim
        if asker(store.database, turn[0]) == "many":
            fail(worker, claim)
            tries += 1
        else:
            worker.fail(claim, Failure.INPUT, "done with")
            before.append(tries)
        if len(before) == 6:
            break
    assert all(count <= tries_a_turn * (n + 1) for n, count in enumerate(before, 1)), before


def test_another_try_is_made_when_any_key_that_wants_the_proof_has_its_turn(
    store: Store, queue: ListedRuns, database: Database
) -> None:
    worker = Claims(database, queue, "one", Limits(backoff_s=0))
    ask(store, "many", 20)
    claim = worker.claim(queue.runs[0].proof_id, 1)
    assert claim
    (name,) = claim.members
    with database.read() as connection:
        inputs = connection.execute(sa.select(proofs.c.inputs).where(proofs.c.id == name)).scalar()
    store.submit("few", Request(QUICK, tuple(json.loads(str(inputs)))))
    crash(worker, claim)
    assert begun(worker, 1) == [name]


def test_the_urgent_come_first_whoever_asks(
    store: Store, worker: Claims, queue: ListedRuns
) -> None:
    ask(store, "many", 10)
    ask(store, "other", 2, priority=Priority.URGENT)
    assert served(worker, queue, 3) == ["other", "other", "many"]


def test_a_worker_takes_only_circuits_that_it_has_whichever_turn_it_is_given(
    store: Store, worker: Claims, queue: ListedRuns
) -> None:
    ask(store, "a", 3, QUICK)
    ask(store, "b", 2, SLOW)
    run = queue.runs[0]
    for _ in range(2):
        claim = worker.claim(run.proof_id, run.generation, {SLOW})
        assert claim
        assert claim.circuit == SLOW
    assert worker.claim(run.proof_id, run.generation, {SLOW}) is None
    assert worker.claim(run.proof_id, run.generation, set()) is None


def test_a_turn_that_comes_to_nothing_changes_nothing_and_whoever_can_prove_finds_the_proof(
    store: Store, worker: Claims, queue: ListedRuns, database: Database
) -> None:
    ask(store, "a", 1, QUICK)
    with database.read() as connection:
        before = connection.execute(sa.select(proofs)).one()
    (run,) = queue.runs
    assert worker.claim(run.proof_id, run.generation, {SLOW}) is None
    assert [worker.next_turn(able) for able in ({SLOW}, set())] == [None, None]
    with database.read() as connection:
        assert connection.execute(sa.select(proofs)).one() == before
    turn = worker.next_turn({QUICK, SLOW})
    assert turn == (run.proof_id, run.generation)
    assert worker.claim(*turn, {QUICK, SLOW})
    assert worker.next_turn({QUICK, SLOW}) is None
    assert queue.runs == [run]


def test_a_turn_without_a_run_is_of_who_is_first_in_line_and_may_be_tried_now(
    store: Store, worker: Claims, queue: ListedRuns
) -> None:
    ask(store, "a", 2, QUICK)
    first, second = queue.runs
    claim = worker.claim(first.proof_id, 1)
    assert claim
    worker.crash(claim, Failure.CRASH, "signal SIGKILL")  # it is put off, and to others
    assert worker.next_turn({QUICK}) == (second.proof_id, 1)
    assert worker.claim(second.proof_id, 1)
    assert worker.next_turn({QUICK}) is None


def test_a_proof_that_only_others_were_to_try_has_a_turn_where_there_are_none(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    alone = Claims(database, queue, "one", Limits(backoff_s=0))
    ask(store, "a", 1, QUICK)
    claim = alone.claim(queue.runs[0].proof_id, 1)
    assert claim
    alone.crash(claim, Failure.CRASH, "signal SIGKILL")
    turn = alone.next_turn({QUICK})
    assert turn == (queue.runs[-1].proof_id, 2)
    assert alone.claim(*turn, {QUICK})


@pytest.mark.parametrize("hours", [-5, -1, -0.5, 5])
def test_setting_the_clock_puts_nothing_off_for_long(
    store: Store,
    worker: Claims,
    queue: ListedRuns,
    monkeypatch: pytest.MonkeyPatch,
    hours: float,
) -> None:
    ask(store, "a", 1)
    claim = worker.claim(queue.runs[0].proof_id, 1)
    assert claim
    worker.crash(claim, Failure.CRASH, "signal SIGKILL")
    other = Claims(store.database, queue, "two")
    assert not other.next_turn({QUICK})
    monkeypatch.setattr(line, "shared_clock", lambda _: time.time() + hours * 3600)
    assert other.next_turn({QUICK})


def test_waits_between_tries_grow_to_an_hour_and_fill_some() -> None:
    limits = Limits()
    waits = [limits.wait_s(number) for number in range(1, limits.crashes)]
    assert waits[:4] == [1, 3, 9, 27]
    assert max(waits) == 3600
    assert 3 < sum(waits) / 3600 < 5


def test_a_request_that_is_cancelled_and_made_again_counts_each_time(store: Store) -> None:
    quota = Quota(unfinished=10, per_day=3)
    wanted = Request(QUICK, (1, 2, 3, 4))
    for _ in range(3):
        store.submit("alice", wanted, quota)
        store.submit("alice", wanted, quota)  # it waits for that already
        store.cancel("alice", wanted.id)
    with pytest.raises(QuotaExceeded, match="3 requests in 24 hours"):
        store.submit("alice", wanted, quota)
    assert store.purge(time.time() + 1) == 1
    with pytest.raises(QuotaExceeded):  # forgetting proofs does not help either
        store.submit("alice", wanted, quota)


def test_revoking_a_key_stops_what_only_it_waits_for(
    store: Store, database: Database, worker: Claims, queue: ListedRuns
) -> None:
    keys = Keys(database)
    text = keys.create("mallory")
    key_id = text.split("_")[1]
    own, shared, running = (Request(QUICK, (number, 0, 0, 0)) for number in (1, 2, 3))
    for request in (own, shared):
        store.submit(key_id, request)
    store.submit("bob", shared)
    store.submit(key_id, running)
    claim = worker.claim(running.id, 1)
    assert claim
    assert keys.is_valid(key_id)
    touched = keys.revoke(key_id)
    assert len(touched) == 3
    assert worker.held(claim) == set()
    with database.read() as connection:
        found = dict(connection.execute(sa.select(proofs.c.id, proofs.c.state)).all())
    assert found == {own.id: "cancelled", running.id: "cancelled", shared.id: "waiting"}
    assert not keys.is_valid(key_id)
    with pytest.raises(KeyRefused):
        keys.authenticate(text)


def test_the_operator_cancels_by_key_and_the_key_lives_on(store: Store, database: Database) -> None:
    ask(store, "alice", 3)
    ask(store, "bob", 1)
    assert len(store.cancel_of_key("alice")) == 3
    assert store.cancel_of_key("alice") == []
    with database.read() as connection:
        query = sa.select(handles.c.key_id).where(handles.c.state == HandleState.OPEN)
        assert connection.execute(query).scalars().all() == ["bob"]
        waiting = sa.select(proofs.c.id).where(proofs.c.state == State.WAITING)
        assert len(connection.execute(waiting).all()) == 1
    ask(store, "alice", 1)


WISH = Request(QUICK, (7, 7, 7, 7))


def wait_for_wish(worker: Claims, able: Collection[str] = (QUICK,)) -> int:
    """How many others are begun before it."""
    for count in range(100):
        if begun(worker, 1, able) == [WISH.id]:
            return count
    pytest.fail("it is never begun")


def test_a_long_line_that_names_anothers_proof_first_does_not_delay_it(
    store: Store, worker: Claims
) -> None:
    ask(store, "many", 20)
    store.submit("many", WISH)
    store.submit("few", WISH)
    assert wait_for_wish(worker) == 1


def test_a_long_line_that_names_it_later_neither(store: Store, worker: Claims) -> None:
    store.submit("few", WISH)
    ask(store, "many", 20)
    store.submit("many", WISH)
    assert wait_for_wish(worker) == 0


@pytest.mark.parametrize("circuit", [QUICK, SLOW])
def test_proofs_of_a_key_do_not_put_off_what_it_wants_with_another(
    store: Store, worker: Claims, circuit: str
) -> None:
    ask(store, "many", 10, circuit)
    begun(worker, 5, {circuit})
    store.submit("many", WISH)
    store.submit("few", WISH)
    for _ in range(3):
        store.cancel("many", WISH.id)
        store.submit("many", WISH)
    ask(store, "many", 40, circuit)
    assert wait_for_wish(worker, {QUICK, SLOW}) <= 1


def test_who_gives_up_what_others_want_takes_its_turn_along(store: Store, worker: Claims) -> None:
    ask(store, "many", 5)
    store.submit("many", WISH)
    ask(store, "some", 3)
    for key in ("some", "few"):
        store.submit(key, WISH)
    store.cancel("few", WISH.id)
    assert wait_for_wish(worker) == 7  # after three of both, and one more of each


def test_what_several_want_costs_one_of_them_a_turn(store: Store, worker: Claims) -> None:
    wishes = [Request(QUICK, (number, 1, 1, 1)) for number in range(6)]
    for key in ("a", "b"):
        for request in wishes:
            store.submit(key, request)
    ask(store, "c", 6)
    common = {request.id for request in wishes}
    assert [name in common for name in begun(worker, 9)] == [True, True, False] * 3


def test_two_keys_cannot_pull_a_line_forward_by_taking_turns_back(
    store: Store, worker: Claims
) -> None:
    wishes = [Request(QUICK, (number, 1, 1, 1)) for number in range(10)]
    for request in wishes:
        store.submit("many", request)
    for request in reversed(wishes):
        store.submit("helper", request)
        store.cancel("helper", request.id)
    ask(store, "few", 10)
    names, order = {request.id for request in wishes}, begun(worker, 20)
    assert [name in names for name in order] == [True, False] * 10
    assert [name for name in order if name in names] == [request.id for request in wishes]


def hand_back(worker: Claims, claim: Claim) -> None:
    assert worker.hand_back(claim.token) == 1


def have_trouble(worker: Claims, claim: Claim) -> None:
    assert worker.crash(claim, Failure.DISK, "no space") == 1


@pytest.mark.parametrize("fail", [hand_back, have_trouble, die])
def test_what_comes_back_through_nobodys_fault_goes_first(
    store: Store, worker: Claims, fail: Callable[[Claims, Claim], None]
) -> None:
    ask(store, "many", 3)
    claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
    assert claim
    ask(store, "few", 2)
    fail(worker, claim)
    order = begun(worker, 5)
    assert order[0] in claim.members
    assert [asker(store.database, name) for name in order[1:]] == ["few", "many", "few", "many"]


def test_of_a_dead_workers_batch_one_row_goes_first(store: Store, worker: Claims) -> None:
    ask(store, "many", 12)
    claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
    assert claim
    assert len(worker.join(claim, 7).members) == 8
    ask(store, "few", 3)
    die_with(worker, 8)
    order = [asker(store.database, name) for name in begun(worker, 6)]
    assert order == ["many", "few", "many", "few", "many", "few"]


def test_a_proof_that_means_trouble_each_time_keeps_nobody_from_a_turn(
    store: Store, worker: Claims
) -> None:
    store.submit("many", WISH)
    ask(store, "few", 4)
    tries, left = 0, 4
    while left:
        claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
        assert claim
        if WISH.id in claim.members:
            have_trouble(worker, claim)
            tries += 1
        else:
            worker.fail(claim, Failure.INPUT, "done with")
            left -= 1
    assert tries <= 2 * 4


def test_a_more_urgent_wish_counts_for_the_next_try_of_what_is_being_proven(
    store: Store, worker: Claims
) -> None:
    store.submit("few", replace(WISH, priority=Priority.BULK))
    claim = worker.claim(*(worker.next_turn({QUICK}) or ("", 0)), {QUICK})
    assert claim
    ask(store, "many", 5)
    store.submit("urgent", replace(WISH, priority=Priority.URGENT))
    hand_back(worker, claim)
    assert wait_for_wish(worker) == 0


def test_what_no_key_waits_for_is_tried_after_all_that_keys_wait_for(
    store: Store, worker: Claims, database: Database
) -> None:
    """An operator tries it again though the key that asked for it is gone."""
    keys = Keys(database)
    key_id = keys.create("gone").split("_")[1]
    store.submit(key_id, WISH)
    with database.write() as connection:
        end_as(connection, WISH.id, State.FAILED)
    keys.revoke(key_id)
    store.retry(WISH.id)
    ask(store, "few", 3)
    assert wait_for_wish(worker) == 3


def test_turns_of_long_ago_are_forgotten(store: Store, worker: Claims, database: Database) -> None:
    ask(store, "a", 2)
    begun(worker, 2)
    count = sa.select(sa.func.count()).select_from(turns)
    for before, left in ((time.time() - 60, 1), (time.time() + 60, 0)):
        store.purge(before)
        with database.read() as connection:
            assert connection.execute(count).scalar_one() == left
