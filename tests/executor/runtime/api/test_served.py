"""`zkagent serve --agents` as a process: killed, started again, and held to its own description."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.fleet import Fleet, eventually
from tests.support.processes import environment
from zkagent.executor.cli.main import main
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


def test_a_run_outlives_the_service_that_was_killed_and_is_answered_meanwhile(
    served: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = served.serve(slots=0)
    run_id = httpx.post(f"{served.url}/v1/runs", json={"agent": "payer"}).json()["id"]
    place = f"{served.url}/v1/runs/{run_id}"
    eventually(lambda: httpx.get(place).json()["state"] == "waiting")
    first.kill()
    monkeypatch.setenv("ZKAGENT_HOME", str(served.home))
    with pytest.raises(SystemExit) as ended:
        main(["runs", "approve", run_id, "0", "--yes"])
    assert not ended.value.code
    served.serve(slots=0)
    with httpx.stream("GET", f"{place}/events", timeout=30) as answer:
        text = "".join(answer.iter_text())
    assert text.count("event: run_started") == 1
    assert text.count("event: run_finished") == 1
    assert httpx.get(place).json()["state"] == "done"


def test_a_service_that_stops_leaves_its_runs_to_the_next(served: Fleet) -> None:
    first = served.serve(slots=0)
    run_id = httpx.post(f"{served.url}/v1/runs", json={"agent": "payer"}).json()["id"]
    place = f"{served.url}/v1/runs/{run_id}"
    eventually(lambda: httpx.get(place).json()["state"] == "waiting")
    assert first.stop() == 0
    served.serve(slots=0)
    (waiting,) = httpx.get(f"{place}/approvals").json()["waiting"]
    answer = {"digest": waiting["digest"], "approve": True}
    httpx.post(f"{place}/approvals", json=answer).raise_for_status()
    assert httpx.get(place, params={"wait_s": 20}, timeout=30).json()["state"] == "done"


@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_violation(served: Fleet, tmp_path: Path) -> None:
    served.serve("--runs-in-memory", slots=0)
    settings = HERE.parents[2] / "prover/service/api/schemathesis.toml"
    words = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    words += [f"{served.url}/openapi.json", "--include-path-regex", "^/v1/(runs|agents)"]
    words += ["--checks", "all", "--max-examples", "15", "--seed", "1", "--max-time", str(SECONDS)]
    words += ["--exclude-checks", "use_after_free", "--no-color", "--warnings", "off"]
    hooks = "tests.executor.runtime.api.api_hooks"
    ours = environment(SCHEMATHESIS_HOOKS=hooks, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=tmp_path, env=ours
    )
    lines = [line[:300] for line in done.stdout.splitlines()]
    assert done.returncode == 0, "\n".join(lines[-150:]) + done.stderr[-2000:]
    assert httpx.get(f"{served.url}/v1/runs").json()["runs"]


def test_the_description_has_both_kinds_of_routes_and_problem_documents(served: Fleet) -> None:
    served.serve("--runs-in-memory", slots=0)
    document = httpx.get(f"{served.url}/openapi.json").json()
    assert {"/v1/proofs", "/v1/runs", "/v1/runs/{run_id}/events"} <= set(document["paths"])
    refusals = [
        (path, status, answer)
        for path, operations in document["paths"].items()
        if path.startswith(("/v1/runs", "/v1/agents"))
        for operation in operations.values()
        for status, answer in operation["responses"].items()
        if status.startswith("4")
    ]
    assert len(refusals) > 50
    assert all(list(answer["content"]) == ["application/problem+json"] for *_, answer in refusals)
    assert "HTTPValidationError" not in json.dumps(document)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--grant", "0123456789ab=root"), "'root' is no role: there are approver"),
        (("--grant", "nobody=user"), "is no KEY=ROLE"),
        (("--runs-in-memory", "--runs-key", "key"), "--runs-in-memory keeps nothing"),
        (("--agents", "none.py"), "there is no file 'none.py'"),
    ],
)
def test_what_cannot_be_served_is_refused_before_it_begins(
    served: Fleet, words: tuple[str, ...], said: str
) -> None:
    with pytest.raises(AssertionError, match="did not start") as caught:
        served.serve(*words, slots=0)
    assert said in str(caught.value)
