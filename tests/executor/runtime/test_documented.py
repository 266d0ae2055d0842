"""docs/runtime.md and the README: what stands there of agents off chain runs, and prints what
stands below it."""

import ast
import inspect
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import MISSING
from pathlib import Path

import pytest

import zkagent
from tests.executor.runtime.adapters.chains import OnChain
from tests.support.checkout import DOCS, ROOT
from tests.support.processes import environment
from zkagent.executor import runtime

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


def test_a_proven_agent_on_a_chain_is_a_tool_as_documented(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the chain, which tests/executor/runtime/adapters/test_proven_agent.py has."""
    code, text = RUNTIME[2]
    monkeypatch.setattr(zkagent, "agent", lambda: nullcontext(OnChain()))
    exec(compile(code, "runtime.md", "exec"), {})
    assert capsys.readouterr().out == text


def test_the_readme_has_both_as_they_are_run_here() -> None:
    assert programs(ROOT / "README.md") == RUNTIME[:2]


TEXT = (DOCS / "runtime.md").read_text()


def test_every_switch_and_variable_is_one_that_the_code_has() -> None:
    sources = [path.read_text() for path in (ROOT / "executor").rglob("*.py")]
    sources += [path.read_text() for path in (ROOT / "prover").rglob("*.py")]
    sources += [path.read_text() for path in (ROOT / "circuits").rglob("*.py")]
    variables = set(re.findall(r"ZKAGENT_[A-Z_]+", TEXT))
    assert len(variables) >= 5
    assert {name for name in variables if not any(f'"{name}"' in text for text in sources)} == set()
    (call,) = re.findall(
        r"^permissions = (default_permissions\(.*?^\))", TEXT, re.DOTALL | re.MULTILINE
    )
    parsed = ast.parse(call).body[0]
    assert isinstance(parsed, ast.Expr)
    assert isinstance(parsed.value, ast.Call)
    known = set(inspect.signature(runtime.default_permissions).parameters)
    assert {keyword.arg for keyword in parsed.value.keywords} <= known


def test_every_flag_of_a_tool_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .+? \| ([^ :;|]+)[^|]*\|$", TEXT, re.MULTILINE))
    told = {"no": False, "none": (), "30": 30.0, '`"retry"`': None}
    flags = runtime.ToolDefinition.__dataclass_fields__
    defaults = {name: flag.default for name, flag in flags.items() if flag.default is not MISSING}
    assert {name: told[rows[name]] for name in defaults} == defaults


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+(?:\.\w+)?)\(", TEXT))))
def test_every_call_in_the_document_is_of_something_that_is_there(name: str) -> None:
    root, _, attribute = name.partition(".")
    sources = "\n".join(path.read_text() for path in (ROOT / "executor/runtime").rglob("*.py"))
    assert re.search(
        rf"^(?:\s*)(?:async def|def|class) {attribute or root}\b", sources, re.MULTILINE
    ) or (name in ELSEWHERE)


#: Of other frameworks, and of ours outside the runtime.
ELSEWHERE = {"ToolCallingAgent", "create_agent", "invoke", "zkagent.agent"}
