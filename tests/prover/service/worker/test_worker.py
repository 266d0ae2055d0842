"""Workers as processes: stopping, dying, taking over, priorities."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import Wanted
from zkagent.prover.durable.leases import open_leases
from zkagent.prover.service.fakes.catalogue import Order, fake_digest
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import Bell, EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store, lock_if_there, requeue
from zkagent.prover.service.queue.tables import proofs, workers
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.roster import Patience, Roster
from zkagent.prover.service.worker.sweeper import Sweeper
from zkagent.prover.service.worker.worker import Worker, WorkerSettings


def children(pid: int) -> set[int]:
    """Processes whose parent is `pid`."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.add(int(folder.name))
    return found


def test_a_stopping_service_lets_a_short_proof_finish(small: Fleet, features: list[int]) -> None:
    service = small.serve()
    with small.client() as client:
        view = client.submit(Wanted.of_features("slow", features))
        eventually(lambda: client.get(view.id).state is State.PROVING)
    assert service.stop() == 0
    assert small.proof(view.id).state == State.DONE


def test_a_stopping_service_hands_back_a_long_proof(small: Fleet, features: list[int]) -> None:
    service = small.serve("--grace", "0.2")
    with small.client() as client:
        view = client.submit(Wanted.of_features("quick", [Order.SLOW, *features[1:]]))
        eventually(lambda: client.get(view.id).state is State.PROVING)
    began = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - began < 100
    found = small.proof(view.id)
    assert (found.state, found.claim, found.deaths, found.crashes) == ("waiting", None, 0, 0)


def test_a_worker_ends_in_order_when_its_database_is_gone(small: Fleet) -> None:
    small.prepare()
    worker = small.work()
    file = small.home / "service.sqlite"
    file.rename(file.with_name("away"))
    assert worker.stop() == 0
    assert "the end cannot be written down" in worker.log.read_text()
    assert list((small.home / "leases").iterdir()) == []


def test_what_a_stopped_service_had_not_begun_is_taken_over(
    small: Fleet, features: list[int]
) -> None:
    service = small.serve("--grace", "0.2")
    wanted = [Wanted.of_features("slow", [number, *features[1:]]) for number in range(5)]
    with small.client() as client:
        ids = [client.submit(one).id for one in wanted]
        client.wait(ids[0], timeout_s=300)
        assert service.stop() == 0
        small.serve()
        for proof_id in ids:
            client.wait(proof_id, timeout_s=300)
    assert {small.proof(proof_id).deaths for proof_id in ids} == {0}


def test_a_callback_that_is_being_retried_survives_a_stop(
    small: Fleet, features: list[int], free_port: int
) -> None:
    allowed = ("--allow-callback", f"http://127.0.0.1:{free_port}", "--private-callbacks")
    service = small.serve(*allowed)
    with small.client() as client:
        url = f"http://127.0.0.1:{free_port}/"
        view = client.prove(Wanted.of_features("quick", features, callback_url=url), timeout_s=300)
        time.sleep(1.5)
        assert service.stop() == 0
        with socket.create_server(("127.0.0.1", free_port)) as receiver:
            receiver.settimeout(300)
            small.serve(*allowed)
            connection, _ = receiver.accept()
            with connection:
                request = b""
                while view.id.encode() not in request:
                    part = connection.recv(65536)
                    assert part, request
                    request += part
                connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def test_a_queue_survives_everybody_and_goes_on(small: Fleet, features: list[int]) -> None:
    service = small.serve(slots=0)
    wanted = [Wanted.of_features("quick", [number, *features[1:]]) for number in range(5)]
    with small.client() as client:
        ids = [client.submit(one).id for one in wanted]
        service.kill()
        small.serve()
        for proof_id in ids:
            client.wait(proof_id, timeout_s=300)


def test_children_die_with_a_killed_worker(small: Fleet, features: list[int]) -> None:
    service = small.serve()
    with small.client() as client:
        view = client.submit(Wanted.of_features("quick", [Order.SLOW, *features[1:]]))
        eventually(lambda: client.get(view.id).state is State.PROVING)
        eventually(lambda: children(service.pid))
    pids = children(service.pid)
    service.kill()
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def test_cancelling_kills_the_child_at_once(small: Fleet, features: list[int]) -> None:
    service = small.serve()
    with small.client() as client:
        view = client.submit(Wanted.of_features("quick", [Order.SLOW, *features[1:]]))
        eventually(lambda: client.get(view.id).state is State.PROVING)
        eventually(lambda: children(service.pid))
        (pid,) = children(service.pid)
        client.cancel(view.id)
        eventually(lambda: pid not in children(service.pid))
        client.prove(Wanted.of_features("quick", features), timeout_s=300)


def test_a_proof_that_kills_its_workers_is_set_aside_and_the_rest_goes_on(
    small: Fleet, features: list[int]
) -> None:
    small.serve(slots=0)
    unready = httpx.get(f"{small.url}/readyz")
    assert (unready.status_code, unready.json()["workers"]) == (503, 0)
    with small.client() as client:
        bad = client.submit(
            Wanted.of_features("quick", [Order.KILL_WORKER, *features[1:]], priority="urgent")
        )
        good = client.submit(Wanted.of_features("quick", features))
        for _ in range(2):
            assert small.work("--max-deaths", "2").process.wait(120) == -9
        small.work("--max-deaths", "2")
        client.wait(good.id, timeout_s=300)
        eventually(lambda: client.get(bad.id).state is State.POISON)
        failure = client.get(bad.id).failure
    assert failure
    assert failure.kind == "death"
    assert "died 2 times" in failure.reason


def test_memory_and_heartbeats_are_recorded(small: Fleet, features: list[int]) -> None:
    small.serve()
    with small.client() as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)

    def row() -> sa.Row[tuple[object, ...]]:
        with small.database() as database, database.read() as connection:
            return connection.execute(sa.select(workers)).one()

    eventually(lambda: row().children_bytes)
    assert row().memory_bytes > 20_000_000
    assert abs(row().seen_at - time.time()) < 60


@pytest.fixture
def engine_queue(database: Database) -> Iterator[EngineQueue]:
    prepare_engine(database)
    queue = EngineQueue(database)
    yield queue
    queue.close()


def test_what_was_put_off_before_the_clock_was_set_back_has_its_turn(
    database: Database, engine_queue: EngineQueue
) -> None:
    store, claims = Store(database, engine_queue), Claims(database, engine_queue, "me")
    put_off = Request(fake_digest("quick"), (1, 0, 0, 0))
    store.submit("alice", put_off)
    for ahead_s in (0, 1800):
        ahead = time.time() + ahead_s
        with database.write() as connection:
            row = lock_if_there(connection, put_off.id)
            values = {"queued_at": ahead, "not_before": ahead + 1801}
            requeue(connection, engine_queue, row, delay_s=ahead_s + 1801, **values)
        turn = claims.next_turn({put_off.circuit})
        assert turn == ((put_off.id, 3) if ahead_s else None)


def test_what_is_older_than_the_retention_is_forgotten_and_the_rest_is_kept(
    database: Database, engine_queue: EngineQueue
) -> None:
    store = Store(database, engine_queue)
    old, new, waiting = (Request(fake_digest("quick"), (n, 0, 0, 0)) for n in (1, 2, 3))
    for request in (old, new, waiting):
        store.submit("alice", request)
    for request, age_s in ((old, 10_000), (new, 1)):
        with database.write() as connection:
            query = sa.update(proofs).where(proofs.c.id == request.id)
            connection.execute(query.values(state=State.DONE, finished_at=time.time() - age_s))
    roster = Roster(database, open_leases(database), "me", Patience())
    Sweeper(store, engine_queue, roster, retention_s=5000).purge()
    with database.read() as connection:
        assert set(connection.execute(sa.select(proofs.c.id)).scalars()) == {new.id, waiting.id}


def test_the_engines_records_are_forgotten_with_the_proofs(
    small: Fleet, features: list[int]
) -> None:
    small.serve()
    with small.client() as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
    small.members[0].stop()
    with small.database() as database:
        queue = EngineQueue(database)
        assert queue.forget(time.time() + 5) == 1
        assert queue.forget(time.time() + 5) == 0
        queue.close()


DUTIES = (
    ("_proving", "drop_lost"),
    ("_roster", "bury"),
    ("_sweeper", "expire"),
    ("_sweeper", "purge_when_due"),
    ("_strays", "put_back"),
    ("_engine", "admit"),
)


@pytest.mark.parametrize("error", [OverflowError("year 0"), sa.exc.DataError("", {}, Exception())])
def test_a_duty_that_fails_keeps_no_other_from_being_done_and_is_said_once(
    small: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    small.prepare()
    assert small.catalogue
    failing, done = "", set()

    def act(name: str) -> list[str]:
        if name == failing:
            raise error
        done.add(name)
        return []

    with small.database() as database:
        worker = Worker(database, small.catalogue, WorkerSettings())
        worker._roster.join(1)
        for part, name in DUTIES:
            monkeypatch.setattr(getattr(worker, part), name, lambda *_, name=name: act(name))
        names = {name for _, name in DUTIES}
        for failing in names:
            done.clear()
            caplog.clear()
            for _ in range(3):
                worker._beat()
            assert done == names - {failing}
            assert len(caplog.records) == 1
        worker._roster.leave()
        worker._wake.close()
        worker._queue.close()


def test_a_bell_ends_a_long_wait_and_ticks_faster_while_busy() -> None:
    busy = [False]
    bell = Bell(lambda: busy[0])
    bell.ring()
    began = time.monotonic()
    assert bell.wait(600) is False
    busy[0] = True
    assert bell.wait(600) is False
    assert time.monotonic() - began < 60
    bell.set()
    assert bell.wait(600) is True


def test_a_worker_that_loses_its_lease_stops(small: Fleet) -> None:
    worker = small.work()
    lease = small.home / "leases" / worker.said.removeprefix("worker ")
    lease.unlink()
    assert worker.process.wait(120) == 75
    assert "lease" in worker.log.read_text()
