"""Whether a log is as its index says, over random lives of several connections."""

import random
import sqlite3
from pathlib import Path

import pytest

from zkagent.prover.service.queue.identities import identity_at
from zkagent.prover.service.queue.log_index import LogIndex

CHECKPOINTS = ("passive", "full", "restart", "truncate")


def connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    for pragma in ("journal_mode=wal", "synchronous=off", "cache_size=5"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def write(connection: sqlite3.Connection, luck: random.Random) -> None:
    """Also more than fits into its cache, which is written before the end, and what is taken
    back."""
    connection.execute("BEGIN IMMEDIATE")
    for _ in range(luck.choice((1, 3, 40))):
        connection.execute(
            "INSERT INTO t (x) VALUES (?)", (luck.randbytes(luck.choice((9, 3000))),)
        )
    if luck.random() < 0.3:
        connection.execute("UPDATE t SET x = 'y' WHERE i % 7 = 0")
    if luck.random() < 0.3:
        connection.execute("SAVEPOINT s")
        connection.execute("DELETE FROM t WHERE i % 3 = 0")
        connection.execute("ROLLBACK TO s")
    connection.execute(luck.choice(("COMMIT", "COMMIT", "ROLLBACK")))


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_sqlite_keeps_its_log_as_its_index_says(tmp_path: Path, page_size: int) -> None:
    file, luck = tmp_path / "a.sqlite", random.Random(page_size)
    log, index = (tmp_path / f"a.sqlite-{end}" for end in ("wal", "shm"))
    with sqlite3.connect(file) as first:
        first.execute(f"PRAGMA page_size={page_size}")
        first.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, x)")
    first.close()
    connections = [connect(file) for _ in range(3)]
    said = 0
    for _ in range(200):
        chosen = luck.choice(connections)
        kind = luck.random()
        if kind < 0.7:
            write(chosen, luck)
        elif kind < 0.9:
            chosen.execute(f"PRAGMA wal_checkpoint({luck.choice(CHECKPOINTS)})").fetchall()
        elif kind < 0.95:
            chosen.execute(f"PRAGMA journal_size_limit={luck.choice((-1, 0, 100_000))}")
        else:
            connections.remove(chosen)
            chosen.close()
            connections.append(connect(file))
            connections[-1].execute("SELECT count(*) FROM t").fetchone()
        ours, beside = identity_at(log), identity_at(index)
        assert ours
        assert beside
        assert LogIndex(ours, beside).fits
        if LogIndex(ours, beside).counts:
            said += 1
            assert not LogIndex(beside, beside).fits
    assert said > 100
    for connection in connections:
        connection.close()


def test_what_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    anything = tmp_path / "anything"
    anything.write_bytes(bytes(range(200)))
    found = identity_at(anything)
    assert found
    assert LogIndex(found, found).fits  # nobody has it open
    with anything.open("rb"):
        assert LogIndex(found, found).fits  # no two equal headers
        assert not LogIndex(found, found).counts
