"""A database's file, and what SQLite keeps beside it: which one it is, whose, and what happens when
it goes or is another one."""

import contextlib
import os
import shutil
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.errors import DatabaseLost, DatabaseUnusable
from zkagent.prover.service.queue.database import Database, other_name
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import metadata, proofs


def test_no_write_counts_in_a_file_that_was_removed_or_replaced(
    opened: Database, file: Path
) -> None:
    store = Store(opened, ListedRuns())
    away = file.with_name("away")
    file.rename(away)
    with pytest.raises(DatabaseLost, match="was removed while in use"):
        store.submit("alice", Request("ab" * 32, (1,)))
    file.write_bytes(away.read_bytes())
    with pytest.raises(DatabaseLost, match="was replaced by another one"):
        store.submit("alice", Request("ab" * 32, (1,)))
    away.replace(file)
    store.submit("alice", Request("ab" * 32, (1,)))


REQUESTS = [Request("ab" * 32, (number,)) for number in range(9)]


def after_a_kill(file: Path) -> set[str]:
    """The proofs that whoever starts then finds, with what lies in the folder."""
    folder = file.with_name("after")
    folder.mkdir()
    for path in file.parent.glob("service.sqlite*"):
        shutil.copy(path, folder)
    database = Database(f"sqlite:///{folder}/{file.name}")
    try:
        with database.read() as connection:
            return set(connection.execute(sa.select(proofs.c.id)).scalars())
    finally:
        database.close()


@pytest.mark.parametrize("ends", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_no_write_counts_once_the_log_beside_the_file_was_removed_and_what_counted_is_saved(
    opened: Database, file: Path, ends: tuple[str, ...]
) -> None:
    store = Store(opened, ListedRuns())
    store.submit("alice", REQUESTS[0])
    for end in ends:
        file.with_name(f"{file.name}{end}").unlink()
    for request in REQUESTS[1:3]:  # also when there is a log again
        with pytest.raises(DatabaseLost, match=rf"{ends[0]} was removed while in use: stop every"):
            store.submit("alice", request)
    assert after_a_kill(file) == {REQUESTS[0].id}


@pytest.mark.parametrize("ends", [("-wal",), ("-wal", "-shm")])
def test_a_further_connection_begins_no_other_log_before_what_counted_is_saved(
    opened: Database, file: Path, ends: tuple[str, ...]
) -> None:
    store = Store(opened, ListedRuns())
    store.submit("alice", REQUESTS[0])
    with opened.read() as busy:
        busy.execute(sa.select(proofs.c.id)).all()
        for end in ends:
            file.with_name(f"{file.name}{end}").unlink()
        said = r"-wal was removed while in use: .* not saved yet \(every connection is in use\): m"
        with pytest.raises(DatabaseLost, match=said):
            store.submit("alice", REQUESTS[1])
        with pytest.raises(DatabaseLost, match="-wal was removed"), opened.bare_engine.connect():
            pass
    with pytest.raises(DatabaseLost, match="-wal was removed while in use"):
        store.submit("alice", REQUESTS[2])
    assert after_a_kill(file) == {REQUESTS[0].id}


def removed_while_read(opened: Database, file: Path, read_s: float) -> str:
    """The log goes while somebody has read what was there before, for so long; what a submission
    says."""
    store = Store(opened, ListedRuns())
    store.submit("alice", REQUESTS[0])
    reading, read = threading.Event(), threading.Event()

    def reader() -> None:
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT * FROM zkagent_meta").fetchall()
            reading.set()
            read.wait(read_s)

    thread = threading.Thread(target=reader)
    thread.start()
    try:
        assert reading.wait(120)
        store.submit("alice", REQUESTS[1])
        file.with_name(f"{file.name}-wal").unlink()
        with pytest.raises(DatabaseLost) as caught:
            store.submit("alice", REQUESTS[2])
        return str(caught.value)
    finally:
        read.set()
        thread.join()


@pytest.mark.parametrize("read_s", [0.5, 600])
def test_a_log_that_somebody_reads_is_saved_before_he_is_done(
    opened: Database, file: Path, caplog: pytest.LogCaptureFixture, read_s: float
) -> None:
    began = time.monotonic()
    assert "-wal was removed while in use: stop" in removed_while_read(opened, file, read_s)
    assert time.monotonic() - began < 100
    assert caplog.messages == [
        "what the log held when it was removed is saved: it lies there again"
    ]
    assert after_a_kill(file) == {REQUESTS[0].id, REQUESTS[1].id}


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_no_write_counts_once_another_log_lies_beside_the_file(
    opened: Database, file: Path, end: str
) -> None:
    store, log = Store(opened, ListedRuns()), file.with_name(f"{file.name}{end}")
    store.submit("alice", REQUESTS[0])
    copy = file.with_name("copy")
    shutil.copy(log, copy)
    before = file.read_bytes()
    copy.replace(log)
    with pytest.raises(DatabaseLost, match=rf"{end} was replaced by another one while in use"):
        store.submit("alice", REQUESTS[1])
    assert file.read_bytes() == before  # whoever has the other log may be writing to it


def test_what_lies_beside_the_target_of_a_link_is_looked_at_too(tmp_path: Path) -> None:
    real, link = tmp_path / "real" / "service.sqlite", tmp_path / "named.sqlite"
    real.parent.mkdir()
    link.symlink_to(real)
    opened = Database(f"sqlite:///{link}")
    opened.prepare()
    store = Store(opened, ListedRuns())
    store.submit("alice", REQUESTS[0])
    assert (opened.folder, opened.shown) == (real.parent, f"sqlite:///{link}")
    real.with_name(f"{real.name}-wal").unlink()
    with pytest.raises(DatabaseLost, match="-wal was removed while in use"):
        store.submit("alice", REQUESTS[1])
    assert REQUESTS[0].id in after_a_kill(real)
    opened.close()


def test_a_link_that_leads_elsewhere_meanwhile_is_another_file(tmp_path: Path) -> None:
    real, other, link = (tmp_path / f"{name}.sqlite" for name in ("real", "other", "named"))
    link.symlink_to(real)
    opened = Database(f"sqlite:///{link}")
    opened.prepare()
    other.touch()
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(DatabaseLost, match="replaced by another one"):
        Store(opened, ListedRuns()).submit("alice", REQUESTS[0])
    opened.close()


def test_a_file_of_two_names_is_refused(tmp_path: Path) -> None:
    """Beside each name SQLite keeps another log of changes, which nobody finds by the other."""
    named, other = tmp_path / "named.sqlite", tmp_path / "other.sqlite"
    opened = Database(f"sqlite:///{named}")
    opened.prepare()
    opened.close()
    other.hardlink_to(named)
    for path in (named, other):
        with pytest.raises(DatabaseUnusable, match=r"2 names \(hard links\): remove all but one"):
            Database(f"sqlite:///{path}")
    other.unlink()
    Database(f"sqlite:///{named}").close()


@pytest.mark.parametrize("name", ["alone.sqlite", "with a blank.sqlite"])
def test_a_file_that_is_mounted_by_itself_is_one_of_two_names(tmp_path: Path, name: str) -> None:
    file, mounts = tmp_path / name, tmp_path / "mountinfo"
    file.touch()
    line = "36 35 98:0 /var/{0} {1} rw,noatime master:1 - ext4 /dev/root rw\n"
    shown = str(file).replace(" ", "\\040")
    mounts.write_text(line.format("x", tmp_path) + line.format("y", "/proc"))
    assert other_name(file, mounts) == ""
    mounts.write_text(line.format("x", tmp_path) + line.format("y", shown))
    assert "mount the folder that it lies in" in other_name(file, mounts)
    assert other_name(file, tmp_path / "missing") == ""


def test_links_that_lead_in_a_circle_are_no_database(tmp_path: Path) -> None:
    link = tmp_path / "named.sqlite"
    link.symlink_to(link)
    with pytest.raises(DatabaseUnusable, match="circle"):
        Database(f"sqlite:///{link}")


def test_changes_that_move_into_the_file_are_no_loss(opened: Database, file: Path) -> None:
    store = Store(opened, ListedRuns())
    for mode in ("passive", "restart", "truncate"):
        for request in REQUESTS:
            store.submit("alice", request)
        with opened.read() as connection:
            connection.exec_driver_sql(f"PRAGMA wal_checkpoint({mode})")
    store.submit("alice", REQUESTS[0])


def test_tables_are_in_the_file_itself_as_soon_as_they_are_prepared(
    opened: Database, file: Path
) -> None:
    prepare_engine(opened)
    alone = file.with_name("alone.sqlite")
    shutil.copy(file, alone)
    with contextlib.closing(sqlite3.connect(alone)) as connection:
        rows = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
    assert {*metadata.tables, "workflow_status"} <= {name for (name,) in rows}


def test_a_file_that_goes_while_a_request_is_written_is_noticed_before_it_is_acknowledged(
    opened: Database, file: Path
) -> None:
    class Unlinking(ListedRuns):
        def enqueue(self, connection: sa.Connection, run: object) -> None:
            file.unlink()

    with pytest.raises(DatabaseLost):
        Store(opened, Unlinking()).submit("alice", Request("ab" * 32, (1,)))


@pytest.mark.parametrize("mode", [None, 0o644, 0o666])
def test_the_files_are_for_their_owner_alone(tmp_path: Path, mode: int | None) -> None:
    file = tmp_path / "service.sqlite"
    if mode is not None:
        file.touch()
        file.chmod(mode)
    before = os.umask(0)
    try:
        database = Database(f"sqlite:///{file}")
        database.prepare()
        files = [path for path in tmp_path.iterdir() if path.is_file()]
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert len(files) == 3
        database.close()
    finally:
        os.umask(before)
