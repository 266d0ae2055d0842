"""Runs whose process is killed, at every boundary and within every call, and goes on in another."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.executor.runtime.durable.killing import RUN, SECRET
from tests.support.processes import environment
from zkagent.executor.runtime.durable.database import open_runs
from zkagent.executor.runtime.durable.kept import Whole
from zkagent.executor.runtime.durable.store import RunStore

RECORDS = "start 0.plan 0.begin.1 0.call.1 1.plan 1.begin.1 1.call.1 2.plan finish".split()
BOUNDARIES = [f"{side} {name}" for name in (*RECORDS, "end") for side in ("before", "after")]
CALLS = ["in pay", "in note"]
KILLED = -signal.SIGKILL

#: (folder, kind, points) -> how each attempt ended
Attempts = Callable[[Path, str, list[str]], list[int]]


@pytest.fixture(scope="module")
def attempts() -> Iterator[Attempts]:
    words = [sys.executable, "-m", "tests.executor.runtime.durable.killing"]
    pipe = subprocess.PIPE
    known = environment(ZKAGENT_RUNTIME_KEY="ab" * 32)
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=known) as process:
        assert process.stdin
        assert process.stdout
        answers = process.stdout

        def made(folder: Path, kind: str, points: list[str]) -> list[int]:
            assert process.stdin
            print(json.dumps([str(folder), kind, points]), file=process.stdin, flush=True)
            return list(json.loads(answers.readline()))

        yield made
        process.stdin.close()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZKAGENT_RUNTIME_KEY", "ab" * 32)


def came_to(folder: Path) -> list[Any]:
    """What does not depend on when it was."""
    result = json.loads((folder / "result.json").read_text())
    actions = [[action["state"], action["output"]] for action in result["actions"]]
    return [result["success"], result["result"], actions]


def effects(folder: Path) -> dict[str, int]:
    return {
        name: len(log.read_text().split()) if (log := folder / f"{name}.effects").exists() else 0
        for name in ("pay", "note")
    }


def kept(folder: Path) -> Whole:
    database = open_runs(folder / "runs.sqlite")
    try:
        return RunStore(database).whole(RUN)
    finally:
        database.close()


DONE = [["ok", "pay done"], ["ok", "note done"], ["ok", "done"]]


@pytest.mark.parametrize("point", [*BOUNDARIES, *CALLS])
def test_where_tools_honour_keys_all_comes_to_the_same_and_happens_once(
    attempts: Attempts, tmp_path: Path, point: str
) -> None:
    assert attempts(tmp_path, "keys", [point, ""])[0] == KILLED
    if point == "after end":  # it had ended: there is nothing to go on with
        assert kept(tmp_path).run.state == "finished"
    else:
        assert came_to(tmp_path) == [True, "done", DONE]
    assert effects(tmp_path) == {"pay": 1, "note": 1}
    whole = kept(tmp_path)
    assert whole.result is not None
    assert [event.number for event in whole.events] == list(range(whole.run.events))
    assert whole.events[-1].kind == "run_finished"


@pytest.mark.parametrize(
    ("point", "state", "paid"),
    [
        ("before 0.begin.1", "ok", 1),
        ("after 0.begin.1", "unknown", 0),
        ("in pay", "unknown", 1),
        ("before 0.call.1", "unknown", 1),
        ("after 0.call.1", "ok", 1),
    ],
)
def test_a_call_that_was_interrupted_is_unknown_where_keys_are_not_honoured(
    attempts: Attempts, tmp_path: Path, point: str, state: str, paid: int
) -> None:
    assert attempts(tmp_path, "fail", [point, ""]) == [KILLED, 0]
    success, _, actions = came_to(tmp_path)
    assert (success, actions[0][0]) == (True, state)
    assert effects(tmp_path) == {"pay": paid, "note": 1}


def test_a_call_whose_rule_is_retry_is_made_again(attempts: Attempts, tmp_path: Path) -> None:
    assert attempts(tmp_path, "retry", ["in pay", ""]) == [KILLED, 0]
    assert came_to(tmp_path) == [True, "done", DONE]
    assert effects(tmp_path) == {"pay": 2, "note": 1}


def test_a_call_whose_rule_is_ask_is_unknown_where_nobody_answers(
    attempts: Attempts, tmp_path: Path
) -> None:
    assert attempts(tmp_path, "ask", ["in pay", ""]) == [KILLED, 0]
    assert came_to(tmp_path)[2][0] == ["unknown", None]
    assert effects(tmp_path) == {"pay": 1, "note": 1}


def test_a_run_that_is_killed_again_and_again_comes_to_the_same(
    attempts: Attempts, tmp_path: Path
) -> None:
    assert set(attempts(tmp_path, "keys", BOUNDARIES[:-1])) == {KILLED}
    assert attempts(tmp_path, "keys", [""]) == [0]
    assert came_to(tmp_path) == [True, "done", DONE]
    assert effects(tmp_path) == {"pay": 1, "note": 1}


def test_a_run_that_ends_its_process_at_one_place_five_times_is_left_alone(
    attempts: Attempts, tmp_path: Path
) -> None:
    ends = attempts(tmp_path, "keys", ["in pay"] * 6)
    assert ends == [KILLED] * 5 + [1]
    run = kept(tmp_path).run
    assert run.state == "halted"
    assert run.reason == "its process ended 5 times with nothing new on record"


def test_nothing_of_a_run_can_be_read_in_any_file(attempts: Attempts, tmp_path: Path) -> None:
    """After a kill, so that the log of changes is there as well; nor the names of tables."""
    assert attempts(tmp_path, "keys", ["after 1.call.1"]) == [KILLED]
    found = [file for file in tmp_path.glob("runs.sqlite*") if file.read_bytes()]
    assert {file.name for file in found} == {"runs.sqlite-wal", "runs.sqlite-shm", "runs.sqlite"}
    for file in found:
        for text in (SECRET, "4111111111111111", "Pay ", "pay done", "zkagent_run", RUN, "clerk"):
            assert text.encode() not in file.read_bytes(), (file.name, text)
    assert SECRET in kept(tmp_path).run.task
