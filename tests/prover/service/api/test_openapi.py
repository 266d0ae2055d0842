"""schemathesis holds the service to its OpenAPI document."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.support.fleet import Fleet
from tests.support.processes import environment
from zkagent.circuits.bn254.field import INT64_MAX
from zkagent.prover.client import ServiceClient
from zkagent.prover.service.wire.states import State

HERE = Path(__file__).parent
SECONDS = 40


@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_violation(fleet: Fleet, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "schemathesis.cli", "--config-file"]
    words += [str(HERE / "schemathesis.toml"), "run", f"{fleet.url}/openapi.json"]
    words += ["--checks", "all", "--max-examples", "15", "--seed", "1", "--max-time", str(SECONDS)]
    # DELETE gives up a handle on a proof; the proof itself may stay, for others may want it.
    words += ["--exclude-checks", "use_after_free"]
    words += ["--no-color", "--output-truncate", "true", "--warnings", "off"]
    hooks = "tests.prover.service.api.api_hooks"
    ours = environment(SCHEMATHESIS_HOOKS=hooks, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=tmp_path, env=ours
    )
    lines = [line[:300] for line in done.stdout.splitlines()]
    assert done.returncode == 0, "\n".join(lines[-150:]) + done.stderr[-2000:]
    with fleet.client() as client:
        assert any(proof["state"] == State.DONE for proof in client.proofs())


def test_the_document_has_the_exact_bounds_of_64_bit_integers(fleet: Fleet) -> None:
    text = httpx.get(f"{fleet.url}/openapi.json").text
    assert str(INT64_MAX) in text
    assert "e+18" not in text


def test_every_documented_refusal_is_a_problem_document(client: ServiceClient) -> None:
    document = httpx.get(f"{client.url}/openapi.json").json()
    refusals = [
        answer
        for path in document["paths"].values()
        for operation in path.values()
        for status, answer in operation["responses"].items()
        if status.startswith("4")
    ]
    assert len(refusals) > 20
    assert all(list(answer["content"]) == ["application/problem+json"] for answer in refusals)
