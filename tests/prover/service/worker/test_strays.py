"""Runs that are down as running and that nobody runs; proofs that wait without a run."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.support.fleet import Fleet, emptied, eventually
from zkagent.prover.durable.leases import open_leases
from zkagent.prover.service.fakes.catalogue import FakeCatalogue, fake_digest
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import workers
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.roster import Patience, Roster
from zkagent.prover.service.worker.strays import LOOK_EVERY_S, Strays

QUICK = Request(fake_digest("quick"), (1, 2, 3, 4))


def runs(database: Database) -> sa.TableClause:
    """The engine's table of runs."""
    names = ("workflow_uuid", "status", "executor_id")
    columns: list[sa.ColumnClause[str]] = [sa.column(name, sa.Text) for name in names]
    schema = "dbos" if database.is_postgres else None
    return sa.table("workflow_status", *columns, schema=schema)


def statuses(database: Database) -> dict[str, int]:
    """How many runs are in which status."""
    table = runs(database)
    with database.read() as connection:
        query = sa.select(table.c.status, sa.func.count()).group_by(table.c.status)
        return {str(status): count for status, count in connection.execute(query)}


def strand(database: Database, proof_id: str, worker: str) -> None:
    """The worker began the proof's run, and neither ran it nor wrote down its end."""
    table = runs(database)
    with database.write() as connection:
        theirs = table.c.workflow_uuid.startswith(f"{proof_id}:", autoescape=True)
        values = {"status": "PENDING", "executor_id": worker}
        connection.execute(sa.update(table).where(theirs).values(values))


def enlist(database: Database, worker: str, state: str) -> None:
    """Another worker, in that state."""
    row = {"id": worker, "state": state, "host": "", "pid": 1, "slots": 1}
    with database.write() as connection:
        connection.execute(sa.insert(workers).values(**row, started_at=0.0, seen_at=0.0))


@pytest.fixture
def engine_queue(database: Database) -> Iterator[EngineQueue]:
    prepare_engine(database)
    queue = EngineQueue(database)
    yield queue
    queue.close()


@pytest.fixture
def roster(database: Database) -> Iterator[Roster]:
    leases = open_leases(database)
    yield Roster(database, leases, "me", Patience())
    leases.close()


@pytest.fixture
def clock() -> Callable[[], float]:
    """Each look at it is at the time of the next look at runs."""
    now = [0.0]

    def tick() -> float:
        now[0] += LOOK_EVERY_S
        return now[0]

    return tick


@pytest.mark.parametrize("worker", ["me", "forgotten", "dead"])
def test_what_nobody_runs_is_queued_again_at_the_second_look(
    database: Database,
    engine_queue: EngineQueue,
    roster: Roster,
    clock: Callable[[], float],
    worker: str,
) -> None:
    roster.join(1)
    Store(database, engine_queue).submit("alice", QUICK)
    enlist(database, "dead", "dead")
    strand(database, QUICK.id, worker)
    strays = Strays(engine_queue, roster, "me", list, clock)
    assert (strays.put_back(), statuses(database)) == (0, {"PENDING": 1})
    assert (strays.put_back(), statuses(database)) == (1, {"ENQUEUED": 1})
    assert [strays.put_back() for _ in range(3)] == [0, 0, 0]


def test_what_somebody_runs_or_will_be_taken_over_from_is_left_alone(
    database: Database, engine_queue: EngineQueue, roster: Roster, clock: Callable[[], float]
) -> None:
    roster.join(1)
    for state in ("alive", "dying"):
        enlist(database, state, state)
    store = Store(database, engine_queue)
    for number, worker in enumerate(("me", "alive", "dying")):
        request = Request(QUICK.circuit, (number, 0, 0, 0))
        store.submit("alice", request)
        strand(database, request.id, worker)
    mine = [run for run, worker in engine_queue.running() if worker == "me"]
    strays = Strays(engine_queue, roster, "me", lambda: mine, clock)
    assert [strays.put_back() for _ in range(3)] == [0, 0, 0]
    assert statuses(database) == {"PENDING": 3}


def test_a_run_that_just_begins_or_ends_is_no_stray(
    database: Database, engine_queue: EngineQueue, roster: Roster, clock: Callable[[], float]
) -> None:
    roster.join(1)
    Store(database, engine_queue).submit("alice", QUICK)
    strand(database, QUICK.id, "me")
    looks = iter(([], [f"{QUICK.id}:1:100"], [], [f"{QUICK.id}:1:100"]))
    strays = Strays(engine_queue, roster, "me", lambda: next(looks), clock)
    assert [strays.put_back() for _ in range(4)] == [0, 0, 0, 0]


def test_a_database_that_refuses_writes_meanwhile_makes_no_stray_be_forgotten(
    database: Database,
    engine_queue: EngineQueue,
    roster: Roster,
    clock: Callable[[], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    roster.join(1)
    Store(database, engine_queue).submit("alice", QUICK)
    strand(database, QUICK.id, "me")
    strays = Strays(engine_queue, roster, "me", list, clock)
    strays.put_back()

    def refused(run: str, worker: str) -> None:
        raise sa.exc.OperationalError("UPDATE", {}, OSError("disk full"))

    with monkeypatch.context() as patch:
        patch.setattr(engine_queue, "put_back", refused)
        for _ in range(3):
            with pytest.raises(sa.exc.OperationalError):
                strays.put_back()
    assert strays.put_back() == 1


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_worker_proves_what_waits_without_a_run_and_its_stray_runs_end(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    """As after a minute without writes: no end was written, neither of proofs nor of runs."""
    url = f"sqlite:///{tmp_path}/service.sqlite"
    if engine == "postgres":
        url = emptied(request.getfixturevalue("postgres_url"))
    fleet = Fleet(tmp_path, url, FakeCatalogue(tmp_path, {"quick": 0.0}))
    ended = Request(QUICK.circuit, (5, 5, 5, 5))
    try:
        fleet.prepare()
        with fleet.database() as database, closing(EngineQueue(database)) as queue:
            Store(database, ListedRuns()).submit("alice", QUICK)
            worker = fleet.work().said.removeprefix("worker ")
            eventually(lambda: fleet.proof(QUICK.id).state == State.DONE)
            assert statuses(database) == {}
            Store(database, queue).submit("alice", ended)
            strand(database, ended.id, worker)
            eventually(lambda: fleet.proof(ended.id).state == State.DONE)
            eventually(lambda: statuses(database) == {"SUCCESS": 1})
        assert {fleet.proof(one.id).generation for one in (QUICK, ended)} == {1}
    finally:
        fleet.end()


def test_what_nobody_can_prove_costs_no_runs_and_is_proven_at_once_by_who_comes(
    tmp_path: Path, small: Fleet
) -> None:
    small.prepare()
    other = FakeCatalogue(tmp_path / "other", {"another": 0.0})
    other.folder.mkdir()
    asked = [Request(QUICK.circuit, (number, 0, 0, 0)) for number in range(3)]
    with small.database() as database, closing(EngineQueue(database)) as queue:
        for request in asked:
            Store(database, queue).submit("alice", request)
        small.work(catalogue=other)
        eventually(lambda: statuses(database) == {"SUCCESS": 3})
        small.work()
        eventually(lambda: all(small.proof(one.id).state == State.DONE for one in asked))
        assert statuses(database) == {"SUCCESS": 3}
    assert {small.proof(one.id).generation for one in asked} == {1}


def test_a_proof_is_put_back_in_no_way_that_proves_it_twice(
    database: Database, engine_queue: EngineQueue, roster: Roster, clock: Callable[[], float]
) -> None:
    roster.join(1)
    Store(database, engine_queue).submit("alice", QUICK)
    claims = Claims(database, engine_queue, "me")
    claim = claims.claim(QUICK.id, 1)
    strand(database, QUICK.id, "me")
    strays = Strays(engine_queue, roster, "me", list, clock)
    assert [strays.put_back(), strays.put_back()] == [0, 1]
    again = Claims(database, engine_queue, "two")
    assert (again.circuit_of(QUICK.id, 1), again.claim(QUICK.id, 1)) == (None, None)
    assert claim
    assert claims.held(claim) == {QUICK.id}
