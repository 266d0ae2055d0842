"""`zkagent runs` where nothing can be written: those that look do, those that act say why not."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.processes import environment
from tests.support.read_only import read_only
from tests.support.runs_of_agents import home_of_agents, start, waiting


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home_of_agents(tmp_path, monkeypatch)


@pytest.fixture
def waits(place: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The process of a run that waits for approval."""
    words = [sys.executable, "-m", "zkagent", "runs", "start", "agents.py", "--agent", "payer"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, env=environment()) as child:
        yield child
        child.kill()


ENDED = "its process has ended"
#: Calls commands one after the other, and tells exit code, stdout and stderr of each.
COMMANDS = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from tests.support.command_line import exit_code
told = []
for words in json.loads(sys.argv[1]):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code("runs", *words)
    told.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(told))
"""


def ask(place: Path, *commands: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """What each of `zkagent runs` came to where all is read-only."""
    line = read_only(place, sys.executable, "-c", COMMANDS, json.dumps(commands))
    done = subprocess.run(line, capture_output=True, text=True, check=True, env=environment())
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


def contents(place: Path) -> dict[str, bytes]:
    files = (place / "home").rglob("*")
    return {path.name: path.read_bytes() for path in files if path.is_file()}


def test_runs_that_ended_are_looked_at_and_others_refused_where_nothing_can_be_written(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = start(capsys, "looker")
    (place / "other").write_text("cd" * 32)
    (place / "other").chmod(0o600)
    listed, shown, tailed, replayed, *refused = ask(
        place,
        ("list",),
        ("show", run_id, "--include", "all"),
        ("tail", run_id, "--follow"),
        ("replay", run_id, "--agents", "agents.py"),
        ("list", "--database-key", "other"),
        ("abort", run_id),
        ("start", "agents.py", "--agent", "echo"),
    )
    assert listed[0::2] == (0, "")
    assert listed[1].startswith(f"{run_id}  done ")
    assert "found-91" in shown[1]
    assert len(tailed[1].splitlines()) > 5
    assert replayed[0] == 0
    remedy = "Read-only file system; name another place, or have this one writable"
    for (code, out, err), said in zip(
        refused, ("it has another key, or is damaged", remedy, remedy), strict=True
    ):
        (line,) = err.splitlines()
        assert (code, out, said in line) == (1, "", True)


def test_a_run_that_goes_on_elsewhere_is_looked_at_where_nothing_can_be_written(
    place: Path, waits: "subprocess.Popen[bytes]", capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = waiting(place)
    ((code, shown, _),) = ask(place, ("show", run_id))
    assert (code, f"`zkagent runs approve {run_id} 0`" in shown) == (0, True)
    assert ENDED not in shown
    waits.kill()
    waits.wait(120)
    copied = copy(place)
    (listed, (code, out, line)) = ask(place, ("list",), ("list", "--database", copied))
    assert listed[1].startswith(f"{run_id}  waiting ")
    assert ENDED in listed[1]
    assert (code, out) == (1, "")
    assert "left runs.sqlite-wal: copy runs.sqlite and that to a folder" in line
    assert exit_code("runs", "list", "--database", copied) == 0
    assert capsys.readouterr().out.startswith(f"{run_id}  waiting ")


def copy(place: Path) -> str:
    """Without the index of the log, in which alone stands what was written last."""
    (place / "copy").mkdir()
    for end in ("", "-wal"):
        shutil.copy(place / "home" / "runtime" / f"runs.sqlite{end}", place / "copy")
    return "copy/runs.sqlite"


def test_looking_leaves_nothing_behind(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start(capsys, "echo")
    before = contents(place)
    assert exit_code("runs", "list") == 0
    assert contents(place) == before
    capsys.readouterr()
    (place / "home" / "runtime.key").unlink()
    assert exit_code("runs", "list") == 1
    assert "runtime.key is gone" in one_line_error(capsys)
    assert not (place / "home" / "runtime.key").exists()
