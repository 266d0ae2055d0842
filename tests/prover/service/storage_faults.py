"""Faults of what a service stores on: full disks, and a database that is gone, replaced, locked,
stopped or takes no writes. Each is asked the questions of faults.py.
"""

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from tests.prover.service.ward import Ward
from tests.support.disks import fill, small_disk
from tests.support.fleet import restart_postgres
from zkagent.executor.cli.serve import EXIT_LOST
from zkagent.prover.service.fakes.catalogue import Order
from zkagent.prover.service.queue.database import PATIENCE_S, Database
from zkagent.prover.service.queue.open_file import BESIDE


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


def emptied_log(ward: Ward) -> None:
    """SQLite's log of changes is emptied while it is in use: nothing is acknowledged behind the
    hole, nor moved into the file at an orderly end."""
    import sqlite3

    service = ward.begin()
    ward.prove(5)
    with contextlib.closing(sqlite3.connect(ward.database_file)) as other:
        other.execute("PRAGMA wal_checkpoint(full)").fetchall()
    os.truncate(f"{ward.database_file}-wal", 0)
    if acknowledged := ward.submit(10):
        ward.complain(f"{len(acknowledged)} acknowledged into a log that was emptied")
    ward.expect("database-replaced", ready=False)
    ward.stop_asking()
    service.stop()
    for end in BESIDE:
        beside = ward.database_file.with_name(f"{ward.database_file.name}{end}")
        beside.rename(ward.home / beside.name)
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
        if worker.process.wait(120) != EXIT_LOST:
            ward.complain(f"{worker.name} ended with {worker.process.returncode}")
        ward.fleet.work()
    ward.expect_well()
    ward.check()


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
