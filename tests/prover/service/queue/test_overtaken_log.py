"""SQLite's log is removed while it is in use, and others come to the file before it is saved: what
they have written is not written over, and what ours held is not lost unsaid."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue import database
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.open_file import BESIDE
from zkagent.prover.service.queue.store import Store

#: Another program: does one thing with the file, says so, and has it open until it is told to end.
PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2].split("; "):
    connection.execute(statement).fetchall()
print("done", flush=True)
sys.stdin.read()
connection.close()
"""
WRITES = "INSERT INTO zkagent_meta VALUES ('theirs', 'x')"
MOVES = f"{WRITES}; PRAGMA wal_checkpoint(truncate)"  # into the file
READS = "SELECT * FROM zkagent_meta"


@contextmanager
def another(file: Path, statement: str) -> Iterator[None]:
    """Within: it has done that, and has the file open."""
    command = [sys.executable, "-c", PROGRAM, str(file), statement]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "done\n"
        yield
        process.communicate()


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def remove_both(file: Path) -> None:
    for end in BESIDE:
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)


def submit(opened: Database, number: int) -> None:
    Store(opened, ListedRuns()).submit("alice", Request("ab" * 32, (number,)))


def refused(opened: Database, number: int = 99) -> str:
    with pytest.raises(DatabaseLost) as caught:
        submit(opened, number)
    return str(caught.value)


#: In a process of its own: those of ours share what they have open.
COUNT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
print(connection.execute(f"SELECT count(*) FROM {sys.argv[2]}").fetchone()[0])
"""


def rows(file: Path, table: str = "zkagent_proof") -> int:
    """As the next start finds them, in a file that is well."""
    command = [sys.executable, "-c", COUNT, str(file), table]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SAVE_EVERY_S", 0)


@pytest.fixture
def held(opened: Database, file: Path) -> bytes:
    """What a log holds that acknowledged two proofs, the first of which is in the file, too."""
    submit(opened, 1)
    opened.settle()
    submit(opened, 2)
    return log_of(file).read_bytes()


def test_what_others_have_written_stays_and_ours_is_kept_beside_it(
    opened: Database, file: Path, held: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    remove_both(file)
    with another(file, WRITES):
        theirs, before = log_of(file).read_bytes(), file.read_bytes()
        said = {refused(opened) for _ in range(3)}
        assert (log_of(file).read_bytes(), file.read_bytes()) == (theirs, before)
        (aside,) = file.parent.glob("*-wal-removed-*")
        assert aside.read_bytes() == held
        assert aside.stat().st_mode & 0o777 == 0o600
    assert len(said) == 1
    message = said.pop()
    assert "what was acknowledged last is lost, but for what the file had already" in message
    assert f"It is kept as {aside} (docs/operating.md, A removed log); stop every" in message
    assert caplog.messages == [f"what the log held when it was removed is kept aside: {aside}"]


@pytest.mark.parametrize("left", [b"of an earlier incident", b"", "cut"])
def test_a_file_that_was_left_there_counts_as_ours_only_if_it_is(
    opened: Database, file: Path, held: bytes, left: bytes | str
) -> None:
    inode, salts = log_of(file).stat().st_ino, held[16:24].hex()
    names = [f"{file.name}-wal-removed-{end}" for end in (inode, salts)]
    for name in names:
        file.with_name(name).write_bytes(left if isinstance(left, bytes) else held[:-1])
    remove_both(file)
    with another(file, WRITES):
        for _ in range(2):
            assert f"It is kept as {file.with_name(names[1])} " in refused(opened)
            assert file.with_name(names[1]).read_bytes() == held
    assert file.with_name(names[0]).read_bytes() != held


def test_a_copy_that_is_there_is_not_written_again(
    opened: Database, file: Path, held: bytes
) -> None:
    remove_both(file)
    with another(file, WRITES):
        refused(opened)
        (aside,) = file.parent.glob("*-wal-removed-*")
        found = aside.stat()
        refused(opened)
        assert (aside.stat().st_ino, aside.stat().st_mtime_ns) == (found.st_ino, found.st_mtime_ns)


def test_what_is_kept_aside_stays_where_the_removed_log_is_emptied_then(
    opened: Database, file: Path, held: bytes
) -> None:
    kept = file.with_name("kept")
    kept.hardlink_to(log_of(file))
    remove_both(file)
    with another(file, WRITES):
        said = refused(opened)
        (aside,) = file.parent.glob("*-wal-removed-*")
        os.truncate(kept, 0)
        assert refused(opened) == said
        assert aside.read_bytes() == held


def test_what_others_wrote_behind_a_hole_with_our_index_does_not_make_ours_an_emptied_one(
    opened: Database, file: Path
) -> None:
    for number in range(3):
        submit(opened, number)
    opened.settle()
    with opened.write() as connection:
        connection.exec_driver_sql("CREATE TABLE of_theirs (x)")
    opened.settle()
    submit(opened, 3)
    held = log_of(file).read_bytes()
    log_of(file).unlink()
    with another(file, "INSERT INTO of_theirs VALUES (1)"):
        assert any(log_of(file).read_bytes())
        said = refused(opened)
    (aside,) = file.parent.glob("*-wal-removed-*")
    assert f"It is kept as {aside} " in said
    assert aside.read_bytes() == held


def test_a_clock_that_was_set_back_makes_nobody_change_the_file(
    opened: Database, file: Path, held: bytes
) -> None:
    """It was written before the log was removed, when the clock was ahead."""
    later = time.time() + 3600
    os.utime(file, (later, later))
    remove_both(file)
    assert "while in use: stop every" in refused(opened)
    assert log_of(file).read_bytes() == held


def test_ours_can_be_taken_instead_of_what_others_have_written(
    opened: Database, file: Path, held: bytes
) -> None:
    """As the manual says: while the file is the same."""
    remove_both(file)
    with another(file, WRITES):
        refused(opened)
        (aside,) = file.parent.glob("*-wal-removed-*")
        copy = file.with_name("elsewhere.sqlite")
        copy.write_bytes(file.read_bytes())
        log_of(copy).write_bytes(aside.read_bytes())
    assert rows(copy) == 2


@pytest.mark.parametrize("left", [True, False])
def test_ours_is_not_put_beside_a_file_that_others_have_changed(
    opened: Database, file: Path, held: bytes, left: bool
) -> None:
    """Before we noticed, even, and whether or not they have left an empty log."""
    remove_both(file)
    with another(file, MOVES):
        assert log_of(file).read_bytes() == b""
    if not left:
        remove_both(file)
    assert "is lost" in refused(opened)
    assert log_of(file).exists() == left
    assert rows(file, "zkagent_meta WHERE name = 'theirs'") == 1


def test_others_who_only_read_are_waited_for(opened: Database, file: Path, held: bytes) -> None:
    remove_both(file)
    with another(file, READS):
        said = refused(opened)
        assert "not saved yet (another program has the database open: end that): mend" in said
    assert "while in use: stop every" in refused(opened)
    assert log_of(file).read_bytes() == held
    assert rows(file) == 2


@pytest.mark.parametrize("ends", [("-wal",), ("-wal", "-shm")])
def test_an_empty_log_is_nobodys(
    opened: Database, file: Path, held: bytes, ends: tuple[str, ...]
) -> None:
    for end in ends:
        file.with_name(f"{file.name}{end}").unlink()
    for _ in range(2):  # also a second time
        log_of(file).unlink(missing_ok=True)
        log_of(file).touch()
        assert "while in use: stop every" in refused(opened)
        assert log_of(file).read_bytes() == held
    assert list(file.parent.glob("*removed*")) == []


def test_a_log_is_put_beside_its_own_file_alone(opened: Database, file: Path, held: bytes) -> None:
    """Not beside a backup that was put there, which it would damage; and it is, when the file
    comes back."""
    kept, backup = file.with_name("kept"), file.with_name("backup")
    backup.write_bytes(file.read_bytes())
    remove_both(file)
    file.rename(kept)
    backup.rename(file)
    for _ in range(2):
        assert "was replaced by another one while in use: put it back" in refused(opened)
        assert not log_of(file).exists()
    kept.replace(file)
    assert "-wal was removed while in use: stop every" in refused(opened)
    assert log_of(file).read_bytes() == held


def test_who_finds_it_saved_by_another_process_leaves_that_as_it_is(
    opened: Database, file: Path, held: bytes
) -> None:
    with contextlib.closing(Database(f"sqlite:///{file}")) as second:
        submit(second, 3)
        remove_both(file)
        refused(opened)
        saved = log_of(file).stat()
        assert "while in use: stop every" in refused(second)
        found = log_of(file).stat()  # whose time of reading changes
        assert (found.st_ino, found.st_mtime_ns) == (saved.st_ino, saved.st_mtime_ns)
        with another(file, WRITES):  # started again, it goes on
            assert "while in use: stop every" in refused(second)
            assert "while in use: stop every" in refused(opened)
        with another(file, MOVES.replace("theirs", "more")):
            assert "while in use: stop every" in refused(opened)
        remove_both(file)
        assert "while in use: stop every" in refused(opened)
        assert not log_of(file).exists()  # the file has gone on without what we have
    assert (rows(file), rows(file, "zkagent_meta WHERE name = 'theirs'")) == (3, 1)
    assert list(file.parent.glob("*removed*")) == []


def test_it_takes_no_hard_links(
    opened: Database, file: Path, held: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which FAT and some network's disks do not have."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    log_of(file).unlink()
    assert "-wal was removed while in use: stop every" in refused(opened)
    assert log_of(file).read_bytes() == held
