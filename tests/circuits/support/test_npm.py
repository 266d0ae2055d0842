"""Which Node.js is taken, and how long one that hangs is waited for."""

import time
from pathlib import Path

import pytest

from zkagent.circuits.support import npm
from zkagent.circuits.support.npm import find_node


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A Node.js that notes each time that it is started; the file with the notes."""
    notes = folder / "notes"
    notes.touch()
    for name in ("node", "npm"):
        (folder / name).write_text(f"#!/bin/sh\necho x >> {notes}\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return notes


def test_one_that_is_recent_enough_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = stand_in(tmp_path, monkeypatch, "echo v20.1.0")
    assert {find_node().executable for _ in range(3)} == {tmp_path / "node"}
    assert notes.read_text() == "x\n"


def test_one_that_is_too_old_may_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "echo v12.22.9")
    assert find_node().executable != tmp_path / "node"
    stand_in(tmp_path, monkeypatch, "echo v20.1.0")
    assert find_node().executable == tmp_path / "node"


def test_one_that_hangs_is_ended_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "exec sleep 60")
    monkeypatch.setattr(npm, "NODE_S", 0.5)
    began = time.monotonic()
    assert find_node().executable != tmp_path / "node"
    assert time.monotonic() - began < 10
