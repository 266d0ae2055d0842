"""Batches on a chain that is there: deployed with an agent, or registered with its model later."""

import re
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.forged_storage import forge, storage
from zkagent.executor.chain.embedded import EmbeddedChain

PROMPT = "withdraw all my USDC"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def place(embedded: EmbeddedChain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A working directory with the owner's key; the options that name chain and key."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(embedded.owner.key).hex())
    Path("deployment.json").write_text(embedded.deployment.to_json())
    return ["--rpc", embedded.anvil.rpc_url, "--key-file", "key"]


def run_batched(place: list[str], record: str, decisions: int, capsys: Capture) -> None:
    capsys.readouterr()
    receipt = f"{record}.receipt"
    where = [*place, "--deployment", record, "--receipt", receipt]
    assert exit_code("run", PROMPT, *where, "--batch", "--yes") == 0
    assert capsys.readouterr().out.count(f"[proven with all of 1 to {decisions} in ") == decisions


def test_an_agent_deployed_with_a_batch_runs_batches(place: list[str], capsys: Capture) -> None:
    deploy = ["deploy", *place, "--out", "batched.json", "--batch", "4", "--yes"]
    assert exit_code(*deploy) == 0
    assert re.search(r"^  batch verifiers +2 ", capsys.readouterr().err, re.MULTILINE)
    run_batched(place, "batched.json", 2, capsys)  # nothing in the pool to withdraw


def test_batches_are_registered_with_a_model_and_accepted_by_its_agent(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    chain = [*place, "--deployment", "deployment.json"]
    batch = ["model", "register-batch", "1", "--batch", "4", *chain]
    assert exit_code(*batch, "--yes") == 0
    (commitment,) = re.findall(r"^commitment  (0x[0-9a-f]{64})$", capsys.readouterr().out, re.M)
    assert list(Path().glob("*.part")) == []
    assert exit_code("run", PROMPT, *chain, "--batch", "--yes", "--receipt", "r") == 1
    assert "ModelCommitmentChanged" in one_line_error(capsys)
    other = "0x" + "ab" * 32
    assert exit_code("agent", "accept", *chain, "--commitment", other) == 1
    assert f"registered as {commitment}, not as {other}" in one_line_error(capsys)
    assert exit_code("agent", "accept", *chain) == 2
    assert "--commitment HASH" in capsys.readouterr().err
    assert exit_code("agent", "accept", *chain, "--commitment", commitment) == 0
    assert capsys.readouterr().out == f"{embedded.deployment.agent} obeys {commitment}\n"
    assert exit_code("agent", "accept", *chain, "--commitment", commitment) == 0
    assert capsys.readouterr().out == f"{embedded.deployment.agent} obeys {commitment} already\n"
    run_batched(place, "deployment.json", 3, capsys)
    assert exit_code("model", "audit", "1", *chain[:2], *chain[4:]) == 0
    assert "same: model 1: the verifier for 4 decisions" in capsys.readouterr().out


def test_a_stranger_registers_nothing_and_pays_nothing(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    Path("key").write_text(bytes(embedded.stranger.key).hex())
    before = embedded.web3.eth.get_balance(embedded.stranger.address)
    chain = [*place, "--deployment", "deployment.json", "--yes"]
    assert exit_code("model", "register-batch", "1", "--batch", "4", *chain) == 1
    assert "NotModelOwner" in one_line_error(capsys)
    assert embedded.web3.eth.get_balance(embedded.stranger.address) == before
    assert list(Path().glob("*.part")) == []


def test_a_registry_that_nobody_here_compiled_gets_no_verifier(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    code = bytearray(embedded.web3.eth.get_code(embedded.deployment.registry))
    code[-1] ^= 1
    embedded.anvil.rpc("anvil_setCode", embedded.deployment.registry, "0x" + code.hex())
    chain = [*place, "--deployment", "deployment.json", "--yes"]
    assert exit_code("model", "register-batch", "1", "--batch", "4", *chain) == 1
    assert "is no ModelRegistry to build on" in one_line_error(capsys)


def test_a_registry_over_a_storage_that_somebody_forged_gets_no_verifier(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    genuine, nonce = embedded.deployment.registry, embedded.web3.eth.get_transaction_count
    batch = ["model", "register-batch", "1", "--batch", "4", *place, "--yes", "--registry"]
    forged = forge(embedded, genuine, {0: storage(embedded, genuine, 0)})
    hidden = forge(embedded, genuine, {0: storage(embedded, genuine, 0)}, inside=True)
    before = nonce(embedded.owner.address)
    assert exit_code(*batch, forged) == 1
    assert "another constructor: its storage may hold anything" in one_line_error(capsys)
    assert exit_code(*batch, hidden) == 1
    assert f"--trust registry={hidden} takes it nevertheless" in one_line_error(capsys)
    assert exit_code(*batch, hidden, "--trust", f"registry={hidden}") == 1
    assert "ModelNotFound" in capsys.readouterr().err  # believed, and it lists no model
    assert nonce(embedded.owner.address) == before
