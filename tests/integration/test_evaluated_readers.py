"""Agents that read their tools without proofs: the chain evaluates the reader (`evm-int-v1`)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.reader_stage import BOB, ReaderStage, reader_stage
from zkagent.circuits.systems import EVALUATED, GROTH16, system_id
from zkagent.executor.api.audits import audit_model
from zkagent.executor.chain.abi import OUTPUT_BYTES, pack, unpack
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import parse_receipt
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import ProvenRun
from zkagent.models.networks.reading import OUTPUTS
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.foundations import Foundations
from zkagent.verifier_contracts.deployment.own_model import OwnModel

pytestmark = [pytest.mark.slow, pytest.mark.chain]

PAY = b"pay bob 5"
#: Of showing both decisions, which have the same features, instances included; a proof: 404,000.
EVALUATION_BUDGET = 140_000


@pytest.fixture(scope="module")
def opened() -> Iterator[ReaderStage]:
    with reader_stage(EVALUATED) as stage:
        yield stage


@pytest.fixture
def stage(opened: ReaderStage) -> Iterator[ReaderStage]:
    snapshot = opened.anvil.snapshot()
    yield opened
    opened.anvil.revert(snapshot)


def planned(stage: ReaderStage) -> ProvenRun:
    runner = stage.session.runner
    return runner.prove(runner.plan(PAY))


def test_it_calls_the_tool_that_the_prompt_means_without_a_proof(stage: ReaderStage) -> None:
    completed = stage.session.runner.run(PAY)
    assert completed.inclusion.result.answer == b"Paid."
    assert stage.paid(BOB) == 5
    assert {proof.proof for proof in completed.proven.proofs} == {b""}
    identity = completed.proven.plan.identity
    gas = iteration_gas(stage.web3, completed.inclusion.hash, identity)
    assert gas is not None
    print([each.verify for each in gas], "of", completed.inclusion.result.gas_used)
    assert max(each.verify for each in gas) <= EVALUATION_BUDGET


@pytest.mark.parametrize("index", [0, 1, 2, 3, OUTPUTS - 1])
@pytest.mark.parametrize("difference", [-1, 1])
def test_a_claim_of_other_outputs_is_refused(
    stage: ReaderStage, index: int, difference: int
) -> None:
    """The tool, by how much it is ahead and fits, and scores of arguments: alone, and alike for
    both decisions, which have the same features."""
    run = planned(stage).call
    assert stage.error(run) == ""
    for changed in ((0,), range(len(run.claims))):
        claims = list(run.claims)
        for at in changed:
            y = list(unpack(claims[at].output, OUTPUT_BYTES))
            y[index] += difference
            claims[at] = replace(claims[at], output=pack(y, OUTPUT_BYTES))
        error = stage.error(replace(run, claims=tuple(claims)))
        assert error in (
            {"OutputMismatch"} if index else {"OutputMismatch", "OtherTool", "ToolOutOfRange"}
        )


def test_another_tool_is_refused_by_what_the_network_computes(stage: ReaderStage) -> None:
    """Declining ends the run at once with all its claims used, so that nothing but evaluation is in
    the way."""
    proven = planned(stage)
    y = list(unpack(proven.call.claims[0].output, OUTPUT_BYTES))
    y[2] = -(1 << 40)  # the prompt fits no tool
    lie = replace(proven.call.claims[0], output=pack(y, OUTPUT_BYTES))
    terms = replace(proven.terms, calls=proven.terms.calls[-1:])
    run = replace(proven.call, claims=(lie,), proofs=(b"",), terms=terms)
    assert stage.error(run) == "OutputMismatch"


def test_a_proof_is_not_taken_where_none_is_due(stage: ReaderStage) -> None:
    run = planned(stage).call
    assert stage.error(replace(run, proofs=(b"\1", *run.proofs[1:]))) == "ProofNotEmpty"


def test_its_receipt_and_its_model_are_what_they_should_be(stage: ReaderStage) -> None:
    """And a receipt with another output is not."""
    completed = stage.session.runner.run(PAY)
    receipt = write_receipt(stage.session.chain, stage.model, [completed], stage.owner)
    sources = Sources(lambda _: stage.model, LocalCircuits(), lambda _: stage.session.chain)
    report = verify_receipt(parse_receipt(receipt.to_json()), sources)
    assert [c for c in report.checks if not (c.held or c.unknown)] == []
    number, registry = int(stage.known["model"]), stage.known["registry"]
    found = audit_model(number, registry, stage.anvil.rpc_url, model=stage.model)
    assert found.verdict == "sound", found.problems


def test_another_agent_takes_the_evaluated_reader_that_is_there(stage: ReaderStage) -> None:
    there = Foundations(stage.known["registry"], stage.known["executor"])
    carrier = DirectCarrier(stage.web3, stage.owner)
    same = OwnModel(stage.model, stage.session.circuit, there, shared=True).deploy(carrier)
    assert {name: stage.known[name] for name in same} == same


def test_one_with_proofs_registers_its_own_reader_beside_it(stage: ReaderStage) -> None:
    """And finds that one again, and the evaluated one is still found."""
    pytest.importorskip("groth16py")
    there = Foundations(stage.known["registry"], stage.known["executor"])
    carrier = DirectCarrier(stage.web3, stage.owner)
    proven = OwnModel(stage.model, GROTH16.build(stage.model.onnx_path), there, shared=True)
    made = proven.deploy(carrier)
    assert made["model"] == str(int(stage.known["model"]) + 1)
    assert proven.deploy(carrier) == made
    same = OwnModel(stage.model, stage.session.circuit, there, shared=True).deploy(carrier)
    assert same["model"] == stage.known["model"]


def test_a_command_deploys_it_and_says_what_is_cheaper(
    chain: Anvil,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A second agent takes the reader that is there, and one with proofs registers its own."""
    pytest.importorskip("groth16py")
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(chain.accounts[0].key).hex())
    signing = ["--rpc", chain.rpc_url, "--key-file", "key", "--yes"]
    assert exit_code("agent", "new", "Game", "--kind", "reader") == 0
    evm = ["--proof-system", "evm"]
    assert exit_code("agent", "deploy", "Game", *signing, *evm) == 0
    said = capsys.readouterr().err
    assert "gas evaluated (--proof-system evm)" in said
    assert "evaluating is cheaper; where " in said
    wish = "sleep and regain your strength"
    made = ["--receipt", "one.json", "--json"]
    assert exit_code("agent", "run", "Game", wish, *signing, *made) == 0
    (run,) = json.loads(Path("one.json").read_text())["runs"]
    assert run["model"]["proof_system_id"] == f"0x{system_id(EVALUATED.name).hex()}"
    assert exit_code("verify-run", "one.json") == 0
    assert exit_code("agent", "audit", "Game", *signing[:2]) == 0
    receipt = json.loads(Path("one.json").read_text())
    step = receipt["runs"][0]["iterations"][0]
    step["y"] = step["y"][:-1] + ("0" if step["y"][-1] != "0" else "1")
    Path("other.json").write_text(json.dumps(receipt))
    capsys.readouterr()
    assert exit_code("verify-run", "other.json") == 1
