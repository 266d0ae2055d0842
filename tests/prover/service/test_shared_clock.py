"""Times in the database are by one clock: no machine's own ends anything early on Postgres."""

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

import zkagent.prover.service
from tests.support.clocks import set_clock
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import DAY_S, Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.sweeper import Sweeper

WANTED = Request("ab" * 32, (1, 2, 3))
on_postgres = pytest.mark.parametrize("database", ["postgres"], indirect=True)

#: Who may look at this machine's clock, and what for.
OWN_CLOCK = {
    "api/monitor.py": "whether it is set",
    "queue/database.py": "beside an SQLite file it is the one that all share",
    "queue/removed_log.py": "against times that the disk of this machine wrote",
    "queue/wake.py": "the age of files on this machine",
    "worker/callbacks.py": "signatures: receivers hold them against their own",
}


@pytest.fixture
def finished(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that was finished just now, for who thinks that it is forty days later."""
    store.submit("alice", WANTED)
    with store.database.write() as connection:
        values = {"state": State.DONE, "finished_at": store.database.now(connection)}
        connection.execute(sa.update(proofs).values(values))
    monkeypatch.setattr(time, "time", lambda real=time.time: real() + 40 * DAY_S)


class Forgetful:
    """Engine's records and roster: what they were told to forget."""

    def __init__(self) -> None:
        self.before: list[float] = []

    def forget(self, before: float) -> int:
        self.before.append(before)
        return 0


@on_postgres
def test_a_worker_whose_clock_is_ahead_forgets_nothing_early(store: Store, finished: None) -> None:
    told = Forgetful()
    Sweeper(store, told, told, 30 * DAY_S).purge()  # type: ignore[arg-type]
    assert state(store.database) == [State.DONE]
    now = store.in_seconds(0)
    assert told.before == pytest.approx([now - 30 * DAY_S, now - DAY_S], abs=60)


@on_postgres
def test_an_operator_whose_clock_is_ahead_forgets_nothing_early(
    store: Store, finished: None, tmp_path: Path
) -> None:
    url = store.database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    words = [sys.executable, "-m", "zkagent", "jobs", "purge", "--yes", "--days", "7"]
    words += ["--database", url]
    ahead = set_clock(tmp_path, "operator", 40 * DAY_S).environment
    environment = {**os.environ, "ZKAGENT_HOME": str(tmp_path), **ahead}
    said = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    assert said.stdout == "0 proofs forgotten\n"
    assert state(store.database) == [State.DONE]


@on_postgres
def test_keys_are_made_and_revoked_by_the_clock_that_all_share(
    database: Database, finished: None
) -> None:
    key = Keys(database).create("alice").split("_")[1]
    Keys(database).revoke(key)
    (record,) = Keys(database).all()
    assert record.revoked_at
    assert record.created_at <= record.revoked_at < time.time() - 39 * DAY_S


def test_nobody_else_looks_at_a_machines_own_clock() -> None:
    root = Path(zkagent.prover.service.__file__).parent
    jobs = root.parent.parent / "executor" / "cli" / "jobs.py"
    found = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if looks(path)}
    assert found == set(OWN_CLOCK)
    assert not looks(jobs)


def looks(path: Path) -> bool:
    """Whether a file calls the wall clock, under whatever name it was imported."""
    tree = ast.parse(path.read_text())
    names = {
        (n.value.id, n.attr)
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    imported = {
        (n.module, a.name) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names
    }
    clocks = {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("datetime", "utcnow")}
    return bool((names | imported) & clocks)


def state(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(sa.select(proofs.c.state)).scalars())
