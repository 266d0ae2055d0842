"""What a log has that another one does not, frame by frame."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from zkagent.prover.service.queue.other_log import Lies, compare

HEADER, FRAME = 32, 24 + 4096


def log_of(file: Path, statements: list[str]) -> bytes:
    """Of a connection that does that, after what the file has already."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=wal")
        for statement in statements:
            connection.execute(statement)
        shutil.copy(file, file.with_name(f"{file.name}-open"))
        return file.with_name(f"{file.name}-wal").read_bytes()


@pytest.fixture
def ours(tmp_path: Path) -> bytes:
    found = log_of(tmp_path / "a", ["CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"])
    assert len(found) == HEADER + 3 * FRAME
    return found


def found(folder: Path, ours: bytes, theirs: bytes | None) -> Lies:
    held, other = folder / "ours", folder / "theirs"
    held.write_bytes(ours)
    if theirs is not None:
        other.write_bytes(theirs)
    with held.open("rb") as log:
        return compare(log, other)


def test_what_ends_no_transaction_is_nothing(tmp_path: Path, ours: bytes) -> None:
    theirs = log_of(tmp_path / "b", ["CREATE TABLE t (x)"])
    begun = theirs[: HEADER + FRAME]  # the first of two pages
    assert not any(begun[HEADER + 4 : HEADER + 8])
    cut = theirs[:-1]
    for nothing in (None, b"", ours[:20], ours[:HEADER], theirs[:HEADER], begun, cut):
        assert found(tmp_path, ours, nothing) is Lies.NOTHING
    for nothing in (bytes(len(ours)), ours[: HEADER + 2 * FRAME], ours[:-1]):
        assert found(tmp_path, ours, nothing) is Lies.NOTHING


def with_header(log: bytes, *, checkpoints: int, first_salt: int) -> bytes:
    """Of the header and of each frame, as far as they are compared."""
    salts = first_salt.to_bytes(4) + b"salt"
    fresh = bytearray(log)
    fresh[12:24] = checkpoints.to_bytes(4) + salts
    for offset in range(HEADER, len(log), FRAME):
        fresh[offset + 8 : offset + 16] = salts
    return bytes(fresh)


@pytest.mark.parametrize("first_salt", [0, 0x12345678, 0xFFF00000, 0xFFFFF000, 0xFFFFFFFF])
def test_nothing_is_nothing_whatever_the_salts_of_ours(
    tmp_path: Path, ours: bytes, first_salt: int
) -> None:
    log = with_header(ours, checkpoints=0, first_salt=first_salt)
    zeros = (bytes(size) for size in (1, 20, HEADER, HEADER + FRAME, len(ours)))
    for nothing in (None, b"", log[:20], log[:HEADER], *zeros):
        assert found(tmp_path, log, nothing) is Lies.NOTHING


def test_what_was_begun_by_others_is_theirs_whatever_its_salts(tmp_path: Path, ours: bytes) -> None:
    """SQLite draws them by lot, and they can be near ours; it has no checkpoint number then."""
    log = with_header(ours, checkpoints=3, first_salt=1000)
    for salt, checkpoints in ((1001, 0), (5096, 0), (5097, 1), (999, 4), (1 << 31, 1)):
        theirs = with_header(ours, checkpoints=checkpoints, first_salt=salt)
        assert found(tmp_path, log, theirs) is Lies.OTHERS, (salt, checkpoints)
    for salt, checkpoints in ((1001, 4), (1001, 1), (5096, 9)):
        theirs = with_header(ours, checkpoints=checkpoints, first_salt=salt)
        assert found(tmp_path, log, theirs) is Lies.OURS, (salt, checkpoints)


def test_what_others_ended_is_theirs(tmp_path: Path, ours: bytes) -> None:
    theirs = log_of(tmp_path / "b", ["CREATE TABLE t (x)"])
    assert found(tmp_path, ours, theirs) is Lies.OTHERS
    behind_a_hole = bytes(len(ours)) + ours[-FRAME:]
    assert found(tmp_path, ours, behind_a_hole) is Lies.OTHERS
    shutil.copy(tmp_path / "a-open", tmp_path / "c")  # an older copy of both, which went on
    (tmp_path / "c-wal").write_bytes(ours[: HEADER + 2 * FRAME])
    forked = log_of(tmp_path / "c", ["INSERT INTO t VALUES (2)"])
    assert forked[:HEADER] == ours[:HEADER]
    assert found(tmp_path, ours, forked) is Lies.OTHERS


def test_what_has_all_of_ours_is_ours(tmp_path: Path, ours: bytes) -> None:
    assert found(tmp_path, ours, ours) is Lies.OURS
    shutil.copy(tmp_path / "a-open", tmp_path / "c")
    (tmp_path / "c-wal").write_bytes(ours)
    went_on = log_of(tmp_path / "c", ["INSERT INTO t VALUES (2)"])
    assert found(tmp_path, ours, went_on) is Lies.OURS
    shutil.copy(tmp_path / "a-open", tmp_path / "d")
    (tmp_path / "d-wal").write_bytes(ours)
    words = ["PRAGMA wal_checkpoint(restart)", "INSERT INTO t VALUES (3)"]
    begun_anew = log_of(tmp_path / "d", words)
    assert begun_anew[16:24] != ours[16:24]
    assert found(tmp_path, ours, begun_anew) is Lies.OURS
    # what an earlier round has left behind the frames that count is nobody's
    assert found(tmp_path, begun_anew, begun_anew[: HEADER + FRAME]) is Lies.OURS
    assert found(tmp_path, b"", ours) is Lies.OURS
