"""The commands of the README, copied and run."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.checkout import ROOT
from tests.support.fleet import Fleet
from zkagent.circuits.systems import load_circuit
from zkagent.models.catalogue import load_model
from zkagent.prover.client import ServiceClient, Wanted, proof_of
from zkagent.prover.service.api.intake import read_context
from zkagent.prover.service.wire.schemas import ContextBody
from zkagent.prover.verification import verify

DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "operating.md")
TWO_COMMANDS = re.compile(
    r"^```sh\n(zkagent serve[^\n]*)\n(zkagent prove[^\n]*)\n```", re.MULTILINE
)
PROMPT = "withdraw 5 USDC from the pool"


def documented(page: Path) -> list[str]:
    """The two commands of a page that start a service and get a proof from it."""
    found = TWO_COMMANDS.search(page.read_text())
    return list(found.groups()) if found else []


def test_the_pages_agree_on_the_two_commands() -> None:
    readme, operating = map(documented, DOCUMENTS)
    assert readme
    assert readme == operating


@pytest.mark.slow
def test_two_commands_lead_from_nothing_to_a_proof(tmp_path: Path, free_port: int) -> None:
    serve, prove = map(shlex.split, documented(DOCUMENTS[0]))
    url = f"http://127.0.0.1:{free_port}"
    prove = [url if word == "http://127.0.0.1:8642" else word for word in prove]
    environment = {**os.environ, "ZKAGENT_HOME": str(tmp_path)}
    zkagent = [sys.executable, "-m", "zkagent"]
    assert serve[0] == prove[0] == "zkagent"
    service = subprocess.Popen(
        [*zkagent, *serve[1:], "--port", url.rpartition(":")[2]],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        done = subprocess.run(
            [*zkagent, *prove[1:], "--wait"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0
    proof = json.loads(done.stdout)
    assert (proof["format"], proof["output_scale_bits"]) == ("zkagent-proof-2", [0])
    assert proof["about"]["model"] == "wallet"
    assert load_model("wallet").infer(proof["inputs"]) == tuple(proof["outputs"])


@pytest.fixture(scope="module")
def wallet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A service that offers the shipped model."""
    home = tmp_path_factory.mktemp("wallet")
    fleet = Fleet(home, f"sqlite:///{home}/service.sqlite", None)
    fleet.serve("--model", "wallet")
    yield fleet
    fleet.end()


BODY = {
    "prompt": PROMPT,
    "reasoning": [{"hex": b"something foreign".hex()}],
    "book": [{"symbol": "USDC", "token": "0x" + "11" * 20, "decimals": 6}],
}


@pytest.mark.slow
def test_a_context_is_encoded_by_the_service_as_it_is_here(wallet: Fleet) -> None:
    model = load_model("wallet")
    x = model.encode(read_context(ContextBody.model_validate(BODY)))
    with wallet.client() as client:
        view = client.prove(Wanted.of_context("wallet", BODY, batch="never"), timeout_s=120)
        assert view.id == client.submit(Wanted.of_features("wallet", x, batch="never")).id
    proof = proof_of(view, x)
    assert proof.outputs == model.infer(x)
    assert verify(proof, load_circuit(proof.circuit, wallet.home))


@pytest.mark.slow
@pytest.mark.parametrize("prompt", ["", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "x" * 5000])
def test_a_context_that_cannot_be_encoded_is_refused(wallet: Fleet, prompt: str) -> None:
    body = {"model": "wallet", "context": {"prompt": prompt}}
    answer = httpx.post(f"{wallet.url}/v1/proofs", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:zkagent:problem:request-refused"


@pytest.mark.slow
def test_a_second_start_finds_the_circuit_built(wallet: Fleet) -> None:
    with ServiceClient(wallet.url) as client:
        (circuit,) = client.circuits()
    assert circuit["models"] == ["wallet"]
    folders = [path.name for path in (wallet.home / "circuits").iterdir() if path.is_dir()]
    assert folders == [circuit["digest"]]
    second = Fleet(wallet.home, f"sqlite:///{wallet.home}/other.sqlite", None)
    second.serve("--model", "wallet", slots=0)
    with second.client() as client:
        assert [found["digest"] for found in client.circuits()] == [circuit["digest"]]
    second.end()
