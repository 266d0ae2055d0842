"""What `/readyz` knows: clocks that are set, a database that hangs, disks without room."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.fleet import eventually
from zkagent.prover.service.api.metrics import Metrics
from zkagent.prover.service.api.monitor import OVERDUE_S, Clock, Monitor
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.tables import meta, workers
from zkagent.prover.service.queue.trouble import disk_trouble
from zkagent.prover.service.wire.states import Cause


def opened(folder: Path) -> Database:
    database = Database(f"sqlite:///{folder}/service.sqlite")
    database.prepare()
    return database


@pytest.mark.parametrize("seconds", [-86_400, -40, 40, 86_400])
def test_a_clock_that_is_set_is_noticed_and_one_that_runs_is_not(
    monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    clock = Clock()
    assert clock.look() is None
    monkeypatch.setattr(time, "time", lambda real=time.time: real() + seconds)
    found = clock.look()
    assert found
    assert found.cause is Cause.CLOCK
    assert f"set by {seconds:+d} s" in found.detail


def test_a_database_that_hangs_is_a_finding_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = opened(tmp_path)
    hangs = threading.Event()
    monkeypatch.setattr(Monitor, "_write", lambda _: hangs.wait(600))
    monitor = Monitor(database, least_free_bytes=0)
    began = time.monotonic()
    health = asyncio.run(monitor.health())
    assert time.monotonic() - began < 60
    assert health.status == "not ready"
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + OVERDUE_S + 10)
    assert Cause.DATABASE in {trouble.cause for trouble in monitor.troubles}
    monkeypatch.undo()
    hangs.set()
    monitor.close()
    database.close()


def test_a_row_that_nobody_foresaw_is_a_finding_for_as_long_as_it_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = opened(tmp_path)
    row = {"id": "x", "host": "h", "pid": 1, "slots": 1, "state": "alive", "beats": 1}
    row |= {"memory_bytes": 0, "children_bytes": 0, "circuits": "no JSON", "troubles": "[]"}
    with database.write() as connection:
        now = database.now(connection)
        connection.execute(sa.insert(workers).values(**row, started_at=now, seen_at=now))
    monitor = Monitor(database, least_free_bytes=0)

    def details() -> list[str]:
        found = asyncio.run(monitor.health()).troubles
        return [trouble.detail for trouble in found if trouble.cause is Cause.DATABASE]

    assert details() == ["what it holds cannot be read (JSONDecodeError)"] == details()
    assert [record.message for record in caplog.records] == [
        "a look at the database failed, trying again"
    ]
    with database.write() as connection:
        connection.execute(sa.delete(workers))
    eventually(lambda: not details())
    monitor.close()
    database.close()


def test_tables_of_another_version_under_a_service_are_not_ready(tmp_path: Path) -> None:
    database = opened(tmp_path)
    with database.write() as connection:
        schema = meta.c.name == "schema"
        connection.execute(sa.update(meta).where(schema).values(value="999"))
    monitor = Monitor(database, least_free_bytes=0)
    health = asyncio.run(monitor.health())
    monitor.close()
    database.close()
    assert health.status == "not ready"
    assert "version 999 now, this service reads" in health.detail


def test_without_workers_it_is_not_ready_and_says_so(tmp_path: Path) -> None:
    database = opened(tmp_path)
    monitor = Monitor(database, least_free_bytes=0)
    health = asyncio.run(monitor.health())
    assert (health.status, health.workers) == ("not ready", 0)
    assert [trouble.cause for trouble in health.troubles] == [Cause.WORKERS]
    monitor.close()
    database.close()


def test_workers_who_all_died_count_as_none_though_nobody_says_so_in_the_table(
    tmp_path: Path,
) -> None:
    database = opened(tmp_path)
    row = {"id": "w" * 32, "host": "h", "pid": 1, "slots": 2, "state": "alive", "circuits": "[]"}
    with database.write() as connection:
        connection.execute(sa.insert(workers).values(row | {"started_at": 0.0, "seen_at": 0.0}))
    monitor = Monitor(database, least_free_bytes=0)
    asyncio.run(monitor.health())
    text = Metrics(database, monitor).render().decode()
    assert "\nzkagent_workers 0.0\n" in text
    assert "\nzkagent_slots 0.0\n" in text
    monitor.close()
    database.close()


def test_a_disk_without_room_and_a_folder_that_is_gone_are_troubles(tmp_path: Path) -> None:
    assert disk_trouble(tmp_path, 0) is None
    for folder, least in ((tmp_path, 1 << 60), (tmp_path / "gone", 0)):
        found = disk_trouble(folder, least)
        assert found
        assert found.cause is Cause.DISK
        assert str(folder) in found.detail
