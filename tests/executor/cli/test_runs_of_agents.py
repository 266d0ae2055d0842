"""`zkagent runs` for agents off chain, each command called as a user does."""

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.fleet import eventually
from tests.support.processes import environment
from tests.support.runs_of_agents import AGENTS, home_of_agents, start, waiting
from zkagent.executor.cli.runs_options import Given
from zkagent.executor.runtime.durable.database import open_runs
from zkagent.executor.runtime.durable.store import RunStore
from zkagent.prover.durable.encrypted import new_key


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home_of_agents(tmp_path, monkeypatch)


Begin = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Starts a run in a process of its own, which ends with the test."""
    children: list[subprocess.Popen[str]] = []

    def started(agent: str, *more: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "zkagent", "runs", "start", "agents.py", "--agent", agent]
        child = subprocess.Popen(
            [*words, "--json", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        children.append(child)
        return child

    yield started
    for child in children:
        child.kill()
        child.communicate()


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert exit_code("runs", "list", "--json", *words) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_a_run_prints_its_answer_and_on_stderr_what_it_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("runs", "start", "agents.py", "--agent", "looker") == 0
    printed = capsys.readouterr()
    assert printed.out == "done-93\n"
    assert "tool_returned" in printed.err
    assert "found-91" not in printed.err
    (run,) = listed(capsys)
    assert (run["agent"], run["state"], run["steps"], run["kind"]) == ("looker", "done", 2, "agent")


def test_a_run_is_given_its_task_and_parameters_and_answers_in_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("start", "agents.py", "say {what}", "--agent", "echo", "--param", "what=a=b", "--json")
    assert exit_code("runs", *words) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["result"] == {"said": "say a=b", "what": "a=b"}


def test_in_memory_nothing_is_kept(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    assert exit_code("runs", "start", "agents.py", "--agent", "echo", "--in-memory") == 0
    assert capsys.readouterr().out == '{"said": "As echo."}\n'
    assert listed(capsys) == []
    assert not (place / "home").exists()


def test_a_run_that_fails_ends_the_command_with_its_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("runs", "start", "agents.py", "--agent", "lost") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith("error: no finish within 1 steps")
    (run,) = listed(capsys, "--agent", "lost")
    assert (run["state"], run["error"]) == ("failed", "steps_exhausted")
    assert listed(capsys, "--kind", "chain") == []


def test_a_run_is_shown_by_the_beginning_of_its_id_without_contents_unless_included(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = start(capsys, "looker")
    assert exit_code("runs", "show", run_id[:8]) == 0
    shown = capsys.readouterr().out
    assert "step 0  look  ok" in shown
    assert "done-93" not in shown
    exit_code("runs", "show", run_id, "--include", "outputs", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["result"]["result"] == "done-93"
    assert document["result"]["actions"][0]["step"]["input"] == "[withheld]"


def test_a_run_s_steps_are_shown_with_what_is_included_and_all_of_it_in_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = start(capsys, "looker")
    exit_code("runs", "show", run_id, "--include", "all")
    shown = capsys.readouterr().out
    for line in (
        "  task  As looker.",
        '    input  {"where": "given-92"}',
        "    output  found-91",
        "    result  done-93",
        '  result  "done-93"',
    ):
        assert line in shown.splitlines()
    exit_code("runs", "show", run_id, "--include", "inputs")
    shown = capsys.readouterr().out
    assert "given-92" in shown
    assert not any(word in shown for word in ("found-91", "done-93", "As looker"))
    exit_code("runs", "show", run_id, "--json")
    document = json.loads(capsys.readouterr().out)
    assert (document["task"], document["waits"], document["left"]) == ("[withheld]", [], False)
    assert not any(word in json.dumps(document) for word in ("given-92", "found-91", "done-93"))


def test_what_a_run_failed_of_is_shown_where_errors_are_included(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = start(capsys, "lost")
    exit_code("runs", "show", run_id)
    bare = capsys.readouterr().out
    assert "  step 0  absent  refused" in bare.splitlines()
    assert "no finish within 1 steps" not in bare
    exit_code("runs", "show", run_id, "--include", "errors")
    shown = capsys.readouterr().out
    assert "  error  no finish within 1 steps" in shown
    assert "    error  " in shown


def test_what_waits_is_shown_with_its_input_where_that_is_included(
    capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    begin("payer")
    run_id = waiting(place)
    exit_code("runs", "show", run_id, "--include", "all")
    shown = capsys.readouterr().out
    assert '    input  {"amount": 7}' in shown.splitlines()
    assert "    reason  calls of pay are approved one by one" in shown.splitlines()
    exit_code("runs", "show", run_id)
    bare = capsys.readouterr().out
    assert "    tool  pay" in bare.splitlines()
    assert "amount" not in bare
    exit_code("runs", "show", run_id, "--include", "inputs", "--json")
    (asked,) = json.loads(capsys.readouterr().out)["waits"]
    assert (asked["step"], asked["tool"], asked["input"]) == (0, "pay", {"amount": 7})


def test_a_run_whose_process_was_killed_is_left_and_nothing_is_marked_by_looking(
    capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    child = begin("waiter")
    eventually(lambda: [run["state"] for run in kept_there(place)] == ["running"])
    (run,) = listed(capsys)
    assert (run["state"], run["left"]) == ("running", False)
    assert exit_code("runs", "start", "agents.py", "--agent", "waiter", "--run", run["id"]) == 1
    assert "is on its way in another process: wait for it" in capsys.readouterr().err
    child.kill()
    child.wait(120)
    before = kept_there(place)
    (run,) = listed(capsys)
    assert (run["state"], run["left"]) == ("left", True)
    exit_code("runs", "list")
    assert "`zkagent runs start FILE --run ID` goes on with it" in capsys.readouterr().out
    exit_code("runs", "show", run["id"])
    assert "  left  " in capsys.readouterr().out
    assert kept_there(place) == before


def test_a_run_that_waits_and_is_left_still_says_that_it_waits(
    capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    child = begin("payer")
    waiting(place)
    child.kill()
    child.wait(120)
    (run,) = listed(capsys)
    assert (run["state"], run["left"]) == ("waiting", True)


def kept_there(place: Path) -> list[dict[str, Any]]:
    """As it stands in the database."""
    if not (place / "home" / "runtime.key").exists():
        return []
    database = open_runs()
    found = [run.to_json() for run in RunStore(database).page()]
    database.close()
    return found


def test_events_are_printed_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    run_id = start(capsys, "looker")
    assert exit_code("runs", "tail", run_id, "--json", "--follow") == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["number"] for event in events] == list(range(len(events)))
    assert events[-1]["kind"] == "run_finished"
    assert "found-91" not in json.dumps(events)
    exit_code("runs", "tail", run_id, "--include", "all")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(events)
    assert all(word in "\n".join(lines) for word in ("found-91", "given-92", "done-93"))


def test_a_replay_agrees_and_one_by_another_agent_does_not(
    capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    run_id = start(capsys, "looker")
    words = ("runs", "replay", run_id, "--agents")
    assert exit_code(*words, "agents.py", "--verify") == 0
    assert "step 0  look  same" in capsys.readouterr().out
    (place / "others.py").write_text(AGENTS.replace("given-92", "elsewhere"))
    assert exit_code(*words, "others.py", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["agrees"], report["steps"][0]["outcome"]) == (False, "differs")


def test_a_replay_without_the_runs_agent_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = start(capsys, "looker")
    assert exit_code("runs", "replay", run_id, "--agents", "agents.py:look") == 1
    assert "is ToolDefinition: an Agent is needed" in one_line_error(capsys)


@pytest.mark.parametrize(("word", "state"), [("approve", "ok"), ("decline", "refused")])
def test_a_step_that_waits_is_answered_from_another_terminal(
    word: str, state: str, capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    child = begin("payer")
    run_id = waiting(place)
    assert exit_code("runs", "show", run_id) == 0
    assert f"zkagent runs approve {run_id} 0" in capsys.readouterr().out
    assert exit_code("runs", "approve", run_id, "1", "--yes") == 1
    assert "step 1 of run" in one_line_error(capsys)
    yes = ("--yes",)  # both take it, so that a script need not tell them apart
    assert exit_code("runs", word, run_id, "0", *yes) == 0
    out, _ = child.communicate(timeout=120)
    assert json.loads(out)["actions"][0]["state"] == state
    capsys.readouterr()
    assert exit_code("runs", word, run_id, "0", *yes) == 1
    assert "does not wait for approval (none does)" in one_line_error(capsys)


def test_nothing_is_approved_without_a_word(
    capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    child = begin("payer")
    run_id = waiting(place)
    assert exit_code("runs", "approve", run_id, "0") == 2
    assert 'pay {"amount": 7}' in capsys.readouterr().err
    assert exit_code("runs", "abort", run_id) == 0
    out, _ = child.communicate(timeout=120)
    assert json.loads(out)["aborted"]


def test_whoever_interrupts_is_told_how_the_run_goes_on_and_it_does(
    capsys: pytest.CaptureFixture[str], place: Path, begin: Begin
) -> None:
    child = begin("payer")
    run_id = waiting(place)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=120)
    assert child.returncode not in (0, 1)
    assert f"`zkagent runs start agents.py --agent payer --run {run_id}`" in err
    assert exit_code("runs", "approve", run_id, "0", "--yes") == 0
    capsys.readouterr()
    assert exit_code("runs", "start", "agents.py", "--agent", "payer", "--run", run_id[:9]) == 0
    assert capsys.readouterr().out == "done\n"


@pytest.mark.parametrize("by", ["option", "environment"])
def test_commands_that_are_printed_name_the_database_and_its_key_and_work(
    by: str,
    capsys: pytest.CaptureFixture[str],
    place: Path,
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new_key(place / "my key")
    file = place / "my runs"
    if by == "environment":
        monkeypatch.setenv("ZKAGENT_RUNS", "my runs")
    else:
        monkeypatch.delenv("ZKAGENT_RUNS", raising=False)
    where = ("--database-key", "my key", *(("--database", "my runs") if by == "option" else ()))
    child = begin("payer", *where)
    run_id = waiting(place, file, place / "my key")
    exit_code("runs", "show", run_id, *where)
    shown = capsys.readouterr().out
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=120)
    monkeypatch.delenv("ZKAGENT_RUNS", raising=False)  # of another terminal
    approving = re.findall("`zkagent (runs approve .*?)`", err + shown)
    assert len(approving) == 2
    assert approving[0] == approving[1]
    assert exit_code(*shlex.split(approving[0]), "--yes") == 0
    (going_on,) = re.findall("is kept: `zkagent (.*?)` goes on", err)
    capsys.readouterr()
    assert exit_code(*shlex.split(going_on)) == 0
    assert capsys.readouterr().out == "done\n"


@pytest.mark.parametrize(
    ("database", "printed"),
    [
        (None, "`zkagent runs list`"),
        ("a b", "`zkagent runs list --database 'a b'`"),
        ("postgresql://host/runs", "`zkagent runs list --database postgresql://host/runs`"),
        ("postgresql://me:s3cret@host/runs", "`zkagent runs list` with the same --database"),
        ("postgresql://host/runs?password=s3cret", "`zkagent runs list` with the same --database"),
    ],
)
def test_a_command_is_printed_without_a_password(database: str | None, printed: str) -> None:
    assert Given(database).command("runs", "list") == printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "none"), "there is no run"),
        (("tail", ""), "there is no run"),
        (("abort", "none"), "there is no run"),
        (("replay", "none", "--agents", "agents.py"), "there is no run"),
        (("start", "agents.py"), "has more than one agent, so name one: looker, echo"),
        (("start", "agents.py", "--agent", "echo", "--run", "none"), "there is no run"),
        (("start", "none.py"), "there is no file 'none.py'"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    start(capsys, "echo")
    assert exit_code("runs", *words) == 1
    assert said in one_line_error(capsys)


def test_where_nothing_is_kept_nothing_is_made_by_looking(
    capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    assert exit_code("runs", "list") == 0
    assert capsys.readouterr().out == "no runs\n"
    assert exit_code("runs", "tail", "none") == 1
    assert "`zkagent runs start` and `zkagent serve --agents` keep some" in one_line_error(capsys)
    assert exit_code("runs", "list", "--database", "absent.sqlite") == 1
    assert "absent.sqlite" in one_line_error(capsys)
    assert not (place / "absent.sqlite").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--param", "what"),
        ("--param", "a b=1"),
        ("--param", "a=1", "--param", "a=2"),
        ("--run", "x", "--in-memory"),
        ("--run", "x", "--seed", "7"),
        ("--seed", "-1"),
        ("--seed", str(1 << 53)),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_file_is_run(
    words: tuple[str, ...], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "agents.py").write_text("raise AssertionError('it was run')")
    assert exit_code("runs", "start", "agents.py", *words) == 2
    assert "it was run" not in capsys.readouterr().err


def test_another_key_opens_nothing_and_says_so(
    capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    start(capsys, "echo")
    (place / "other").write_text("cd" * 32)
    (place / "other").chmod(0o600)
    file = place / "home" / "runtime" / "runs.sqlite"
    before = file.read_bytes()
    assert exit_code("runs", "list", "--database-key", "other") == 1
    assert "runs.sqlite" in one_line_error(capsys)
    assert file.read_bytes() == before


def test_the_help_says_which_seeds_there_are_and_the_greatest_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("runs", "start", "--help") == 0
    assert "0<=x<=9007199254740991" in capsys.readouterr().out.replace("\n", "")
    words = ("--agent", "echo", "--seed", str((1 << 53) - 1), "--json", "--in-memory")
    assert exit_code("runs", "start", "agents.py", *words) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == (1 << 53) - 1
