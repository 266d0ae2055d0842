"""Programs that the host named run, with words that no shell reads, and end in time."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.tool_calls import call
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.tools.shell import Program, ShellRules, shell_tool

ANY = r".*"
PROGRAMS = {
    "echo": Program("/bin/echo"),
    "cat": Program("/bin/cat", most=1),
    "env": Program("/usr/bin/env", most=0),
    "pwd": Program("/bin/pwd", most=0),
    "python": Program(sys.executable, ("-I", "-c"), ANY),
}


def tool_in(folder: Path, **more: Any) -> ToolDefinition:
    return shell_tool(ShellRules(PROGRAMS, folder, **more))


def ran(folder: Path, program: str, *words: str, **more: Any) -> dict[str, Any]:
    found = call(tool_in(folder, **more), {"program": program, "words": list(words)})
    assert isinstance(found.output, dict)
    assert found.ok is (found.output["exit_code"] == 0)
    return found.output


def test_a_program_is_run_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("hello")
    assert ran(tmp_path, "cat", "note") == {"exit_code": 0, "output": "hello", "errors": ""}
    assert ran(tmp_path, "pwd")["output"].strip() == str(tmp_path)


@pytest.mark.parametrize("word", ["$(id)", "`id`", "; id", "| cat", "> made", "*", "$HOME", "a\nb"])
def test_no_shell_reads_its_words(tmp_path: Path, word: str) -> None:
    assert ran(tmp_path, "echo", word)["output"] == f"{word}\n"
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_this_environment_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_SECRET", "hunter2")
    assert ran(tmp_path, "env")["output"] == ""
    assert ran(tmp_path, "env", environment={"A": "b"})["output"] == "A=b\n"


def test_what_it_reads_is_given_and_what_it_says_of_errors_kept(tmp_path: Path) -> None:
    found = call(tool_in(tmp_path), {"program": "cat", "input": "ä"})
    assert found.output == {"exit_code": 0, "output": "ä", "errors": ""}
    failed = ran(tmp_path, "python", "import sys; sys.exit('no')")
    assert (failed["exit_code"], failed["errors"]) == (1, "no\n")


@pytest.mark.parametrize(
    "given",
    [
        {"program": "sh"},
        {"program": "/bin/echo"},
        {"program": "echo", "words": ["-e"]},
        {"program": "cat", "words": ["a", "b"]},
        {"program": "echo", "words": ["a\0b"]},
        {"program": "echo", "words": "a"},
        {"program": "cat", "input": "x" * 11},
    ],
)
def test_other_programs_and_words_are_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ToolInputRefused):
        call(tool_in(tmp_path, input_bytes=10), given)


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    begins = (
        "import os, subprocess, time; p = subprocess.Popen(['/bin/sleep', '600']);"
        "open('new', 'w').write(str(p.pid)); os.rename('new', 'pid'); time.sleep(600)"
    )
    for timeout_s in (2.0, 20.0, 100.0):  # python has to start meanwhile
        began = time.monotonic()
        with pytest.raises(ToolTimeout):
            ran(tmp_path, "python", begins, timeout_s=timeout_s)
        assert time.monotonic() - began < timeout_s + 60
        if (tmp_path / "pid").exists():
            break
    assert_ended(int((tmp_path / "pid").read_text()))


def test_what_a_program_leaves_behind_is_ended(tmp_path: Path) -> None:
    leaves = (
        "import subprocess; n = subprocess.DEVNULL;"
        "p = subprocess.Popen(['/bin/sleep', '600'], stdin=n, stdout=n, stderr=n); print(p.pid)"
    )
    assert_ended(int(ran(tmp_path, "python", leaves)["output"]))


def assert_ended(pid: int) -> None:
    for _ in range(2400):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    pytest.fail("it still runs")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_says_too_much_is_ended(tmp_path: Path, stream: str) -> None:
    says = f"import sys\nwhile True: sys.{stream}.write('x' * 10000)"
    with pytest.raises(ToolFault, match="1,000 bytes"):
        ran(tmp_path, "python", says, output_bytes=1000)


def test_a_program_need_not_read_its_input(tmp_path: Path) -> None:
    given = {"program": "echo", "words": ["a"], "input": "x" * 200_000}
    assert call(tool_in(tmp_path), given).ok


@pytest.mark.parametrize(
    "program",
    [
        *map(Program, ("echo", "./echo", "/bin", "/none")),
        Program("/bin/cat", word="("),
    ],
)
def test_what_is_no_program_by_its_path_is_refused(tmp_path: Path, program: Program) -> None:
    with pytest.raises(AgentConfigRefused):
        shell_tool(ShellRules({"it": program}, tmp_path))


def test_a_tool_without_programs_or_folder_is_refused(tmp_path: Path) -> None:
    for rules in (ShellRules({}, tmp_path), ShellRules(PROGRAMS, tmp_path / "none")):
        with pytest.raises(AgentConfigRefused):
            shell_tool(rules)


def test_it_is_destructive_and_not_safe_by_default(tmp_path: Path) -> None:
    tool = tool_in(tmp_path)
    assert (tool.destructive, tool.safe_by_default, tool.honours_keys) == (True, False, False)
