"""A project folder to work in and a user's file outside of it."""

from pathlib import Path

import pytest


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file; empty."""
    path = tmp_path / "user" / "zkagent.toml"
    path.parent.mkdir()
    path.touch()
    monkeypatch.setenv("ZKAGENT_CONFIG", str(path))
    return path


@pytest.fixture
def project(tmp_path: Path, user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's file, not there yet; the working directory is a folder below it."""
    path = tmp_path / "project" / "zkagent.toml"
    (path.parent / "below").mkdir(parents=True)
    monkeypatch.chdir(path.parent / "below")
    return path
