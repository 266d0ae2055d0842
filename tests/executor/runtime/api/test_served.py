"""`zkagent serve --agents` as a process: killed, started again, and held to its own description."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.command_line import exit_code
from tests.support.fleet import Fleet, eventually
from tests.support.processes import environment
from zkagent.prover.service.fakes.catalogue import FakeCatalogue

HERE = Path(__file__).parent
SECONDS = 25
AGENTS = """
from tests.executor.runtime.api.agents import agents as made
from zkagent.executor.runtime.events.collected import Collected

agents = made(Collected())
"""


@pytest.fixture
def served(tmp_path: Path, catalogue: FakeCatalogue) -> Iterator[Fleet]:
    """Without a member."""
    (tmp_path / "mine.py").write_text(AGENTS)
    agents = ("--agents", str(tmp_path / "mine.py"))
    added = {"PYTHONPATH": environment()["PYTHONPATH"]}
    url = f"sqlite:///{tmp_path}/service.sqlite"
    fleet = Fleet(tmp_path, url, catalogue, agents, environment=added)
    yield fleet
    fleet.end()


def test_a_run_outlives_the_service_that_was_killed_and_is_approved_meanwhile(
    served: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = served.serve(slots=0)
    place = begun(served, "payer")
    first.kill()
    monkeypatch.setenv("ZKAGENT_HOME", str(served.home))
    assert exit_code("runs", "approve", place.rpartition("/")[2], "0", "--yes") == 0
    second = served.serve(slots=0)
    with httpx.stream("GET", f"{place}/events", timeout=300) as answer:
        text = "".join(answer.iter_text())
    assert [text.count(f"event: run_{end}\n") for end in ("started", "finished")] == [1, 1]
    assert httpx.get(place).json()["state"] == "done"
    assert second.stop() == 0


def begun(served: Fleet, agent: str) -> str:
    """The address of a run that waits for approval."""
    answer = httpx.post(f"{served.url}/v1/runs", json={"agent": agent})
    place = f"{served.url}{answer.headers['location']}"
    eventually(lambda: httpx.get(place).json()["state"] == "waiting")
    eventually(lambda: httpx.get(f"{place}/approvals").json()["waiting"] != [])
    return place


@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_violation(served: Fleet, tmp_path: Path) -> None:
    served.serve("--runs-in-memory", slots=0)
    settings = HERE / "schemathesis.toml"
    words = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    words += [f"{served.url}/openapi.json", "--include-path-regex", "^/v1/(runs|agents)"]
    words += ["--checks", "all", "--max-examples", "15", "--seed", "1", "--max-time", str(SECONDS)]
    # DELETE aborts a run, which can still be looked at.
    words += ["--exclude-checks", "use_after_free", "--no-color", "--warnings", "off"]
    hooks = "tests.executor.runtime.api.api_hooks"
    ours = environment(SCHEMATHESIS_HOOKS=hooks, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=tmp_path, env=ours
    )
    lines = [line[:300] for line in done.stdout.splitlines()]
    assert done.returncode == 0, "\n".join(lines[-150:]) + done.stderr[-2000:]
    assert httpx.get(f"{served.url}/v1/runs").json()["runs"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "mine.py").write_text(AGENTS)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--agents", "mine.py", "--grant", "0123456789ab=root"), 1, "'root' is no role: there"),
        (("--agents", "mine.py", "--grant", "nobody=user"), 2, "is no KEY=ROLE"),
        (("--agents", "mine.py", "--runs-in-memory", "--runs-key", "key"), 2, "keeps nothing"),
        (("--agents", "none.py"), 1, "there is no file 'none.py'"),
        (("--runs-in-memory",), 2, "--runs-in-memory is about agents: name them"),
    ],
)
def test_what_cannot_be_served_is_refused_before_it_begins(
    words: tuple[str, ...], code: int, said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("serve", "--fake", "none.json", *words) == code
    assert said in capsys.readouterr().err
