"""Faults: a service whose disk, keys, clock, database or peers fail, and which then is mended.

Each fault ends with the same questions: has every request that was acknowledged its proof, is no
verdict wrong, was nothing that would be lost acknowledged, did `/healthz` answer in time, did
`/readyz` and the metrics name the cause, and is no input in any log? In the test suite in a short
form; the long one is `make faults`, or `python -m tests.prover.service.faults --rounds 10`.
"""

import argparse
import contextlib
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import sqlalchemy as sa

from tests.prover.service.ward import MARKER, Report, Ward
from tests.support.clocks import set_clock
from tests.support.disks import fill, small_disk
from tests.support.fleet import eventually, postgres, restart_postgres
from zkagent.executor.cli.serve import EXIT_LOST
from zkagent.prover.client import Wanted
from zkagent.prover.service.api.watchers import MOST_PER_KEY
from zkagent.prover.service.errors import ServiceError
from zkagent.prover.service.fakes.catalogue import TROUBLE, FakeCatalogue, Order
from zkagent.prover.service.queue.database import BESIDE, PATIENCE_S, Database
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.wire.states import State


def full_temporary_disk(ward: Ward) -> None:
    """No room for the temporary files of proofs, service and workers."""
    with small_disk(ward.temporary, "8m"):
        ward.begin()
        empty = fill(ward.temporary)
        ward.expect("disk", ready=False)
        ward.submit(3)
        time.sleep(2)
        empty()
        ward.expect_well()
        ward.check()
        ward.end()


def full_database_disk(ward: Ward) -> None:
    """No room for the database: nothing is acknowledged that is not stored."""
    with small_disk(ward.home / "db", "8m"):
        ward.begin()
        empty = fill(ward.home / "db")
        ward.expect("disk", ready=False)
        ward.submit(5)
        empty()
        ward.expect_well()
        ward.check()
        ward.end()


def troubled_keys(ward: Ward) -> None:
    """Keys that are damaged under a running worker, and mended."""
    ward.begin()
    trouble = ward.home / TROUBLE
    trouble.write_text("keys")
    ward.submit(3)
    ward.expect("keys", ready=False)  # nobody else can prove anything
    ward.submit(2)
    trouble.unlink()
    ward.expect_well()
    ward.check()


def failing_engine(ward: Ward) -> None:
    """An engine that fails for everybody is not a verdict on anybody."""
    ward.begin("--max-crashes", "8")
    trouble = ward.home / TROUBLE
    trouble.write_text("engine")
    ward.submit(3)
    time.sleep(3)
    trouble.unlink()
    ward.check()


def unlike_workers(ward: Ward) -> None:
    """Three workers that lack the circuit, and one that has it."""
    ward.begin(slots=1)
    other = FakeCatalogue(ward.home / "other", {"another": 0.02})
    other.folder.mkdir()
    for _ in range(3):
        ward.fleet.work(catalogue=other)
    ids = ward.submit(20)
    with ward.client(20) as client:
        for proof_id in ids:
            client.wait(proof_id, timeout_s=60)
    for proof_id in ids:
        row = ward.fleet.proof(proof_id)
        if (row.crashes, row.deaths, row.generation) != (0, 0, 1):
            ward.complain(f"{proof_id}: passing on was counted")
    ward.check()


def unlinked_database(ward: Ward) -> None:
    """The file is moved away and comes back; meanwhile nothing is acknowledged."""
    ward.begin()
    file, away = ward.database_file, ward.home / "away.sqlite"
    file.rename(away)
    if acknowledged := ward.submit(10):
        ward.complain(f"{len(acknowledged)} acknowledged into a file that is gone")
    ward.expect("database-replaced", ready=False)
    away.rename(file)
    ward.expect_well()
    ward.check()


def replaced_database(ward: Ward) -> None:
    """Another file lies in its place: refused until everybody was started again."""
    service = ward.begin()
    file = ward.database_file
    copy = ward.home / "copy.sqlite"
    shutil.copy(file, copy)
    kept = ward.home / "kept.sqlite"
    os.link(file, kept)
    copy.replace(file)
    if acknowledged := ward.submit(10):
        ward.complain(f"{len(acknowledged)} acknowledged into a file that is gone")
    ward.expect("database-replaced", ready=False)
    kept.replace(file)
    ward.expect_well()
    ward.check()
    assert service.process.poll() is None


def removed_log(ward: Ward) -> None:
    """SQLite's log of changes is removed: nothing is acknowledged into it any more, and what was is
    there after a kill and a start."""
    service = ward.begin()
    ward.submit(5)
    for end in BESIDE:
        ward.database_file.with_name(f"{ward.database_file.name}{end}").unlink()
    if acknowledged := ward.submit(10):
        ward.complain(f"{len(acknowledged)} acknowledged into a log that is gone")
    ward.expect("database-replaced", ready=False)
    ward.stop_asking()
    service.kill()
    ward.begin()
    ward.expect_well()
    ward.check()


def locked_database(ward: Ward) -> None:
    """Somebody holds the write lock: submissions are refused after a while, health is not."""
    import sqlite3

    ward.begin()
    with contextlib.closing(sqlite3.connect(ward.database_file, isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")
        asking = threading.Thread(target=ward.submit, args=(1,))
        asking.start()
        ward.expect("database", ready=False)
        held.execute("ROLLBACK")
        asking.join()
    ward.expect_well()
    ward.check()


def slow_bodies(ward: Ward) -> None:
    """Two hundred bodies that come a byte at a time, and a thousand idle connections."""
    ward.begin("--connections", "1000")
    head = b"POST /v1/proofs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    slow = head + b"content-length: 100000\r\n\r\n"
    chunked = head + b"transfer-encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 10_000
    stop = threading.Event()

    def drip() -> None:
        with contextlib.ExitStack() as stack:
            open_ = [stack.enter_context(_connected(ward)) for _ in range(200)]
            for connection in open_:
                connection.sendall(slow)
            while not stop.is_set():
                for connection in open_:
                    with contextlib.suppress(OSError):
                        connection.send(b"1")
                with contextlib.suppress(OSError), _connected(ward) as other:
                    other.sendall(chunked)
                time.sleep(0.05)  # so that it is not we who are slow

    thread = threading.Thread(target=drip)
    thread.start()
    with contextlib.ExitStack() as stack:
        for _ in range(1005):
            stack.enter_context(_connected(ward))
        ward.prove(3)
        time.sleep(3)
    stop.set()
    thread.join()
    ward.check()


def slow_bodies_without_a_key(ward: Ward) -> None:
    """Whoever has no key gets no further than a head."""
    with _keys(ward, "alice") as (key,):
        os.environ["ZKAGENT_KEY"] = key
        ward.begin("--require-keys")
        head = b"POST /v1/proofs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        for _ in range(50):
            with _connected(ward) as connection:
                connection.sendall(head + b"content-length: 100000\r\n\r\n{")
                connection.settimeout(5)
                if not connection.recv(4096).startswith(b"HTTP/1.1 401"):
                    ward.complain("a body is read before its sender is known")
        ward.check()


def untaken_answers(ward: Ward) -> None:
    """More peers than there may be connections ask again and again, and read nothing."""
    ward.begin("--connections", "20")
    asked = b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 75
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            for _ in range(20):
                connection = stack.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                connection.connect(("127.0.0.1", ward.fleet.port))
                with contextlib.suppress(OSError):  # its place may be another's already
                    connection.sendall(asked)
            time.sleep(0.5)
            ward.prove(1)
    ward.check()


def untaken_streams(ward: Ward) -> None:
    """A key asks for two hundred event streams and reads none; another key's proofs are made."""
    with _keys(ward, "alice", "bob") as (alice, bob):
        os.environ["ZKAGENT_KEY"] = bob
        ward.begin("--connections", "300", slots=2)
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(ward.fleet.client(alice, patience_s=20))
            x = ward.inputs(Order.SLOW)
            followed = client.submit(Wanted.of_features("quick", x)).id
            head = f"GET /v1/proofs/{followed}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            asked = f"{head}authorization: Bearer {alice}\r\n\r\n".encode()
            statuses: Counter[bytes] = Counter()
            for _ in range(200):
                connection = stack.enter_context(_connected(ward))
                connection.sendall(asked)
                statuses[connection.recv(12)[9:]] += 1
            if statuses != {b"200": MOST_PER_KEY, b"429": 200 - MOST_PER_KEY}:
                ward.complain(f"streams were answered {statuses}")
            ward.prove(20)  # each wakes whoever follows anything
            client.cancel(followed)
        ward.check()


def heavy_bodies(ward: Ward) -> None:
    """Bodies of two megabytes that would take seconds to read, eight at once."""
    ward.begin()
    fields = b",".join(b'"k%d":1' % number for number in range(170_000))
    entries = b'"features":[' + b"1," * 1_000_000 + b"1]"
    texts = b'"features":[' + b'"x",' * 500_000 + b"1]"
    with ThreadPoolExecutor(8) as pool:
        for rest in (fields, entries, texts):
            body = b'{"model":"quick",' + rest + b"}"
            for status in pool.map(lambda _, sent=body: _posted(ward, sent), range(8)):
                if status != 400:
                    ward.complain(f"a body that takes long was answered {status}")
    ward.check()


def _posted(ward: Ward, body: bytes) -> int:
    headers = {"content-type": "application/json"}
    url = f"{ward.fleet.url}/v1/proofs"
    return httpx.post(url, content=body, headers=headers, timeout=30).status_code


def hanging_callbacks(ward: Ward) -> None:
    """A hundred callbacks to a host that hangs, and one to a host that answers."""
    with _listening(200) as bad, _listening() as good:
        allowed = [f"http://127.0.0.1:{s.getsockname()[1]}" for s in (bad, good)]
        options = [word for origin in allowed for word in ("--allow-callback", origin)]
        ward.begin(*options, "--private-callbacks")
        ids = ward.submit(100, callback_url=f"{allowed[0]}/hangs")
        with ward.client(20) as client:
            for proof_id in ids:
                client.wait(proof_id, timeout_s=60)
        time.sleep(1)
        ward.submit(1, callback_url=f"{allowed[1]}/answers")
        began = time.monotonic()
        good.settimeout(20)
        connection, _ = good.accept()
        took = time.monotonic() - began
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        connection.close()
        if took > 5:
            ward.complain(f"a good host waited {took:.1f} s for its callback")
        ward.check()


def jumping_clock(ward: Ward) -> None:
    """This machine's clock jumps by hours, while proofs are tried again and a worker dies."""
    clock = set_clock(ward.home, "machine")
    ward.fleet.environment |= clock.environment
    ward.begin()
    worker = ward.fleet.work()
    for ahead_s in (-3600, 3600, -1800, 0):
        ward.submit(2, Order.CRASH_ONCE)
        ward.submit(2, deadline_s=20_000)
        clock.set(ahead_s)
        time.sleep(0.7)
    worker.kill()
    ward.expect("clock", ready=True)
    ward.check()


def skewed_clocks(ward: Ward) -> None:
    """Machines whose clocks differ by hours, and one database; some have a deadline in minutes."""
    ours = dict(ward.fleet.environment)
    workers = []
    for name, ahead_s in (("service", 0), ("late", -3600), ("early", 3600)):
        ward.fleet.environment = ours | set_clock(ward.home, name, ahead_s).environment
        workers.append(ward.fleet.work() if workers else ward.begin())
    ids = ward.submit(10, Order.CRASH_ONCE) + ward.submit(20, deadline_s=120)
    workers[-1].kill()
    ward.check()
    if any(ward.fleet.proof(proof_id).finished_at is None for proof_id in ids):
        ward.complain("not all are finished")


def dead_workers(ward: Ward) -> None:
    """Workers are killed and stopped; what they held is proven by others."""
    ward.begin()
    workers = [ward.fleet.work() for _ in range(2)]
    ward.submit(10)
    workers[0].kill()
    workers[1].process.send_signal(signal.SIGSTOP)
    ward.submit(5)
    time.sleep(4)
    workers[1].process.send_signal(signal.SIGCONT)
    ward.check()


def refused_inputs(ward: Ward) -> None:
    """In the middle of trouble, a circuit's refusal is still the only verdict there is."""
    ward.begin()
    trouble = ward.home / TROUBLE
    trouble.write_text("disk")
    with ward.client() as client:
        refused = client.submit(Wanted.of_features("quick", [Order.REFUSE, MARKER, 2, 3]))
        time.sleep(2)
        if client.get(refused.id).state is not State.WAITING:
            ward.complain("a verdict was made in the middle of trouble")
        trouble.unlink()
        eventually(lambda: client.get(refused.id).state is State.FAILED, 30)
    ward.check()


def restarted_postgres(ward: Ward) -> None:
    """The database server dies and comes back. Workers end, as whoever may have lost what is theirs
    must (exit code 75), and are started again; the API stays."""
    ward.fleet.prepare()
    workers = [ward.fleet.work() for _ in range(2)]
    ward.begin(slots=0)
    ward.submit(5)
    with restart_postgres(ward.fleet.database_url):
        ward.submit(3)
        ward.expect("database", ready=False)
    for worker in workers:
        if worker.process.wait(60) != EXIT_LOST:
            ward.complain(f"{worker.name} ended with {worker.process.returncode}")
        ward.fleet.work()
    ward.expect_well()
    ward.check()


def read_only_postgres(ward: Ward) -> None:
    """The database server takes no more writes, as a replica or a full disk's server does."""
    ward.begin()
    with _read_only(ward):
        ward.expect("database-read-only", ready=False)
        if acknowledged := ward.submit(3):
            ward.complain(f"{len(acknowledged)} acknowledged and not written")
    ward.expect_well()
    ward.check()


def refused_writes(ward: Ward) -> None:
    """The database takes no writes for longer than workers try to write down what they did."""
    postgres_is_asked = ward.fleet.database_url.startswith("postgres")
    with contextlib.nullcontext() if postgres_is_asked else small_disk(ward.home / "db", "8m"):
        ward.begin(slots=2)
        ward.submit(3, Order.CRASH_ONCE)
        ward.submit(3)
        with _read_only(ward) if postgres_is_asked else _filled(ward.home / "db"):
            time.sleep(PATIENCE_S + 10)
        ward.expect_well()
        ward.check()
        ward.end()


@contextmanager
def _filled(folder: Path) -> Iterator[None]:
    empty = fill(folder)
    try:
        yield
    finally:
        empty()


@contextmanager
def _read_only(ward: Ward) -> Iterator[None]:
    """The server takes no writes meanwhile."""
    engine = sa.create_engine(Database(ward.fleet.database_url).url, isolation_level="AUTOCOMMIT")

    def switch(setting: str) -> None:
        words = f"ALTER SYSTEM SET default_transaction_read_only = {setting}"
        with engine.connect() as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(words)
            connection.exec_driver_sql("SELECT pg_reload_conf()")

    switch("on")
    try:
        yield
    finally:
        switch("off")
        engine.dispose()


def stopped_postgres(ward: Ward) -> None:
    """The database server is stopped in mid-sentence (SIGSTOP), and goes on."""
    ward.begin()
    pids = _postgres_processes(ward)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        ward.expect("database", ready=False)
        threads = [threading.Thread(target=ward.submit, args=(1,)) for _ in range(60)]
        for thread in threads:
            thread.start()
        time.sleep(3)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    for thread in threads:
        thread.join()
    ward.expect_well()
    ward.check()


def _postgres_processes(ward: Ward) -> list[int]:
    """The server's processes, by the port that they were given."""
    port = ward.fleet.database_url.rpartition(":")[2].partition("/")[0]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"-p" in words and port.encode() in words and b"postgres" in words[0]:
                found.append(int(folder.name))
    parents = set(found)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) in parents:
                found.append(int(folder.name))
    return found


@contextmanager
def _listening(backlog: int = 10) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener:
        yield listener


@contextmanager
def _keys(ward: Ward, *names: str) -> Iterator[tuple[str, ...]]:
    """Keys with these names; what the block sets as $ZKAGENT_KEY is its clients' meanwhile."""
    ward.fleet.prepare()
    with ward.fleet.database() as database:
        made = tuple(Keys(database).create(name) for name in names)
    try:
        yield made
    finally:
        os.environ.pop("ZKAGENT_KEY", None)


def _connected(ward: Ward) -> socket.socket:
    return socket.create_connection(("127.0.0.1", ward.fleet.port), 20)


Fault = Callable[[Ward], None]
ON_SQLITE: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        full_temporary_disk,
        full_database_disk,
        troubled_keys,
        failing_engine,
        unlike_workers,
        unlinked_database,
        replaced_database,
        removed_log,
        locked_database,
        slow_bodies,
        slow_bodies_without_a_key,
        untaken_answers,
        untaken_streams,
        heavy_bodies,
        hanging_callbacks,
        dead_workers,
        jumping_clock,
        refused_inputs,
        refused_writes,
    )
}
#: In the test suite; the others only in the long form.
SHORT = (
    "full_temporary_disk",
    "full_database_disk",
    "troubled_keys",
    "unlike_workers",
    "unlinked_database",
    "slow_bodies",
    "untaken_answers",
    "untaken_streams",
    "heavy_bodies",
    "hanging_callbacks",
    "jumping_clock",
)
ON_POSTGRES: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        restarted_postgres,
        stopped_postgres,
        read_only_postgres,
        refused_writes,
        skewed_clocks,
        troubled_keys,
        unlike_workers,
        hanging_callbacks,
        dead_workers,
        full_temporary_disk,
    )
}


def run(home: Path, url: str, name: str, faults: dict[str, Fault] = ON_SQLITE) -> Report:
    """One fault from beginning to end."""
    report, began = Report(name), time.monotonic()
    ward = Ward(home, url, report)
    try:
        faults[name](ward)
    except (AssertionError, ServiceError, httpx.HTTPError) as exc:
        report.failures.append(f"{type(exc).__name__}: {exc}")
    finally:
        ward.end()
    report.seconds = time.monotonic() - began
    report.judge()
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", help="this fault alone; may be repeated")
    parser.add_argument("--sqlite", action="store_true", help="leave Postgres out")
    parser.add_argument("--postgres", action="store_true", help="leave SQLite out")
    given = parser.parse_args()
    failed = 0
    for _ in range(given.rounds):
        for name in () if given.postgres else ON_SQLITE:
            with tempfile.TemporaryDirectory(prefix="zkagent-faults-") as folder:
                url = f"sqlite:///{folder}/db/service.sqlite"
                failed += _told(run(Path(folder), url, name)) if _wanted(given, name) else 0
        for name in () if given.sqlite else ON_POSTGRES:
            with tempfile.TemporaryDirectory(prefix="zkagent-faults-") as folder, postgres() as url:
                report = run(Path(folder), url, name, ON_POSTGRES) if _wanted(given, name) else None
                failed += _told(report) if report else 0
    raise SystemExit(min(failed, 100))


def _wanted(given: argparse.Namespace, name: str) -> bool:
    return not given.only or name in given.only


def _told(report: Report) -> int:
    """Print it; how many failures."""
    verdict = "; ".join(report.failures) or "well"
    print(
        f"{report.fault}: {report.acknowledged} acknowledged, {report.refused} refused, healthz "
        f"{len(report.healthz_s)} times, {report.slowest_s * 1000:.0f} ms at most, "
        f"{report.seconds:.0f} s: {verdict}",
        flush=True,
    )
    return len(report.failures)


if __name__ == "__main__":
    main()
