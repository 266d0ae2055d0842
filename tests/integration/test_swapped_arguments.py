"""A model that gives a tool its arguments in another order than the tool takes them: two addresses
change places, which the contracts do not see, since they compare types."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.errors import ArgumentsSwapped
from zkagent.executor.runs.plan import _Planning
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.fixture(scope="module", params=["recipient", "payee"])
def swapped(
    wallet: Model, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Model:
    """Transfer(recipient, amount, asset), whatever it calls the recipient."""
    folder = tmp_path_factory.mktemp("models") / "swapped"
    shutil.copytree(wallet.onnx_path.parent, folder)
    manifest = json.loads((folder / "model.json").read_text())
    (transfer,) = (each for each in manifest["actions"] if each["name"] == "Transfer")
    transfer["parameters"].reverse()
    transfer["parameters"][0]["name"] = request.param
    (folder / "model.json").write_text(json.dumps(manifest))
    return load_model(folder, Model)


@pytest.fixture(scope="module")
def stage(anvil: Anvil, swapped: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, swapped, EVALUATED.build(swapped.onnx_path)) as made:
        yield made


def test_no_run_is_planned_and_no_audit_is_sound(
    stage: Stage, swapped: Model, tmp_path: Path, runs: Path
) -> None:
    chain = stage.chain
    key_file, rpc = tmp_path / "key", chain.anvil.rpc_url
    key_file.write_text(bytes(chain.owner.key).hex())
    prompt = f"send 0.5 DAI to {chain.deployment.token('USDC').address}"
    with (
        zkagent.agent(rpc, chain.deployment.agent, key_file=key_file, model=swapped) as agent,
        pytest.raises(ArgumentsSwapped, match=r"Transfer\(recipient, amount, asset\)"),
    ):
        agent.run(prompt)
    found = zkagent.audit_agent(chain.deployment.agent, rpc, model=swapped)
    assert [str(each) for each in found.problems if not each.unknown] == [
        "agent: its model gives tools arguments in their order: "
        "Transfer(recipient, amount, asset), and the tool takes asset, amount, recipient"
    ]


def test_a_receipt_whose_words_are_not_what_moved_is_rejected(
    stage: Stage, swapped: Model, tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By who looks at nothing before: 0.0000000005 DAI are named, 500 USDC go to DAI's contract."""
    chain = stage.chain
    monkeypatch.setattr(_Planning, "check_order", lambda self, run, decision: None)
    key_file, rpc = tmp_path / "key", chain.anvil.rpc_url
    key_file.write_text(bytes(chain.owner.key).hex())
    with zkagent.agent(rpc, chain.deployment.agent, key_file=key_file, model=swapped) as agent:
        usdc = chain.deployment.token("USDC").address
        receipt = agent.run(f"send 0.0000000005 DAI to {usdc}").receipt
    assert zkagent.verify_receipt(receipt, model=swapped).accepted
    report = zkagent.verify_receipt(receipt, rpc=rpc, model=swapped)
    assert report.verdict == "rejected"
    assert "tokens moved as decided" in {check.claim for check in report.problems}
