"""docs/runtime.md and the README: what stands there of agents off chain runs, and prints what
stands below it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import DOCS, ROOT
from tests.support.processes import environment

BLOCK = r"((?:(?!```).)*)```"
PROGRAM = re.compile(rf"```python\n{BLOCK}\n\n```text\n{BLOCK}", re.DOTALL)


def programs(document: Path) -> list[tuple[str, str]]:
    """Those of the runtime, with what they print."""
    found = PROGRAM.findall(document.read_text())
    return [(code, text) for code, text in found if "executor.runtime import" in code]


def printed(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines(code: str) -> int:
    return sum(1 for line in code.splitlines() if line.strip())


RUNTIME = programs(DOCS / "runtime.md")


def test_an_agent_answers_in_ten_lines_of_the_document(tmp_path: Path) -> None:
    code, text = RUNTIME[0]
    assert lines(code) < 10
    assert printed(code, tmp_path) == text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_proven_agent_runs_in_fifteen_lines_of_the_document(tmp_path: Path) -> None:
    code, text = RUNTIME[1]
    assert "ProvenPlanner()" in code
    assert lines(code) < 15
    assert printed(code, tmp_path) == text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.chain
def test_a_proven_agent_on_a_chain_is_a_tool_as_documented(tmp_path: Path) -> None:
    code, text = RUNTIME[2]
    assert "proven_agent(wallet" in code
    assert printed(code, tmp_path) == text


def test_the_readme_has_both_as_they_are_run_here() -> None:
    assert programs(ROOT / "README.md") == RUNTIME[:2]
