"""Wake-ups by named pipes: who begins to listen is not taken for dead."""

import os
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.fleet import eventually, postgres
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.wake import LEFT_BEHIND_S, WORK, PipeWake, PostgresWake

Heard = queue.Queue[tuple[str, str]]


@contextmanager
def listening(folder: Path) -> Iterator[Heard]:
    heard: Heard = queue.Queue()
    wake = PipeWake(folder)
    wake.listen(lambda topic, subject: heard.put((topic, subject)))
    yield heard
    wake.close()


def test_a_listener_that_is_only_beginning_is_not_taken_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody sends at the worst moment: the pipe is there, and its reader is not yet."""
    sender, make = PipeWake(tmp_path / "wake"), os.mkfifo

    def made(path: Path, mode: int) -> None:
        make(path, mode)
        sender.send(WORK, "too early")

    monkeypatch.setattr(os, "mkfifo", made)
    with listening(tmp_path / "wake") as heard:
        sender.send(WORK, "in time")
        assert heard.get(timeout=120) == (WORK, "in time")


def test_pipes_of_the_dead_are_removed(tmp_path: Path) -> None:
    """Of those that were killed in their work, and of those that were killed as they began."""
    wake = PipeWake(tmp_path / "wake")
    dead, stillborn, beginning = (tmp_path / "wake" / name for name in ("1-a", ".2-b", ".3-c"))
    for path in (dead, stillborn, beginning):
        os.mkfifo(path)
    old = stillborn.stat().st_mtime - LEFT_BEHIND_S - 10
    os.utime(stillborn, (old, old))
    wake.send(WORK)
    with listening(tmp_path / "wake"):
        assert not dead.exists()
        assert not stillborn.exists()
        assert beginning.exists()


def test_a_hint_is_written_into_nothing_but_pipes(tmp_path: Path) -> None:
    """Who made the folder may have put others' files there, or links to them."""
    wake, key = PipeWake(tmp_path / "wake"), tmp_path / "key"
    key.write_text("0123456789abcdef")
    (tmp_path / "wake" / "1-link").symlink_to(key)
    (tmp_path / "wake" / "2-hard").hardlink_to(key)
    with listening(tmp_path / "wake") as heard:
        wake.send(WORK, "all the same")
        assert heard.get(timeout=120) == (WORK, "all the same")
    assert key.read_text() == "0123456789abcdef"


def test_who_listens_on_postgres_is_woken() -> None:
    """Polling would hide a connection that is never made."""
    with postgres() as url:
        database = Database(url)
        database.prepare()
        heard: Heard = queue.Queue()
        wake = PostgresWake(database)
        wake.listen(lambda topic, subject: heard.put((topic, subject)))

        def is_heard() -> bool:
            wake.send(WORK, "now")
            return not heard.empty()

        eventually(is_heard)
        assert heard.get() == (WORK, "now")
        wake.close()
        database.close()
