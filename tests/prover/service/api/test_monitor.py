"""What `/readyz` knows: clocks that are set, a database that hangs, disks without room."""

import asyncio
import time
from pathlib import Path

import pytest

from zkagent.prover.service.api.monitor import OVERDUE_S, Clock, Monitor
from zkagent.prover.service.queue.database import Database
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
    monkeypatch.setattr(Monitor, "_write", lambda _: time.sleep(1))
    monitor = Monitor(database, least_free_bytes=0)
    began = time.monotonic()
    health = asyncio.run(monitor.health())
    assert time.monotonic() - began < 5
    assert health.status == "not ready"
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + OVERDUE_S + 10)
    assert Cause.DATABASE in {trouble.cause for trouble in monitor.troubles}
    monkeypatch.undo()
    monitor.close()
    database.close()


def test_without_workers_it_is_not_ready_and_says_so(tmp_path: Path) -> None:
    database = opened(tmp_path)
    monitor = Monitor(database, least_free_bytes=0)
    health = asyncio.run(monitor.health())
    assert (health.status, health.workers) == ("not ready", 0)
    assert [trouble.cause for trouble in health.troubles] == [Cause.WORKERS]
    monitor.close()
    database.close()


def test_a_disk_without_room_and_a_folder_that_is_gone_are_troubles(tmp_path: Path) -> None:
    assert disk_trouble(tmp_path, 0) is None
    for folder, least in ((tmp_path, 1 << 60), (tmp_path / "gone", 0)):
        found = disk_trouble(folder, least)
        assert found
        assert found.cause is Cause.DISK
        assert str(folder) in found.detail
