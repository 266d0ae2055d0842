"""SQLite's log is removed where there is no room: what of the acknowledged is there afterwards,
however the process ends, and that nothing is damaged."""

import contextlib
import errno
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.support.disks import small_disk
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue import database, identities
from zkagent.prover.service.queue.database import BUSY_TIMEOUT_MS, Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.identities import identity_at, numbers_of
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.removed_log import RemovedLog
from zkagent.prover.service.queue.store import Store

SETTLED, ALL = 3, 30
GONE = r"-wal was (?:removed|replaced by another one) while in use: "
#: What only looks, and cannot.
LOOK = """
import sqlite3, sys
try:
    with sqlite3.connect(sys.argv[1]) as there:
        if sys.argv[2] == "select": there.execute("SELECT * FROM zkagent_proof").fetchall()
        else: there.backup(sqlite3.connect(":memory:"))
except sqlite3.OperationalError as exc: assert "I/O" in str(exc), exc
else: raise SystemExit("it could be read")
"""
#: A process like the service's: acknowledges, loses its log on a full disk, and ends as it is told.
LIFE = f"""
import os, subprocess, sys, time
from pathlib import Path
from tests.prover.service.listed_runs import ListedRuns
from tests.support.disks import fill
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store

file, how = Path(sys.argv[1]), sys.argv[2]
database = Database(f"sqlite:///{{file}}")
database.prepare()
prepare_engine(database)
queue, store = EngineQueue(database), Store(database, ListedRuns())
queue.running()
for number in range({ALL}):
    store.submit("alice", Request("ab" * 32, (number,) * 137))
    if number == {SETTLED}:
        database.settle()
empty = fill(file.parent)
file.with_name(file.name + "-wal").unlink()
def look():
    for way in ("select", "backup"):
        subprocess.run([sys.executable, "-c", {LOOK!r}, str(file), way], check=True)
    assert file.with_name(file.name + "-wal").stat().st_size == 0
if "looked before" in how: look()
for number in range(2 if "noticed" in how else 0):
    try: store.submit("alice", Request("ab" * 32, (1000 + number,)))
    except DatabaseLost as exc: print(exc)
    time.sleep(1.1)
if "looked after" in how: look()
if "room" in how:
    empty()
    try: database.check()
    except DatabaseLost as exc: print(exc)
if "kill" in how:
    os.kill(os.getpid(), 9)
queue.close()
database.close()
"""


def after(folder: Path, how: str) -> tuple[int, str]:
    """How many proofs the next start finds, and what was said; the file is well."""
    file = folder / "service.sqlite"
    life = subprocess.run(
        [sys.executable, "-c", LIFE, str(file), how], capture_output=True, text=True, check=False
    )
    assert life.returncode == (-9 if "kill" in how else 0), life.stderr
    assert "Traceback" not in life.stderr
    (folder / "filler").unlink(missing_ok=True)
    with contextlib.closing(Database(f"sqlite:///{file}")) as opened:
        opened.prepare()
        with opened.read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            found = connection.exec_driver_sql("SELECT count(*) FROM zkagent_proof").scalar_one()
    assert list(folder.glob(".*")) == []
    return int(found), life.stdout


@pytest.mark.parametrize("end", ["kill", "stop"])
@pytest.mark.parametrize(
    "how", ["noticed, room", "noticed, looked before, room", "noticed, looked after, room"]
)
def test_all_is_kept_where_room_is_made_before_the_end(tmp_path: Path, how: str, end: str) -> None:
    """Also where somebody only looked meanwhile, whom SQLite has leave an empty log."""
    with small_disk(tmp_path / "disk", "16m") as folder:
        found, said = after(folder, f"{how}, {end}")
    assert found == ALL
    unsaved, _, saved = said.splitlines()
    assert re.search(
        GONE + r"what it held is not saved yet \(No space left on device, "
        r"where it takes [1-6] MiB\): mend that first, and stop and start nothing until",
        unsaved,
    )
    assert re.search(GONE + r"stop every process on it and st[^:]*$", saved)


@pytest.mark.parametrize("how", ["noticed, kill", "noticed, stop", "kill"])
def test_what_was_settled_is_kept_and_well_where_there_is_never_room(
    tmp_path: Path, how: str
) -> None:
    with small_disk(tmp_path / "disk", "16m") as folder:
        found, _ = after(folder, how)
    assert SETTLED < found < ALL


def test_a_log_that_is_removed_again_is_saved_again(
    opened: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SAVE_EVERY_S", 0)
    log, store = file.with_name(f"{file.name}-wal"), Store(opened, ListedRuns())
    store.submit("alice", Request("ab" * 32, (1,)))
    held = log.read_bytes()
    for _ in range(2):
        log.unlink()
        with pytest.raises(DatabaseLost, match="-wal was removed while in use: stop every"):
            store.submit("alice", Request("ab" * 32, (2,)))
        assert log.read_bytes() == held
        assert log.stat().st_mode & 0o777 == 0o600


def test_the_engine_neither_writes_into_a_removed_log_nor_begins_another(
    opened: Database, file: Path
) -> None:
    prepare_engine(opened)
    Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (1,)))
    log, queue = file.with_name(f"{file.name}-wal"), EngineQueue(opened)
    engine = queue._client._sys_db.engine
    removed = log.with_name("removed")
    removed.hardlink_to(log)
    before = removed.read_bytes()
    with engine.connect() as one:
        with one.begin():
            one.exec_driver_sql("SELECT * FROM zkagent_meta").all()
        log.unlink()
        with pytest.raises(DatabaseLost), one.begin():
            one.exec_driver_sql("UPDATE zkagent_meta SET value = 'x'")
        with pytest.raises(DatabaseLost), engine.connect():
            pass
    assert removed.read_bytes()[: len(before)] == before
    assert not log.exists()
    with pytest.raises(DatabaseLost, match="-wal was removed while in use: stop every"):
        opened.check()
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as other:
        assert other.execute("SELECT value FROM zkagent_meta").fetchone() != ("x",)
    queue.close()


def test_what_is_being_written_when_the_log_goes_is_saved_with_it(
    opened: Database, file: Path
) -> None:
    store = Store(opened, ListedRuns())
    store.submit("alice", Request("ab" * 32, (1,)))
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO zkagent_meta VALUES ('late', 'x')")
        file.with_name(f"{file.name}-wal").unlink()
        other.execute("COMMIT")
        with pytest.raises(DatabaseLost, match="stop every"), opened.write():
            pass
    with contextlib.closing(sqlite3.connect(file)) as late:
        assert late.execute("SELECT value FROM zkagent_meta WHERE name = 'late'").fetchone()


def test_connections_wait_for_each_other_as_long_as_ever_once_the_file_was_away(
    opened: Database, file: Path
) -> None:
    away = file.with_name("away")
    with pytest.raises(DatabaseLost), opened.write():
        file.rename(away)
    away.rename(file)
    with opened.write() as connection:
        assert connection.execute(sa.text("PRAGMA busy_timeout")).scalar() == BUSY_TIMEOUT_MS


def test_where_nobody_has_the_log_open_that_is_said(opened: Database, file: Path) -> None:
    Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (1,)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zkagent.prover.service.queue.identities.OPEN", file.parent)
        file.with_name(f"{file.name}-wal").unlink()
        with pytest.raises(DatabaseLost, match=r"not saved yet \(no process of it has it open\)"):
            Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (2,)))


def test_another_files_number_is_not_taken_for_the_logs(
    opened: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which a descriptor has that was closed and opened again since it was looked at."""
    Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (1,)))
    log = file.with_name(f"{file.name}-wal")
    held, found = log.read_bytes(), identity_at(log)
    assert found
    with file.with_name("other").open("w+b") as other:
        numbers = [other.fileno(), *numbers_of(found)]
        looked_for = identities.numbers_of
        monkeypatch.setattr(
            identities,
            "numbers_of",
            lambda file: iter(numbers) if file == found else looked_for(file),
        )
        log.unlink()
        with pytest.raises(DatabaseLost, match="-wal was removed while in use: stop every"):
            opened.check()
    assert log.read_bytes() == held


DISK_ERRORS = [errno.EIO, errno.ESTALE, errno.EACCES, errno.ENOTDIR]


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """The disk answers so for that file."""
    stat = Path.stat

    def fail(self: Path, **given: bool) -> os.stat_result:
        if self.name == name:
            raise OSError(number, os.strerror(number), str(self))
        return stat(self, **given)

    monkeypatch.setattr(Path, "stat", fail)


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
@pytest.mark.parametrize("number", DISK_ERRORS)
def test_a_disk_that_fails_for_a_while_is_an_error_of_the_database_and_nothing_is_lost(
    opened: Database, file: Path, monkeypatch: pytest.MonkeyPatch, end: str, number: int
) -> None:
    store = Store(opened, ListedRuns())
    store.submit("alice", Request("ab" * 32, (1,)))
    with monkeypatch.context() as patch:
        failing(patch, f"{file.name}{end}", number)
        with pytest.raises(DatabaseLost, match=r"was out of reach \(.*\) while in use: put it"):
            store.submit("alice", Request("ab" * 32, (2,)))
        with pytest.raises(DatabaseLost, match="out of reach"), opened.read():
            pass
    store.submit("alice", Request("ab" * 32, (2,)))


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
@pytest.mark.parametrize("number", DISK_ERRORS)
def test_a_disk_that_fails_once_the_log_was_removed_is_one_too(
    opened: Database, file: Path, monkeypatch: pytest.MonkeyPatch, end: str, number: int
) -> None:
    monkeypatch.setattr(database, "SAVE_EVERY_S", 0)
    log, store = file.with_name(f"{file.name}-wal"), Store(opened, ListedRuns())
    store.submit("alice", Request("ab" * 32, (1,)))
    held = log.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(RemovedLog, "put_back", lambda _: Path("/nowhere").stat())
        log.unlink()
        with pytest.raises(DatabaseLost, match="-wal was removed"):
            opened.check()
    with monkeypatch.context() as patch:
        failing(patch, f"{file.name}{end}", number)
        for _ in range(2):
            with pytest.raises(DatabaseLost, match=r"was out of reach|was removed while in use"):
                store.submit("alice", Request("ab" * 32, (2,)))
    with pytest.raises(DatabaseLost, match="-wal was removed while in use: stop every"):
        opened.check()
    assert log.read_bytes() == held


@pytest.mark.parametrize("errno_of_links", [errno.EPERM, errno.ENOTSUP, errno.EMLINK])
@pytest.mark.parametrize("there", [None, b""])
def test_a_log_is_saved_where_there_are_no_hard_links(
    opened: Database,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    errno_of_links: int,
    there: bytes | None,
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno_of_links, os.strerror(errno_of_links))

    monkeypatch.setattr(os, "link", refuse)
    log, store = file.with_name(f"{file.name}-wal"), Store(opened, ListedRuns())
    store.submit("alice", Request("ab" * 32, (1,)))
    held = log.read_bytes()
    log.unlink()
    if there is not None:
        log.write_bytes(there)
    with pytest.raises(DatabaseLost, match="while in use: stop every"):
        store.submit("alice", Request("ab" * 32, (2,)))
    assert log.read_bytes() == held
    assert list(file.parent.glob(".*")) == []


def log_with(words: bytes) -> bytes:
    """One page that ends a transaction."""
    header = bytes(8) + (4096).to_bytes(4) + bytes(4) + words[:4].ljust(8)
    return header.ljust(32) + (bytes(4) + (1).to_bytes(4) + words[:4].ljust(8)).ljust(24 + 4096)


def test_a_log_with_something_in_it_is_never_replaced(tmp_path: Path) -> None:
    file, path = tmp_path / "a[b].sqlite", tmp_path / "a[b].sqlite-wal"
    file.touch()
    path.write_bytes(log_with(b"ours"))
    with path.open("rb") as held:
        found = os.fstat(held.fileno())
        path.unlink()
        path.write_bytes(log_with(b"them"))
        beside = tmp_path / ".ab.sqlite-wal-x"
        beside.touch()
        removed = RemovedLog(file, (found.st_dev, found.st_ino), None)
        assert removed.is_overtaken
        with pytest.raises(FileExistsError):
            removed.put_back()
    assert path.read_bytes() == log_with(b"them")
    assert sorted(tmp_path.iterdir()) == [beside, file, path]
