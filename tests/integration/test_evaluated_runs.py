"""Runs without a proof: the wallet model under proof system `evm-int-v1`, evaluated on chain."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.integer_networks import samples
from tests.support.small_networks import square_network
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import EVALUATED, HALO2, system_id
from zkagent.executor.chain.abi import OUTPUT_BYTES, pack, unpack
from zkagent.executor.chain.agent import Claim, RunCall
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.cli.main import main
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import ProvenRun
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.deployment.wallet import at, deploy_wallet
from zkagent.verifier_contracts.errors import EvmModelError, RevertError

DECLINE = 6  # its score among the outputs
PROMPT = b"deposit 5 USDC into the pool"
RUN_BUDGET = 578_500
PROOF_SYSTEM_ID, EZKL_ID = system_id(EVALUATED.name), system_id(HALO2.name)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("wallet")


@pytest.fixture(scope="module")
def evaluated(model: Model) -> Circuit:
    return EVALUATED.build(model.onnx_path)


@pytest.fixture(scope="module")
def opened(anvil: Anvil, model: Model, evaluated: Circuit) -> Iterator[Stage]:
    with evaluated_stage(anvil, model, evaluated) as made:
        yield made


@pytest.fixture
def stage(opened: Stage) -> Iterator[Stage]:
    snapshot = opened.chain.anvil.snapshot()
    yield opened
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def proven(stage: Stage) -> ProvenRun:
    return stage.runner.prove(stage.runner.plan(PROMPT))


def refusal(stage: Stage, call: RunCall) -> RevertError:
    with pytest.raises(RevertError) as error:
        stage.runner.sender.estimate_gas(call)
    return error.value


def other_output(claim: Claim, index: int, difference: int) -> Claim:
    y = list(unpack(claim.output, OUTPUT_BYTES))
    y[index] += difference
    return replace(claim, output=pack(y, OUTPUT_BYTES))


def test_a_run_happens_without_a_proof(stage: Stage) -> None:
    before = stage.usdc()
    completed = stage.runner.run(PROMPT)
    assert {proof.proof for proof in completed.proven.proofs} == {b""}
    after = stage.usdc()
    assert (after.pool - before.pool, after.wallet - before.wallet) == (5 * 10**6, -5 * 10**6)
    gas = iteration_gas(stage.chain.web3, completed.inclusion.hash, completed.proven.plan.identity)
    assert gas is not None
    assert all(20_000 < iteration.verify < 40_000 for iteration in gas)


def test_a_run_of_three_evaluated_decisions_stays_within_its_budget(stage: Stage) -> None:
    """The first run of its agent, terms included."""
    completed = stage.runner.run(b"withdraw all my USDC")
    assert len(completed.proven.plan.decisions) == 3
    print(f"a run of three decisions: {completed.inclusion.result.gas_used} gas")
    assert completed.inclusion.result.gas_used <= RUN_BUDGET


@pytest.mark.parametrize(("index", "difference"), [(0, 1), (0, -1), (27, 1)])
def test_a_wrong_claim_reverts_with_what_the_model_computes(
    stage: Stage, proven: ProvenRun, index: int, difference: int
) -> None:
    claim = proven.call.claims[0]
    claims = (other_output(claim, index, difference), *proven.call.claims[1:])
    error = refusal(stage, replace(proven.call, claims=claims))
    assert error.name == "OutputMismatch"
    assert error.arguments["index"] == index
    assert error.arguments["expected"] == unpack(claim.output, OUTPUT_BYTES)[index]


def test_a_claim_that_makes_another_decision_reverts(stage: Stage, proven: ProvenRun) -> None:
    """Declining would end the run at once, with all claims used: only evaluation is in the way."""
    lie = other_output(proven.call.claims[0], DECLINE, 1 << 60)
    terms = replace(proven.terms, calls=proven.terms.calls[-1:])
    error = refusal(stage, replace(proven.call, claims=(lie,), proofs=(b"",), terms=terms))
    assert error.name == "OutputMismatch"


def test_a_proof_is_not_taken_where_none_is_due(stage: Stage, proven: ProvenRun) -> None:
    proofs = (*proven.call.proofs[:-1], b"\1")
    assert refusal(stage, replace(proven.call, proofs=proofs)).name == "ProofNotEmpty"


def test_the_registry_names_the_proof_system_and_the_onnx_file(stage: Stage, model: Model) -> None:
    deployment = stage.chain.deployment
    registry = at(stage.chain.web3, "ModelRegistry", deployment.registry)
    commitment, *_ = call(stage.chain.web3, registry.functions.getModel(deployment.model_id))
    _, circuit, _, system, _ = commitment
    assert system == PROOF_SYSTEM_ID
    assert circuit.hex() == deployment.circuit == model.manifest.files.onnx
    call(stage.chain.web3, registry.functions.checkCode(deployment.model_id))


def test_the_contract_agrees_with_the_model_on_features_real_and_extreme(
    stage: Stage, proven: ProvenRun, model: Model
) -> None:
    verifier = at(stage.chain.web3, "IEvmModel", stage.chain.deployment.contracts.verifier)
    for x in (*map(list, proven.plan.inputs), *samples(model.manifest.input_count, count=3)):
        assert tuple(call(stage.chain.web3, verifier.functions.evaluate(x))) == model.infer(x)


@pytest.fixture
def target(stage: Stage, tmp_path: Path) -> list[str]:
    key, deployment = tmp_path / "key", tmp_path / "deployment.json"
    key.write_text(bytes(stage.chain.owner.key).hex())
    deployment.write_text(stage.chain.deployment.to_json())
    rpc = ["--rpc", stage.chain.anvil.rpc_url]
    return [*rpc, "--deployment", str(deployment), "--key-file", str(key)]


def test_the_command_runs_without_a_circuit_and_the_receipt_verifies(
    target: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = tmp_path / "receipt.json"
    main(["run", PROMPT.decode(), *target, "--yes", "--receipt", str(receipt), "--json"])
    (run,) = json.loads(receipt.read_text())["runs"]
    assert run["model"]["proof_system_id"] == f"0x{PROOF_SYSTEM_ID.hex()}"
    assert [proof["proof"] for proof in run["proofs"]] == ["0x", "0x"]
    capsys.readouterr()
    main(["verify-run", str(receipt), "--json"])
    assert json.loads(capsys.readouterr().out)["accepted"]
    main(["verify-run", str(receipt), *target[:2], "--json"])
    assert json.loads(capsys.readouterr().out)["accepted"]


def test_a_receipt_that_names_the_other_proof_system_is_refused(
    target: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "receipt.json"
    main(["run", PROMPT.decode(), *target, "--yes", "--receipt", str(path)])
    receipt = json.loads(path.read_text())
    receipt["runs"][0]["model"]["proof_system_id"] = f"0x{EZKL_ID.hex()}"
    path.write_text(json.dumps(receipt))
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["verify-run", str(path)])
    assert "proof system" in capsys.readouterr().out


def test_decisions_that_nobody_proves_cannot_share_a_proof(
    target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", PROMPT.decode(), *target, "--yes", "--batch"])
    said = capsys.readouterr().err
    assert "has no verifier for several decisions" in said
    assert "leave out --batch" in said


def test_the_audit_generates_the_contract_again(
    stage: Stage, target: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    number = str(stage.chain.deployment.model_id)
    main(["model", "audit", number, *target[:4], "--json"])
    assert json.loads(capsys.readouterr().out)["held"]
    verifier = stage.chain.deployment.contracts.verifier
    code = bytearray(stage.chain.web3.eth.get_code(verifier))
    code[len(code) // 2] ^= 1
    stage.chain.anvil.rpc("anvil_setCode", verifier, f"0x{code.hex()}")
    with pytest.raises(SystemExit):
        main(["model", "audit", number, *target[:4], "--json"])
    problems = [check["problem"] for check in json.loads(capsys.readouterr().out)["checks"]]
    assert any("differs from EvmModel" in problem for problem in problems)


def test_a_contract_of_another_model_is_not_registered(
    chain: Anvil, model: Model, tmp_path: Path
) -> None:
    onnx = tmp_path / "other.onnx"
    onnx.write_bytes(square_network())
    other = EVALUATED.build(onnx)
    with pytest.raises(EvmModelError, match="generate it from the model's own file"):
        deploy_wallet(chain.web3, model, other, chain.accounts[0])


def test_an_evaluation_holds_without_a_proof_and_with_the_right_output(model: Model) -> None:
    x = [0] * model.manifest.input_count
    circuit, y = EVALUATED.build(model.onnx_path), model.infer(x)
    check = LocalCircuits()(model, circuit.digest, 1, PROOF_SYSTEM_ID)
    assert check(x, y, InlineProver(circuit).prove(x).proof)
    assert not check(x, y, b"\0")
    assert not check(x, (y[0] + 1, *y[1:]), b"")
