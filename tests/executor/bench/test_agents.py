"""The benchmark of agents' loops: both do the same work, and what is measured is told."""

import json
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from zkagent.executor.bench.agents import (
    Loop,
    Measured,
    measured,
    ours,
    ours_kept,
    smolagents,
    table,
)
from zkagent.executor.errors import BenchError
from zkagent.executor.runtime import AllowAll
from zkagent.executor.runtime.durable.database import usual_file

QUICK = Measured("quick", (0.003, 0.001, 0.002))


def test_each_loop_runs_in_turns_and_answers_the_same() -> None:
    turns: list[str] = []

    def loop(name: str) -> int:
        turns.append(name)
        return 42

    found = measured({"a": lambda: loop("a"), "b": lambda: loop("b")}, runs=2)
    assert [len(one.seconds) for one in found] == [2, 2]
    assert turns == ["a", "b"] * 5


def test_a_loop_with_another_answer_is_refused() -> None:
    with pytest.raises(BenchError, match="wrong answered 41, not 42"):
        measured({"right": lambda: 42, "wrong": lambda: 41}, runs=1)


def test_our_loop_and_smolagents_come_to_the_same() -> None:
    loops = {"ours": ours(), "free": ours(permissions=AllowAll()), "smolagents": smolagents()}
    assert [each.name for each in measured(loops, runs=1)] == ["ours", "free", "smolagents"]


def test_medians_make_the_table() -> None:
    assert (QUICK.median_s, QUICK.runs_a_second) == (0.002, 500)
    assert QUICK.step_ms == pytest.approx(2 / 3)
    lines = table([QUICK, Measured("slow", (0.004,))]).splitlines()
    assert lines[1].split() == ["quick", "500", "2.00", "0.67", "1.00"]
    assert lines[2].split() == ["slow", "250", "4.00", "1.33", "2.00"]


def test_runs_are_kept_where_runs_usually_are_and_nothing_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in a folder for temporary files, which may be in memory."""
    folders: list[Path] = []

    def recorded(folder: Path) -> AbstractContextManager[Loop]:
        folders.append(folder)
        return ours_kept(folder)

    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    monkeypatch.setattr("zkagent.executor.bench.agents.ours_kept", recorded)
    assert exit_code("bench", "runtime", "--runs", 1, "--alone") == 0
    assert [folder.parent for folder in folders] == [usual_file().parent]
    assert list(usual_file().parent.iterdir()) == []


def test_the_command_prints_a_table_or_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    assert exit_code("bench", "runtime", "--runs", 2, "--alone", "--json") == 0
    memory, kept = json.loads(capsys.readouterr().out)
    assert (memory["name"], kept["name"], kept["runs"]) == ("in memory", "kept", 2)
    assert exit_code("bench", "runtime", "--runs", 2) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:12].strip() for line in lines] == ["loop", "in memory", "kept", "smolagents"]
