"""Batches on a chain that is there: deployed with an agent, or registered with its model later."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from tests.support.command_line import exit_code, one_line_error
from tests.support.forged_storage import forge, storage
from tests.support.lying_node import lying_node
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.verifier_contracts.chain.local import call, send
from zkagent.verifier_contracts.deployment.model_hashes import BATCHES
from zkagent.verifier_contracts.deployment.wallet import at

EVIL = "0x" + "e1" * 20
YES = bytes.fromhex("600160005260206000f3")  # to every proof
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
    stopped = one_line_error(capsys)
    assert "ModelCommitmentChanged" in stopped
    assert "then `zkagent agent accept`" in stopped
    (pinned,) = re.findall("pinned=(0x[0-9a-f]{64})", stopped)
    assert exit_code("agent", "accept", *chain, "--commitment", pinned) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{embedded.deployment.agent} obeys {pinned} already\n"
    assert f"registered now  {commitment}\nit is stopped until" in printed.err
    other = "0x" + "ab" * 32
    assert exit_code("agent", "accept", *chain, "--commitment", other) == 1
    assert f"registered as {commitment}, not as {other}" in one_line_error(capsys)
    assert exit_code("agent", "accept", *chain) == 2
    assert "--commitment HASH" in capsys.readouterr().err
    assert exit_code("agent", "accept", *chain, "--commitment", commitment) == 0
    assert capsys.readouterr().out == f"{embedded.deployment.agent} obeys {commitment}\n"
    assert exit_code("agent", "accept", *chain, "--commitment", commitment) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{embedded.deployment.agent} obeys {commitment} already\n"
    assert "registered now" not in printed.err
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


def test_a_verifier_that_only_a_node_lists_is_not_signed_again(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    nonce = embedded.web3.eth.get_transaction_count
    before = nonce(embedded.owner.address)
    embedded.anvil.rpc("anvil_setCode", EVIL, "0x" + YES.hex())
    listed = encode([BATCHES], [[(8, EVIL, bytes(32), keccak(YES))]])
    with lying_node(embedded.anvil.rpc_url) as liar:

        def lie(honest: Callable[[], Any]) -> Any:
            asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
            lied = asked.startswith("0x" + keccak(text="batchVerifiers(uint256)")[:4].hex())
            return "0x" + listed.hex() if lied else honest()

        liar.lies["eth_call"] = lie
        chain = ["--rpc", liar.url, *place[2:], "--deployment", "deployment.json", "--yes"]
        assert exit_code("model", "register-batch", "1", "--batch", "4", *chain) == 1
        assert liar.sent == []
    said = one_line_error(capsys)
    assert f"the verifier for 8 decisions at {EVIL}, which the node lists, is not kept" in said
    assert f"--keep 8={EVIL} keeps what you know to be good" in said
    assert nonce(embedded.owner.address) == before


def test_what_stays_is_shown_and_the_commitment_follows_from_what_was_signed(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    """A verifier of the owner's own for eight, which nobody here compiled, beside one for four."""
    web3, own = embedded.web3, embedded.web3.to_checksum_address(EVIL)
    embedded.anvil.rpc("anvil_setCode", EVIL, "0x" + YES.hex())
    functions = at(web3, "ModelRegistry", embedded.deployment.registry).functions
    entry = (8, own, bytes(31) + b"\x07", keccak(YES))
    send(web3, functions.setBatchVerifiers(1, [entry]), embedded.owner)
    batch = ["model", "register-batch", "1", "--batch", "4", "--deployment", "deployment.json"]
    assert exit_code(*batch, *place, "--yes") == 1
    assert "is not kept" in one_line_error(capsys)
    keep = ["--keep", f"8={own}"]
    with lying_node(embedded.anvil.rpc_url) as liar:
        asked_for = "0x" + keccak(text="commitmentHash(uint256)")[:4].hex()

        def lie(honest: Callable[[], Any]) -> Any:
            asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
            lied = bool(liar.sent) and asked.startswith(asked_for)
            return "0x" + "ab" * 32 if lied else honest()

        liar.lies["eth_call"] = lie
        assert exit_code(*batch, *keep, "--rpc", liar.url, *place[2:], "--yes") == 1
    printed = capsys.readouterr()
    kept = f"  keeps 8 by {own.lower()}, circuit {'00' * 31}07, code 0x{keccak(YES).hex()}"
    assert kept in printed.err.splitlines()
    registered = "0x" + bytes(call(web3, functions.commitmentHash(1))).hex()
    assert printed.out == ""
    assert f"is {registered} by what was signed, and 0x{'ab' * 32} by what" in printed.err
    found = call(web3, functions.batchVerifiers(1))
    assert [size for size, *_ in found] == [4, 8]
    assert tuple(found[1]) == entry
    assert exit_code(*batch, *keep, *place, "--yes") == 0
    again = bytes(call(web3, functions.commitmentHash(1))).hex()
    assert capsys.readouterr().out.startswith(f"commitment  0x{again}\n")


def test_what_an_agent_obeys_is_what_was_signed_or_an_error(
    embedded: EmbeddedChain, place: list[str], capsys: Capture
) -> None:
    there, web3 = embedded.deployment, embedded.web3
    registry = at(web3, "ModelRegistry", there.registry).functions
    embedded.anvil.rpc("anvil_setCode", EVIL, "0x" + YES.hex())
    entry = (8, web3.to_checksum_address(EVIL), bytes(32), keccak(YES))
    send(web3, registry.setBatchVerifiers(1, [entry]), embedded.owner)
    commitment = "0x" + bytes(call(web3, registry.commitmentHash(1))).hex()
    pinned = "0x" + keccak(text="pinnedCommitment()")[:4].hex()
    with lying_node(embedded.anvil.rpc_url) as liar:

        def lie(honest: Callable[[], Any]) -> Any:
            asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
            return "0x" + "ab" * 32 if liar.sent and asked == pinned else honest()

        liar.lies["eth_call"] = lie
        chain = ["--rpc", liar.url, *place[2:], "--deployment", "deployment.json"]
        assert exit_code("agent", "accept", *chain, "--commitment", commitment) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"what {there.agent} obeys is {commitment} by what was signed" in printed.err


@pytest.mark.parametrize("given", ["8", "8=0x12", "0=" + EVIL, "x=" + EVIL])
def test_what_is_kept_is_named_by_size_and_address(place: list[str], given: str) -> None:
    batch = ["model", "register-batch", "1", "--batch", "4", *place, "--registry", EVIL]
    assert exit_code(*batch, "--keep", given) == 2
