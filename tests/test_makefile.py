"""`make` with a Python that is too old says so, and leaves nothing that the next one trips over."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TARGETS = (".venv/.installed-base", ".venv/.installed-dev")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def old_python(path: Path) -> Path:
    """It answers the question for its version, and does as it is told otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit 1\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def make(folder: Path, *words: str) -> str:
    """What it says, having failed."""
    done = subprocess.run(
        ["make", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 2
    return done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_an_old_python_makes_no_environment(target: str, folder: Path) -> None:
    old = old_python(folder / "old python" / "python3")
    for given in (f"PYTHON='{old}'", "PYTHON=no-such-python"):
        said = make(folder, target, given)
        assert "is no Python 3.11 or later, which zkagent needs" in said
        assert not (folder / ".venv").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_an_environment_of_an_old_python_is_named_with_its_remedy(
    target: str, folder: Path
) -> None:
    old_python(folder / ".venv/bin/python")
    said = make(folder, target)
    assert ".venv has no Python 3.11 or later, which zkagent needs: make clean" in said
    assert "installing" not in said
