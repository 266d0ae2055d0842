"""Ctrl-C while a command is still being loaded ends it like any other: 130, and one word."""

import subprocess
import sys
import tomllib

import pytest

from tests.support.checkout import ROOT

#: Raises what Ctrl-C does when the module of this name is imported.
INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, *others):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from zkagent.__main__ import main
sys.argv[1:] = ["--version"]
main()
"""


def python(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=ROOT, check=False, timeout=300
    )


@pytest.mark.parametrize("module", ["zkagent.executor", "click", "zkagent.executor.cli.main"])
def test_an_interruption_while_loading_is_told_in_a_word(module: str) -> None:
    done = python("-c", INTERRUPTED.replace("sys.argv[1]", repr(module), 1))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


#: The same, as Python 3.11 tells it of one that comes while a class is being made.
WRAPPED = """
class Field:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("module", ["zkagent.executor.cli.main", "zkagent.executor.cli.runs"])
def test_an_interruption_that_became_an_error_is_told_in_a_word(module: str) -> None:
    script = INTERRUPTED.replace("sys.argv[1]", repr(module), 1)
    script = script.replace("raise KeyboardInterrupt", "type('Made', (), {'field': Field()})")
    done = python("-c", WRAPPED + script.replace('"--version"', '"runs", "list"'))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_an_error_that_was_caused_otherwise_is_none() -> None:
    script = INTERRUPTED.replace("sys.argv[1]", repr("zkagent.executor.cli.runs"), 1)
    script = script.replace("raise KeyboardInterrupt", "raise RuntimeError('no')")
    done = python("-c", script.replace('"--version"', '"runs", "list"'))
    assert done.returncode == 70
    assert "RuntimeError: no" in done.stderr


def test_what_is_loaded_before_that_is_next_to_nothing() -> None:
    count = "import sys; b = set(sys.modules); import zkagent.__main__; print(set(sys.modules) - b)"
    done = python("-c", count)
    assert set(done.stdout.strip(" {}\n").replace("'", "").split(", ")) == {
        "zkagent",
        "zkagent.__main__",
        "zkagent.errors",
    }


def test_the_command_begins_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"zkagent": "zkagent.__main__:main"}
    assert python("-m", "zkagent", "--version").stdout.startswith("zkagent, version")
