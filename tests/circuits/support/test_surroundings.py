"""Every program of others is started without our settings in its environment."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from zkagent.circuits.support.surroundings import without_settings

#: Ours, which take our settings: Python with a module of this package.
OWN = {"circuits/support/child_process.py", "executor/bench/service.py"}
#: Made of `without_settings` where they are.
NAMED = {"without_settings()", "env=environment", "env=self._environment()"}
#: What is asked about the machine.
SYSTEM = {"executor/bench/machine.py"}
BECOMES = """
import os, sys
from zkagent.circuits.support.child_process import become
watched, held = os.pipe()
os.set_inheritable(held, True)
become(watched, ["/usr/bin/env"])
"""


def test_settings_are_left_out_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    before = without_settings()
    assert before.items() <= os.environ.items()
    assert all(name.startswith("ZKAGENT_") for name in os.environ.keys() - before.keys())
    monkeypatch.setenv("ZKAGENT_KEY", "s3cr3t")
    assert without_settings() == before


def test_what_takes_the_place_of_a_child_gets_none() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BECOMES],
        env={**os.environ, "ZKAGENT_KEY_PASSWORD": "s3cr3t", "NOBODY_S": "kept"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert "NOBODY_S=kept" in done.stdout
    assert "s3cr3t" not in done.stdout


STARTS = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "system", "popen"}


def started(path: Path) -> Iterator[str]:
    """The calls in a file that start a program."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module, name = ast.unparse(node.func.value), node.func.attr
            starts = name in STARTS or name.startswith(("exec", "spawn", "posix_spawn"))
            if module in ("subprocess", "os") and starts:
                yield ast.unparse(node)


def test_nothing_else_is_started_with_the_whole_environment() -> None:
    packages = ("circuits", "executor", "models", "prover", "verifier_contracts")
    files = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    whole, found = set(), 0
    for path in files:
        for call in started(path):
            found += 1
            if not any(each in call for each in NAMED):
                whole.add(str(path.relative_to(ROOT)))
    assert found >= 7
    assert whole == OWN | SYSTEM
