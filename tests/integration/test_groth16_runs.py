"""Runs whose decisions are proven by Groth16: all of a frame's proofs with one pairing."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.progress import quiet
from tests.support.run_gas import check_together
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import GROTH16, system_id
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.agent import Claim, RunCall
from zkagent.executor.chain.embedded import EmbeddedChain, balance
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.cli.main import main
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import ProvenRun
from zkagent.executor.runs.session import Session, open_embedded
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.backing import KeyBacking
from zkagent.verifier_contracts.errors import DevelopmentSetupRefused, RevertError

PROMPT = b"withdraw all my USDC"
#: A whole run of three decisions, the first of its agent, terms included.
RUN_BUDGET = 880_000


@pytest.fixture(scope="module")
def circuit(wallet: Model) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(wallet.onnx_path)


@pytest.fixture(scope="module")
def opened_groth16(wallet: Model, circuit: Circuit) -> Iterator[tuple[Session, EmbeddedChain]]:
    with open_embedded(wallet, circuit, quiet) as both:
        yield both


@pytest.fixture
def groth16(
    opened_groth16: tuple[Session, EmbeddedChain],
) -> Iterator[tuple[Session, EmbeddedChain]]:
    chain = opened_groth16[1]
    snapshot = chain.anvil.snapshot()
    yield opened_groth16
    chain.anvil.revert(snapshot)


@pytest.fixture
def proven(groth16: tuple[Session, EmbeddedChain]) -> ProvenRun:
    runner = groth16[0].runner
    return runner.prove(runner.plan(PROMPT))


def refusal(groth16: tuple[Session, EmbeddedChain], call: RunCall) -> str | None:
    with pytest.raises(RevertError) as error:
        groth16[0].runner.sender.estimate_gas(call)
    return error.value.name


def test_three_decisions_are_proven_within_their_budget(
    groth16: tuple[Session, EmbeddedChain],
) -> None:
    session, chain = groth16
    completed = session.runner.run(PROMPT)
    plan, used = completed.proven.plan, completed.inclusion.result.gas_used
    assert len(plan.decisions) == 3
    assert plan.identity.model.proof_system_id == system_id(GROTH16.name)
    assert {len(proof) for proof in completed.proven.call.proofs} == {256}
    found = iteration_gas(chain.web3, completed.inclusion.hash, plan.identity)
    print(f"a run of three decisions: {used} gas, {found}")
    assert found is not None
    assert len(found) == 3
    assert used <= RUN_BUDGET
    assert balance(chain, "USDC").pool == 0


def test_three_decisions_verified_together_cost_at_most_63_percent_of_three_runs(
    groth16: tuple[Session, EmbeddedChain],
) -> None:
    session, chain = groth16
    check_together(session.runner, session.runner, chain, 63)


def test_a_false_proof_among_three_reverts_the_run(
    groth16: tuple[Session, EmbeddedChain], proven: ProvenRun
) -> None:
    first, second, third = proven.call.proofs
    for proofs in ((second, first, third), (first, first, third), (first, second, second)):
        assert refusal(groth16, replace(proven.call, proofs=proofs)) == "ProofsFalse"
    changed = first[:-1] + bytes([first[-1] ^ 1])
    for proofs, error in (
        ((changed, second, third), "PointRefused"),
        ((first, second, third + b"\0"), "WrongProofSize"),
        ((first, second, b""), "NoBatchVerifier"),
    ):
        assert refusal(groth16, replace(proven.call, proofs=proofs)) == error


def test_a_changed_output_that_makes_the_same_decision_reverts(
    groth16: tuple[Session, EmbeddedChain], proven: ProvenRun
) -> None:
    for index in range(3):
        claims = list(proven.call.claims)
        claims[index] = nudged(claims[index])
        changed = replace(proven.call, claims=tuple(claims))
        assert refusal(groth16, changed) == "ProofsFalse"


def nudged(claim: Claim) -> Claim:
    """One number changed by one, far below what scores differ by."""
    return replace(claim, output=claim.output[:-1] + bytes([claim.output[-1] ^ 1]))


def test_a_receipt_is_verified_with_the_contracts_behind_it(
    groth16: tuple[Session, EmbeddedChain], wallet: Model
) -> None:
    session, _ = groth16
    run = session.runner.run(PROMPT)
    receipt = write_receipt(session.chain, wallet, [run], session.signer)
    circuits = LocalCircuits()
    contracts = RunContracts(session.chain.reader, lambda name: wallet, circuits, set())
    sources = Sources(lambda name: wallet, circuits, lambda agent: session.chain, contracts)
    assert verify_receipt(receipt, sources).problems == ()


def test_the_audit_compares_the_key_and_what_verifies_by_it(
    groth16: tuple[Session, EmbeddedChain], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, chain = groth16
    path = tmp_path / "deployment.json"
    path.write_text(chain.deployment.to_json())
    words = ["agent", "audit", "--deployment", str(path), "--json", "--rpc", chain.anvil.rpc_url]
    main(words)
    found = json.loads(capsys.readouterr().out)
    assert found["held"]
    assert [each for each in found["checks"] if each["subject"] == "groth16 verifier"]
    code = bytes(chain.web3.eth.get_code(chain.deployment.contracts.verifier))
    for at in (11, 20, len(code) - 1):
        changed = code[:at] + bytes([code[at] ^ 1]) + code[at + 1 :]
        chain.anvil.rpc("anvil_setCode", chain.deployment.contracts.verifier, "0x" + changed.hex())
        with pytest.raises(SystemExit):
            main(words)
        assert not json.loads(capsys.readouterr().out)["held"]


def test_another_verifier_behind_the_executor_is_unsound(
    groth16: tuple[Session, EmbeddedChain], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that takes everything, at the address that the executor made its own at."""
    _, chain = groth16
    path = tmp_path / "deployment.json"
    path.write_text(chain.deployment.to_json())
    words = ["agent", "audit", "--deployment", str(path), "--json", "--rpc", chain.anvil.rpc_url]
    main(words)
    checks = json.loads(capsys.readouterr().out)["checks"]
    claim = next(each["claim"] for each in checks if each["subject"] == "groth16 verifier")
    chain.anvil.rpc("anvil_setCode", claim.split()[0], "0x00")
    with pytest.raises(SystemExit):
        main(words)
    assert not json.loads(capsys.readouterr().out)["held"]


def test_a_development_key_is_refused_outside_local_chains(circuit: Circuit) -> None:
    backing, onnx = KeyBacking(circuit), circuit.origin.onnx
    backing.check(31337, onnx)
    with pytest.raises(DevelopmentSetupRefused, match="it takes a ceremony of its own"):
        backing.check(1, onnx)
