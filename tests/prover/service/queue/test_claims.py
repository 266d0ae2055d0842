"""Claims and settlement: exactly once, fenced, and not for ever."""

import os
import time
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.circuits.artifacts import Proof
from zkagent.prover.durable.errors import LeaseLost
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest, fake_outputs, fake_proof
from zkagent.prover.service.queue.claims import Claim, Claims, Limits, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs, results, workers
from zkagent.prover.service.wire.states import Failure, State
from zkagent.prover.service.worker.roster import Patience, Roster

CIRCUIT = fake_digest("quick")
WANTED, OTHER = Request(CIRCUIT, (1, 2, 3, 4)), Request(CIRCUIT, (5, 5, 5, 5))


class NoLeases:
    """Leases of workers that are all in this process: `dead` ones are free."""

    def __init__(self) -> None:
        self.dead: set[str] = set()

    def take(self, worker: str) -> None:
        pass

    def check(self) -> None:
        if self.dead == {"everyone"}:
            raise LeaseLost("told so")

    def is_free(self, worker: str) -> bool:
        return worker in self.dead

    def close(self) -> None:
        pass


@pytest.fixture
def leases() -> NoLeases:
    return NoLeases()


@pytest.fixture
def one(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(crashes=2, deaths=2, backoff_s=0))


@pytest.fixture
def two(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "two", Limits(crashes=2, deaths=2, backoff_s=0))


def outcome(claim: Claim) -> Outcome:
    rows = list(claim.members.values())
    circuit = fake_digest("quick", len(rows))
    x = tuple(value for row in rows for value in row)
    y = fake_outputs(circuit, x)
    document = Proof(circuit, x, y, fake_proof(circuit, x, y)).to_json()
    return Outcome(document, {name: row for row, name in enumerate(claim.members)}, 0.5, 0.1, 1)


def row(database: Database, proof_id: str = WANTED.id) -> sa.Row[tuple[object, ...]]:
    with database.read() as connection:
        return connection.execute(sa.select(proofs).where(proofs.c.id == proof_id)).one()


def claimed(claims: Claims, queue: ListedRuns) -> Claim:
    run = queue.runs[-1]
    claim = claims.claim(run.proof_id, run.generation)
    assert claim
    return claim


def both(store: Store, claims: Claims) -> Claim:
    """WANTED and OTHER, asked for and claimed as one batch."""
    for request in (WANTED, OTHER):
        store.submit("alice", request)
    claim = claims.claim(WANTED.id, 1)
    assert claim
    return claims.join(claim, 1)


@dataclass
class Clock:
    """Seconds as the living count them."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_proof_is_claimed_once(store: Store, one: Claims, two: Claims, queue: ListedRuns) -> None:
    store.submit("alice", WANTED)
    assert one.claim(WANTED.id, 1)
    assert two.claim(WANTED.id, 1) is None
    assert one.claim(WANTED.id, 1) is None


def test_an_older_generation_has_no_say(
    store: Store, one: Claims, two: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    one.hand_back(claimed(one, queue).token)
    assert two.claim(WANTED.id, 1) is None
    assert two.claim(WANTED.id, 2)


def test_a_result_is_accepted_exactly_once(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    claim = claimed(one, queue)
    assert one.settle(claim, outcome(claim)) == 1
    assert one.settle(claim, outcome(claim)) == 0
    view = Views(database).proof("alice", WANTED.id)
    assert view.result
    assert view.result.outputs == [10, 30]
    assert view.timings.proving_s == 0.5


def test_a_worker_that_lost_its_claim_cannot_settle(
    store: Store, database: Database, one: Claims, two: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    old = claimed(one, queue)
    with database.write() as connection:
        one.release_dead(connection, "one")
    new = claimed(two, queue)
    assert one.settle(old, outcome(old)) == 0
    one.crash(old, Failure.CRASH, "too late")
    one.fail(old, Failure.INPUT, "too late")
    assert row(database).state == State.PROVING
    assert two.settle(new, outcome(new)) == 1
    with database.read() as connection:
        assert connection.execute(sa.select(results.c.worker)).scalars().all() == ["two"]


def test_a_cancelled_proof_is_not_settled(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    claim = claimed(one, queue)
    store.cancel("alice", WANTED.id)
    assert one.held(claim) == set()
    assert one.settle(claim, outcome(claim)) == 0
    assert row(database).state == State.CANCELLED


def test_a_crash_is_tried_again_and_repeated_crashes_are_poison(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    one.crash(claimed(one, queue), Failure.CRASH, "signal SIGKILL")
    assert row(database).state == State.WAITING
    one.crash(claimed(one, queue), Failure.CRASH, "signal SIGSEGV")
    found = row(database)
    assert (found.state, found.failure) == (State.POISON, Failure.CRASH)
    assert "SIGSEGV" in found.reason


def test_a_permanent_failure_is_final(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    one.fail(claimed(one, queue), Failure.INPUT, "refused")
    assert row(database).state == State.FAILED
    assert len(queue.runs) == 1
    view = Views(database).proof("alice", WANTED.id)
    assert view.failure
    assert (view.failure.kind, view.failure.reason) == (Failure.INPUT, "refused")


def test_repeated_deaths_of_the_worker_are_poison(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    for expected in (State.WAITING, State.POISON):
        claimed(one, queue)
        with database.write() as connection:
            assert one.release_dead(connection, "one") == 1
        assert row(database).state == expected
    assert row(database).failure == Failure.DEATH


def test_a_crashed_proof_is_left_to_another_living_worker(
    store: Store,
    one: Claims,
    two: Claims,
    queue: ListedRuns,
    leases: NoLeases,
) -> None:
    for name in ("one", "two"):
        Roster(store.database, leases, name, Patience()).join(1, [CIRCUIT])
    store.submit("alice", WANTED)
    one.crash(claimed(one, queue), Failure.CRASH, "signal SIGKILL")
    run = queue.runs[-1]
    assert one.claim(run.proof_id, run.generation) is None
    assert queue.runs[-1].generation == run.generation + 1
    assert two.claim(run.proof_id, queue.runs[-1].generation)


def test_a_lonely_worker_takes_its_crashed_proof_itself(
    store: Store, database: Database, one: Claims, queue: ListedRuns, leases: NoLeases
) -> None:
    Roster(database, leases, "one", Patience()).join(1)
    store.submit("alice", WANTED)
    one.crash(claimed(one, queue), Failure.CRASH, "signal SIGKILL")
    claimed(one, queue)


def test_a_claim_takes_company_of_the_same_circuit_only(
    store: Store, one: Claims, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    same = [Request(CIRCUIT, (n, 0, 0, 0)) for n in range(3)]
    other = Request(fake_digest("slow"), (1, 2, 3, 4))
    alone = Request(CIRCUIT, (7, 7, 7, 7), alone=True)
    for request in (*same, other, alone):
        store.submit("alice", request)
    claim = one.claim(WANTED.id, 1)
    assert claim
    claim = one.join(claim, 2)
    assert list(claim.members) == [WANTED.id, same[0].id, same[1].id]
    assert set(one.join(claim, 9).members) == {WANTED.id, *(request.id for request in same)}


def test_a_batch_settles_each_with_its_own_row(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    claim = both(store, one)
    assert one.settle(claim, outcome(claim)) == 2
    found = [Views(database).proof("alice", request.id).result for request in (WANTED, OTHER)]
    assert [(r.outputs, r.position, r.rows) for r in found if r] == [
        ([10, 30], 0, 2),
        ([20, 100], 1, 2),
    ]


def test_a_failed_batch_is_taken_apart_and_each_proven_alone(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    one.fail(both(store, one), Failure.INPUT, "one of them")
    for request in (WANTED, OTHER):
        found = row(database, request.id)
        assert (found.state, found.alone) == (State.WAITING, True)


def test_cancelling_one_of_a_batch_leaves_the_others_their_claim(
    store: Store, one: Claims, queue: ListedRuns
) -> None:
    claim = both(store, one)
    store.cancel("alice", WANTED.id)
    assert one.held(claim) == {OTHER.id}
    assert one.settle(claim, outcome(claim)) == 1


def living(database: Database, leases: NoLeases, clock: Clock) -> Roster:
    """Worker two's, which has just met worker one."""
    for name in ("one", "two"):
        Roster(database, leases, name, Patience()).join(1)
    roster = Roster(database, leases, "two", Patience(stale_s=30), clock)
    roster.bury(Claims(database, ListedRuns(), "two"), lambda _: 0)
    return roster


def test_the_living_take_over_from_the_dead(
    store: Store,
    one: Claims,
    two: Claims,
    queue: ListedRuns,
    leases: NoLeases,
) -> None:
    clock = Clock()
    roster = living(store.database, leases, clock)
    store.submit("alice", WANTED)
    claimed(one, queue)
    recovered: list[str] = []

    def recover(worker: str) -> int:
        recovered.append(worker)
        return 0

    leases.dead = {"one"}
    assert roster.bury(two, recover) == []  # its heartbeat was just seen
    clock.now += 3
    assert roster.bury(two, recover) == ["one"] == recovered
    assert row(store.database).state == State.WAITING
    claimed(two, queue)


def test_who_was_dead_before_we_came_is_buried_at_once(
    database: Database, two: Claims, leases: NoLeases
) -> None:
    Roster(database, leases, "one", Patience()).join(1)
    leases.dead = {"one"}
    assert Roster(database, leases, "two", Patience()).bury(two, lambda _: 0) == ["one"]


def test_a_heartbeat_that_stands_still_is_a_death(
    database: Database, two: Claims, leases: NoLeases
) -> None:
    clock = Clock()
    roster = living(database, leases, clock)
    clock.now += 29
    assert roster.bury(two, lambda _: 0) == []
    clock.now += 2
    assert roster.bury(two, lambda _: 0) == ["one"]


@pytest.mark.parametrize("hours", [-48, -1, 1, 48])
def test_setting_the_clock_neither_hides_the_dead_nor_kills_the_living(
    database: Database,
    two: Claims,
    leases: NoLeases,
    monkeypatch: pytest.MonkeyPatch,
    hours: int,
) -> None:
    clock = Clock()
    roster = living(database, leases, clock)
    monkeypatch.setattr(time, "time", lambda real=time.time: real() + hours * 3600)
    monkeypatch.setattr(Database, "now", lambda *_: time.time())
    clock.now += 3
    assert roster.bury(two, lambda _: 0) == []
    Roster(database, leases, "one", Patience()).beat([])
    clock.now += 29
    assert roster.bury(two, lambda _: 0) == []
    leases.dead = {"one"}
    clock.now += 3
    assert roster.bury(two, lambda _: 0) == ["one"]


def test_a_recovery_that_was_interrupted_is_finished_by_the_next(
    database: Database, two: Claims, leases: NoLeases
) -> None:
    clock = Clock()
    roster = living(database, leases, clock)
    leases.dead = {"one"}
    clock.now += 3

    with pytest.raises(ConnectionError):
        roster.bury(two, interrupted)
    leases.dead = set()
    assert roster.bury(two, lambda _: 0) == ["one"]
    assert roster.bury(two, lambda _: 0) == []


UNLISTED = pytest.mark.parametrize("how", ["forgotten", "dead"])


def strike_off(database: Database, how: str) -> None:
    """Worker one is not in the table any more, or as one that was taken over from."""
    theirs = workers.c.id == "one"
    with database.write() as connection:
        if how == "forgotten":
            connection.execute(sa.delete(workers).where(theirs))
        else:
            connection.execute(sa.update(workers).where(theirs).values(state="dead"))


@UNLISTED
def test_who_lives_and_is_not_in_the_table_enters_with_its_next_heartbeat(
    database: Database, leases: NoLeases, how: str
) -> None:
    roster = Roster(database, leases, "one", Patience())
    roster.join(3, [CIRCUIT])
    strike_off(database, how)
    roster.beat([], [CIRCUIT])
    roster.beat([], [CIRCUIT])
    with database.read() as connection:
        (found,) = connection.execute(sa.select(workers)).all()
    assert (found.id, found.state, found.slots) == ("one", "alive", 3)
    assert (found.pid, found.circuits) == (os.getpid(), f'["{CIRCUIT}"]')


@UNLISTED
@pytest.mark.parametrize("dies", [True, False])
def test_what_an_unlisted_worker_holds_is_taken_over_once_it_is_dead(
    store: Store,
    one: Claims,
    two: Claims,
    leases: NoLeases,
    *,
    queue: ListedRuns,
    how: str,
    dies: bool,
) -> None:
    clock, database = Clock(), store.database
    roster = living(database, leases, clock)
    strike_off(database, how)
    store.submit("alice", WANTED)
    claim = claimed(one, queue)
    assert roster.bury(two, lambda _: 0) == []
    clock.now += 29
    assert roster.bury(two, lambda _: 0) == []
    if dies:  # else it is stopped, and keeps its lease
        leases.dead = {"one"}
    clock.now += 0 if dies else 2
    assert roster.bury(two, lambda _: 0) == ["one"]
    assert (row(database).state, row(database).deaths) == (State.WAITING, 1)
    assert (one.held(claim), roster.bury(two, lambda _: 0)) == (set(), [])
    claimed(two, queue)


def test_an_unlisted_worker_that_enters_meanwhile_keeps_what_it_holds(
    store: Store,
    one: Claims,
    two: Claims,
    leases: NoLeases,
    *,
    queue: ListedRuns,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = store.database
    roster = living(database, leases, Clock())
    strike_off(database, "forgotten")
    store.submit("alice", WANTED)
    claim = claimed(one, queue)

    def enters_first(worker: str) -> bool:
        Roster(database, leases, worker, Patience()).beat([])
        return True

    monkeypatch.setattr(leases, "is_free", enters_first)
    assert roster.bury(two, lambda _: 0) == []
    assert one.held(claim) == {WANTED.id}


@pytest.mark.parametrize("in_order", [True, False])
def test_it_is_said_whether_who_is_taken_over_from_had_ended_in_order(
    database: Database,
    two: Claims,
    leases: NoLeases,
    caplog: pytest.LogCaptureFixture,
    in_order: bool,
) -> None:
    caplog.set_level("INFO")
    other = Roster(database, leases, "one", Patience())
    other.join(1)
    ours = Roster(database, leases, "two", Patience())
    if in_order:
        other.leave()
        with pytest.raises(ConnectionError):
            ours.bury(two, interrupted)
    leases.dead = {"one"}
    assert (ours.living(), ours.bury(two, lambda _: 0)) == ({"one"}, ["one"])
    (said,) = caplog.records
    expected = ("INFO", "ended in order") if in_order else ("WARNING", "dead workers")
    assert (said.levelname, expected[1] in said.message) == (expected[0], True)
    assert ours.living() == set()


def interrupted(_: str) -> int:
    raise ConnectionError
