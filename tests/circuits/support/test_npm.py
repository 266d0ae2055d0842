"""Which Node.js is taken, and how long one that hangs is waited for."""

import time
from pathlib import Path

import pytest

from zkagent.circuits.support import npm
from zkagent.circuits.support.npm import find_node, run_npm


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


def test_node_and_npm_get_none_of_our_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given"
    script = f'[ "$1" = --version ] && echo v20.1.0\nenv >> {given}'
    stand_in(tmp_path, monkeypatch, script)
    for name in ("ZKAGENT_KEY_PASSWORD", "ZKAGENT_DATABASE", "ZKAGENT_RPC", "ZKAGENT_ANYTHING"):
        monkeypatch.setenv(name, "s3cr3t")
    monkeypatch.setenv("NOBODY_S_SETTING", "kept")
    run_npm(find_node(), tmp_path, "ci", "nothing")
    seen = given.read_text()
    assert seen.count("NOBODY_S_SETTING=kept") == 2
    assert "s3cr3t" not in seen


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
    stand_in(tmp_path, monkeypatch, "exec sleep 600")
    monkeypatch.setattr(npm, "NODE_S", 0.5)
    began = time.monotonic()
    assert find_node().executable != tmp_path / "node"
    assert time.monotonic() - began < 60
