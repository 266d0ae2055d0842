"""What results say of where they were measured."""

import subprocess
from pathlib import Path

import pytest

from zkagent.executor.bench import machine


def test_an_installed_copy_in_somebody_s_checkout_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "theirs" / ".venv", tmp_path / "theirs"
    ours.mkdir(parents=True)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "theirs")):
        subprocess.run(["git", "-C", str(theirs), *words], check=True)
    monkeypatch.setattr(machine, "ROOT", theirs)
    assert machine.versions()["commit"]
    monkeypatch.setattr(machine, "ROOT", ours)
    assert "commit" not in machine.versions()
