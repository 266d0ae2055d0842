"""SQLite's log is emptied or written over while it is in use, and stays the same file: nothing
counts from then on, and nothing of that gets into the database's file."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue import database
from zkagent.prover.service.queue.database import Database, patiently
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store

EMPTIED = (
    "-wal was emptied or written over while in use: what was acknowledged last is lost, but for "
    "what the file had already: stop every process on it, move its -wal and -shm elsewhere, and "
    "start them again"
)
HEADER, FRAME = 32, 24 + 4096
#: A process like the service's, or a worker's without an engine: settles one proof, acknowledges
#: others, has its log emptied, and ends in order, whether or not it was to write once more.
LIFE = """
import os, sys
from pathlib import Path
from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import EngineQueue, prepare_engine
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
file = Path(sys.argv[1])
database = Database(f"sqlite:///{file}")
database.prepare()
prepare_engine(database)
queue, store = EngineQueue(database), Store(database, ListedRuns())
if "alone" in sys.argv[2]: queue.close()
store.submit("alice", Request("ab" * 32, (0,)))
database.settle()
for number in range(1, 20):
    store.submit("alice", Request("ab" * 32, (number,)))
log = Path(f"{file}-wal")
log.write_bytes(bytes(log.stat().st_size) if "zeros" in sys.argv[2] else b"")
if "writes" in sys.argv[2]:
    try: store.submit("alice", Request("ab" * 32, (99,)))
    except DatabaseLost as exc: print(exc)
if "alone" not in sys.argv[2]: queue.close()
database.close()
"""


def submit(opened: Database, number: int) -> None:
    Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (number,)))


def refused(opened: Database) -> str:
    with pytest.raises(DatabaseLost) as caught:
        submit(opened, 99)
    return str(caught.value)


def rows(file: Path) -> int:
    """As the next start finds them, in a file that is well."""
    command = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
print(connection.execute("SELECT count(*) FROM zkagent_proof").fetchone()[0])
"""
    words = [sys.executable, "-c", command, str(file)]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def empty(log: Path) -> None:
    os.truncate(log, 0)


def cut(log: Path) -> None:
    """Of what counts: behind that, there may be frames of an earlier round."""
    with log.open("rb") as found:
        header = found.read(HEADER)
        counts = 0
        while (frame := found.read(FRAME)) and frame[8:16] == header[16:24]:
            counts += 1
    os.truncate(log, HEADER + (counts - 1) * FRAME)


def fill_with_zeros(log: Path) -> None:
    log.write_bytes(bytes(log.stat().st_size))


def write_an_earlier_one(log: Path) -> None:
    shutil.copyfile(log.with_name("earlier"), log)


def write_another(log: Path) -> None:
    other = log.with_name("other.sqlite")
    program = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=wal")
for _ in range(40): connection.execute("CREATE TABLE IF NOT EXISTS t AS SELECT randomblob(40000)")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", program, str(other)], check=True)
    shutil.copyfile(log_of(other), log)


WAYS = [empty, cut, fill_with_zeros, write_an_earlier_one, write_another]


@pytest.fixture
def settled(opened: Database, file: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """One proof is in the file, two more in the log."""
    monkeypatch.setattr(database, "SAVE_EVERY_S", 0)
    submit(opened, 1)
    opened.settle()
    submit(opened, 2)
    shutil.copyfile(log_of(file), file.with_name("earlier"))
    submit(opened, 3)
    return opened


@pytest.mark.parametrize("way", WAYS)
def test_nothing_counts_once_the_log_was_emptied_or_written_over(
    settled: Database, file: Path, way: Callable[[Path], None]
) -> None:
    way(log_of(file))
    log, before = log_of(file).read_bytes(), file.read_bytes()
    for _ in range(3):
        assert EMPTIED in refused(settled)
        with pytest.raises(DatabaseLost), settled.read():
            pass
    assert (log_of(file).read_bytes(), file.read_bytes()) == (log, before)
    settled.close()
    assert file.read_bytes() == before
    for end in ("-wal", "-shm"):
        file.with_name(f"{file.name}{end}").rename(file.with_name(f"away{end}"))
    assert rows(file) == 1


@pytest.mark.parametrize("how", ["writes", "only ends", "zeros, writes", "zeros, ends alone"])
def test_what_was_settled_is_kept_and_well_however_it_ends(file: Path, how: str) -> None:
    """Also where nobody had noticed, and where the log is left as it is."""
    words = [sys.executable, "-c", LIFE, str(file), how]
    life = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (life.returncode, "Traceback" in life.stderr) == (0, False), life.stderr
    assert (EMPTIED in life.stdout) == ("writes" in how)
    assert rows(file) == 1


@pytest.mark.parametrize("way", WAYS)
def test_what_is_being_written_when_the_log_is_emptied_does_not_count(
    settled: Database, file: Path, way: Callable[[Path], None]
) -> None:
    class Emptying(ListedRuns):
        def enqueue(self, connection: sa.Connection, run: object) -> None:
            connection.exec_driver_sql("INSERT INTO zkagent_meta VALUES ('late', 'x')")
            way(log_of(file))

    with pytest.raises(DatabaseLost, match="emptied"):
        Store(settled, Emptying()).submit("alice", Request("ab" * 32, (99,)))
    assert b"late" not in log_of(file).read_bytes()


def test_the_engine_commits_nothing_behind_a_hole(settled: Database, file: Path) -> None:
    prepare_engine(settled)
    queue = EngineQueue(settled)
    submit(settled, 4)
    with queue._client._sys_db.engine.connect() as one:
        transaction = one.begin()
        one.exec_driver_sql("UPDATE zkagent_meta SET value = 'late'")
        empty(log_of(file))
        with pytest.raises(DatabaseLost, match="emptied"):
            transaction.commit()
        with pytest.raises(DatabaseLost, match="emptied"), settled.bare_engine.connect():
            pass
    assert b"late" not in log_of(file).read_bytes()
    queue.close()


def test_what_was_written_behind_the_hole_does_not_hide_it(opened: Database, file: Path) -> None:
    """By another program, or by one of ours just when the log was emptied."""
    with opened.write() as connection:
        connection.exec_driver_sql("CREATE TABLE of_theirs (x)")
    opened.settle()
    submit(opened, 1)
    empty(log_of(file))
    program = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO of_theirs VALUES (1)")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", program, str(file)], check=True)
    assert any(log_of(file).read_bytes())
    assert EMPTIED in refused(opened)


@pytest.mark.parametrize("way", [empty, cut, fill_with_zeros, write_another])
def test_who_begins_on_a_hole_commits_nothing_behind_it(
    opened: Database, file: Path, way: Callable[[Path], None]
) -> None:
    """As a command that is started while others have the log that was emptied."""
    with opened.write() as connection:
        connection.exec_driver_sql("CREATE TABLE of_theirs (x)")
    opened.settle()
    submit(opened, 1)
    submit(opened, 2)
    way(log_of(file))
    log, before = log_of(file).read_bytes(), file.read_bytes()
    begun = Database(f"sqlite:///{file}")
    for _ in range(2):
        with pytest.raises(DatabaseLost, match="emptied"), begun.write() as connection:
            connection.exec_driver_sql("INSERT INTO of_theirs VALUES (1)")
    begun.close()
    assert (log_of(file).read_bytes(), file.read_bytes()) == (log, before)
    assert EMPTIED in refused(opened)


@pytest.mark.parametrize("way", [empty, Path.unlink])
def test_nobody_waits_for_what_does_not_return(
    settled: Database, file: Path, way: Callable[[Path], None]
) -> None:
    """A process is stopped in the meantime, as the words say."""
    way(log_of(file))
    tried: list[int] = []

    def action() -> None:
        tried.append(1)
        submit(settled, 99)

    with pytest.raises(DatabaseLost):
        patiently(action)
    assert len(tried) == 1


def test_what_returns_is_waited_for(
    settled: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = file.with_name("away")
    file.rename(away)
    monkeypatch.setattr(database.time, "sleep", lambda _: away.exists() and away.rename(file))
    patiently(lambda: submit(settled, 99))
    assert not away.exists()


def refusal(name: str) -> sa.exc.OperationalError:
    error = sqlite3.OperationalError()
    error.sqlite_errorname = name
    return sa.exc.OperationalError("", {}, error)


def test_why_a_database_refuses_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    refusals = list(map(refusal, ["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_FULL", "SQLITE_FULL"]))

    def action() -> str:
        if refusals:
            raise refusals.pop()
        return "done"

    assert patiently(action) == "done"
    said = [record.getMessage() for record in caplog.records]
    assert ["SQLITE_FULL" in line for line in said] == [True, False]


def test_a_log_that_was_emptied_and_removed_is_not_called_saved(
    settled: Database, file: Path
) -> None:
    """In either order: who has it open can empty what has no name any more."""
    kept = file.with_name("kept")
    kept.hardlink_to(log_of(file))
    log_of(file).unlink()
    empty(kept)
    for _ in range(2):
        assert EMPTIED in refused(settled)
    assert not log_of(file).exists()
    assert list(file.parent.glob("*removed*")) == []


def test_a_log_that_is_removed_once_it_was_emptied_is_not_called_saved(
    settled: Database, file: Path
) -> None:
    empty(log_of(file))
    for _ in range(2):
        assert EMPTIED in refused(settled)
        log_of(file).unlink(missing_ok=True)
    assert not log_of(file).exists()


@pytest.mark.parametrize("mode", ["restart", "truncate"])
def test_a_log_of_which_nothing_counts_may_be_emptied(
    opened: Database, file: Path, mode: str
) -> None:
    """As SQLite does itself, for whoever asks it to."""
    for number in range(5):
        submit(opened, number)
        program = (
            "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()"
        )
        words = [sys.executable, "-c", program, str(file), f"PRAGMA wal_checkpoint({mode})"]
        subprocess.run(words, check=True)
        if mode == "truncate":
            empty(log_of(file))
    submit(opened, 99)
    with opened.read() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM zkagent_proof")).scalar() == 6


def test_a_database_that_was_closed_asks_for_nothing_beside_it(
    opened: Database, file: Path
) -> None:
    submit(opened, 1)
    opened.close()
    assert not log_of(file).exists()
    opened.check()
    submit(opened, 2)
    assert log_of(file).exists()
