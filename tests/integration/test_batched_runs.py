"""Runs whose decisions share one proof: real batch circuit (four decisions), chain and receipt."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.batches import accept_batches
from tests.support.run_gas import check_together
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.networks.batch import fill
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import Audited, audit
from zkagent.executor.audit.run import RunContracts
from zkagent.executor.chain.abi import FEATURE_BYTES, NO_HANDLER, OUTPUT_BYTES, pack, prompt_input
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.embedded import EmbeddedChain, balances
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.cli.main import main
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.local_batches import LocalBatches, batch_circuit
from zkagent.executor.runs.runner import AgentRunner, ProvenRun
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.prover.local import LocalProver
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError

SIZE = 4
PROMPT = b"withdraw all my USDC"

pytestmark = [pytest.mark.slow, pytest.mark.chain]


@dataclass(frozen=True)
class Batched:
    """The session's chain, with a verifier for four decisions that the agent accepted."""

    session: Session
    chain: EmbeddedChain
    circuit: Circuit
    runner: AgentRunner
    proven: ProvenRun


@pytest.fixture(scope="module")
def batched(opened: tuple[Session, EmbeddedChain], wallet: Model) -> Iterator[Batched]:
    session, chain = opened
    circuit = batch_circuit(wallet, SIZE, None, lambda stage: None)
    snapshot = chain.anvil.snapshot()
    accept_batches(chain.web3, chain.owner, chain.deployment, {SIZE: circuit})
    with LocalBatches(wallet, None, lambda stage: None) as batches:
        runner = AgentRunner(
            session.chain, session.sender, wallet, session.runner.prover, batches=batches
        )
        proven = runner.prove(runner.plan(PROMPT))
        yield Batched(session, chain, circuit, runner, proven)
    chain.anvil.revert(snapshot)


@pytest.fixture(autouse=True)
def undone(batched: Batched) -> Iterator[None]:
    snapshot = batched.chain.anvil.snapshot()
    yield
    batched.chain.anvil.revert(snapshot)


def refused(batched: Batched, call: RunCall) -> RevertError:
    with pytest.raises(RevertError) as caught:
        batched.session.sender.estimate_gas(call)
    return caught.value


def test_one_proof_carries_a_whole_run_for_less_gas(batched: Batched) -> None:
    one_by_one = batched.session.runner.prove(batched.proven.plan)
    assert [len(proof) > 0 for proof in batched.proven.call.proofs] == [True, False, False]
    costs = [batched.runner.estimate(proven) for proven in (batched.proven, one_by_one)]
    assert costs[0] < 0.75 * costs[1]
    inclusion = batched.runner.send(batched.proven)
    identity = batched.proven.plan.identity
    gas = iteration_gas(batched.chain.web3, inclusion.hash, identity, batched.proven.groups)
    assert gas
    assert {iteration.verify for iteration in gas} == {gas[0].verify}
    assert gas[0].verify < 150_000


def test_three_decisions_by_one_proof_cost_at_most_60_percent_of_three_runs(
    batched: Batched,
) -> None:
    check_together(batched.runner, batched.session.runner, batched.chain, 60)


def test_its_receipt_is_accepted_offline_and_by_the_chain(batched: Batched, wallet: Model) -> None:
    run = batched.runner.run(PROMPT)
    receipt = write_receipt(batched.session.chain, wallet, [run], batched.session.signer)
    assert [record.iterations for record in receipt.runs[0].proofs] == [(1, 2, 3)]
    circuits = LocalCircuits()
    offline = Sources(lambda name: wallet, circuits)
    chain = batched.session.chain
    contracts = RunContracts(chain.reader, offline.models, circuits)
    online = dataclasses.replace(offline, chain=lambda agent: chain, contracts=contracts)
    assert verify_receipt(receipt, offline).problems == ()
    assert verify_receipt(receipt, online).problems == ()


def test_one_wrong_output_among_the_decisions_reverts(batched: Batched) -> None:
    """The last one: it decides about words alone, so only the proof stands against it."""
    call, last = batched.proven.call, batched.proven.plan.decisions[-1]
    y = (*last.y[:-1], last.y[-1] + 1)
    claim = claim_for(last.claim.model_id, last.x, y)
    false = dataclasses.replace(call, claims=(*call.claims[:-1], claim))
    assert claim.output == pack(y, OUTPUT_BYTES)
    assert refused(batched, false).name == ""


def test_a_batch_proof_with_other_rows_reverts(batched: Batched) -> None:
    rows = [decision.x for decision in batched.proven.plan.decisions]
    others = {
        "other padding": [*rows, rows[0]],
        "other order": [rows[1], rows[0], rows[2]],
    }
    with LocalProver(batched.circuit) as prover:
        for what, changed in others.items():
            proof = prover.prove(fill(changed, SIZE)).proof
            call = dataclasses.replace(batched.proven.call, proofs=(proof, b"", b""))
            assert refused(batched, call).name == "", what


def test_decisions_without_a_proof_of_their_own_or_a_shared_one_revert(batched: Batched) -> None:
    shared = batched.proven.proofs[0].proof
    single = batched.session.runner.proof(batched.proven.plan.inputs[0])[0].proof
    for proofs in ((b"", shared, b""), (b"", b"", b""), (shared, single, b""), (single, b"", b"")):
        call = dataclasses.replace(batched.proven.call, proofs=proofs)
        assert refused(batched, call).name == ""


def test_the_audit_rebuilds_the_batch_verifier(batched: Batched, wallet: Model) -> None:
    reader, deployment = ContractReader(batched.chain.web3), batched.chain.deployment
    code = Code(reader, reader.block("latest"))
    bound = Web3Registry(reader, deployment.registry).model(deployment.model_id, code.block)
    own = batched.session.circuit
    audited = Audited(code, deployment.registry, bound, wallet, own, {SIZE: batched.circuit})
    assert [check for check in audit(audited) if not check.held] == []
    claim = "the verifier for 4 decisions is the circuit's"
    for circuits in ({}, {SIZE: own}):
        found = dataclasses.replace(audited, batches=circuits)
        assert {check.claim for check in audit(found) if not check.held} == {claim}
    changed = bytearray(reader.code(bound.batches[0].verifier, code.block))
    changed[-1] ^= 1
    batched.chain.anvil.rpc("anvil_setCode", bound.batches[0].verifier, "0x" + changed.hex())
    assert claim in {check.claim for check in audit(audited) if not check.held}


def test_decisions_of_several_prompts_are_recorded_by_one_proof(batched: Batched) -> None:
    """Two prompts of two decisions each, proven together; the ERC's plain run carries them out."""
    chain, model_id = batched.chain, batched.chain.deployment.model_id
    prompts = (b"deposit 5 DAI into the pool", b"withdraw 10 USDC from the pool")
    plans = [batched.runner.plan(prompt) for prompt in prompts]
    decisions = [decision for plan in plans for decision in plan.decisions]
    rows = [decision.x for decision in decisions]
    with LocalProver(batched.circuit) as prover:
        proof = prover.prove(fill(rows, SIZE)).proof
    executor = at(chain.web3, "AgentExecutor", chain.deployment.executor).functions
    features = [pack(row, FEATURE_BYTES) for row in rows]
    outputs = [decision.claim.output for decision in decisions]
    false = [*outputs[:-1], pack([0] * 28, OUTPUT_BYTES)]
    with pytest.raises(RevertError):
        send(chain.web3, executor.recordDecisions(model_id, features, false, proof), chain.stranger)
    send(chain.web3, executor.recordDecisions(model_id, features, outputs, proof), chain.stranger)
    before = {balance.symbol: balance.pool for balance in balances(chain)}
    agent = at(chain.web3, "WalletAgent", chain.deployment.agent).functions
    for prompt in prompts:
        send(chain.web3, agent.run(prompt_input(prompt), NO_HANDLER), chain.owner)
    after = {balance.symbol: balance.pool for balance in balances(chain)}
    assert after["DAI"] - before["DAI"] == 5 * 10**18
    assert before["USDC"] - after["USDC"] == 10 * 10**6


@pytest.fixture
def target(batched: Batched, tmp_path: Path) -> list[str]:
    """Options that say where the agent is, and who its owner."""
    key, deployment = tmp_path / "key", tmp_path / "deployment.json"
    key.write_text(bytes(batched.chain.owner.key).hex())
    deployment.write_text(batched.chain.deployment.to_json())
    rpc = batched.chain.anvil.rpc_url
    return ["--rpc", rpc, "--deployment", str(deployment), "--key-file", str(key)]


def zkagent(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints; it must succeed."""
    capsys.readouterr()
    main(list(arguments))
    return capsys.readouterr().out


def test_the_command_proves_a_run_together_and_verifies_its_receipt(
    batched: Batched, target: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = str(tmp_path / "receipt.json")
    printed = zkagent(
        capsys, "run", PROMPT.decode(), *target, "--yes", "--batch", "--receipt", receipt
    )
    assert printed.count("[proven with all of 1 to 3 in ") == 3
    assert "accepted" in zkagent(capsys, "verify-run", receipt)


def test_the_audit_command_compares_the_batch_verifiers(
    batched: Batched, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = zkagent(capsys, "model", "audit", "1", *target[:4])
    assert "same: model 1: the verifier for 4 decisions is the circuit's" in printed
    assert "DIFFERENT" not in printed


def test_without_batch_verifiers_the_command_says_so(
    batched: Batched, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    accept_batches(batched.chain.web3, batched.chain.owner, batched.chain.deployment, {})
    with pytest.raises(SystemExit):
        main(["run", PROMPT.decode(), *target, "--yes", "--batch"])
    assert "has no verifier for several decisions" in capsys.readouterr().err
