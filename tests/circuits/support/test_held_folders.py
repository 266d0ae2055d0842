"""Temporary folders of helpers: what a kill leaves is removed, and nothing else is."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import environment
from zkagent.circuits.support.held_folders import BEGIN, MARK, HeldFolder, remove_left

MODULE = "tests.circuits.support.odd_child"
#: A helper whose child holds the interpreter lock, as one that proves does.
WORKING = f"""
import sys, time
from zkagent.circuits.support.child_process import ChildProcess
child = ChildProcess("{MODULE}", [])
(child._folder.path / "tmp1").mkdir()
(child._folder.path / "tmp1" / "input.json").write_text("features")
child.send({{"do": "hold the lock"}})
child.receive(20)
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def sweep(folder: Path) -> None:
    """As another process would."""
    remove_left.cache_clear()
    remove_left(str(folder))


def left(place: Path) -> Path:
    """A folder as a killed process leaves it, with what lay in it."""
    folder = HeldFolder()
    (folder.path / "log").write_text("words")
    (folder.path / "tmp1").mkdir()
    (folder.path / "tmp1" / "witness.json").write_text("features")
    folder._folder._finalizer.detach()  # type: ignore[attr-defined]
    os.close(folder._lock)
    return folder.path


def working(place: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-c", WORKING]
    given = environment(TMPDIR=place)
    return subprocess.Popen(words, stdout=subprocess.PIPE, env=given, text=True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the child ends later")
def test_what_a_killed_process_leaves_is_removed_by_a_later_one_and_not_before(place: Path) -> None:
    with working(place) as parent:
        assert parent.stdout
        assert parent.stdout.readline()
        (folder,) = place.iterdir()
        sweep(place)
        assert (folder / "tmp1" / "input.json").exists()
        os.kill(parent.pid, signal.SIGSTOP)
        sweep(place)
        assert folder.exists()
        parent.kill()
        parent.wait(120)
        for _ in range(6000):  # its child ends by itself
            sweep(place)
            if not folder.exists():
                break
            time.sleep(0.02)
        assert list(place.iterdir()) == []


def test_a_folder_of_ours_is_in_use_until_it_is_removed(place: Path) -> None:
    folder = HeldFolder()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    sweep(place)
    assert folder.path.is_dir()
    folder.remove()
    folder.remove()
    assert list(place.iterdir()) == []


def test_what_is_left_is_removed_as_a_whole_and_once_in_a_process(place: Path) -> None:
    first = left(place)
    sweep(place)
    assert not first.exists()
    second = left(place)
    remove_left(str(place))
    assert second.exists()


def unmarked(folder: Path) -> None:
    (folder / MARK).unlink()


def of_another_machine(folder: Path) -> None:
    (folder / MARK).write_text("another")


def for_others(folder: Path) -> None:
    folder.chmod(0o755)


def renamed(folder: Path) -> None:
    folder.rename(folder.with_name(BEGIN + "my-notes"))


def with_a_mark_that_is_a_link(folder: Path) -> None:
    real = folder.parent / "mark"
    (folder / MARK).rename(real)
    (folder / MARK).symlink_to(real)


def with_a_mark_that_is_a_pipe(folder: Path) -> None:
    (folder / MARK).unlink()
    os.mkfifo(folder / MARK)


@pytest.mark.parametrize(
    "changed",
    [
        unmarked,
        of_another_machine,
        for_others,
        renamed,
        with_a_mark_that_is_a_link,
        with_a_mark_that_is_a_pipe,
    ],
)
def test_what_is_not_ours_for_sure_stays(place: Path, changed: Callable[[Path], None]) -> None:
    changed(left(place))
    before = sorted(place.rglob("*"))
    sweep(place)
    assert sorted(place.rglob("*")) == before


def test_what_is_another_account_s_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left(place)
    monkeypatch.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
    sweep(place)
    assert (folder / "log").exists()


def test_links_are_neither_followed_nor_emptied(place: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("kept")
    folder = left(place)
    (folder / "link").symlink_to(elsewhere)
    (folder / "tmp1" / "link").symlink_to(elsewhere)
    other = left(place)
    other.rename(tmp_path / "moved")
    other.symlink_to(tmp_path / "moved")
    sweep(place)
    assert not folder.exists()
    assert (elsewhere / "mine").read_text() == "kept"
    assert (tmp_path / "moved" / "log").exists()


def test_where_nothing_can_be_locked_nothing_is_ever_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(number: int, how: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", none)
    folder = left(place)
    monkeypatch.undo()
    sweep(place)
    assert folder.is_dir()
