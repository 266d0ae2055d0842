"""A model's owner who changes or withdraws it behind a run: what happened has its receipt."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import LyingNode, lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.runs import settlement
from zkagent.executor.runs.errors import RunUnsettled
from zkagent.executor.runs.journal import Journal
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil, send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError

Change = Callable[[Stage], Any]


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def stage(opened: Stage) -> Iterator[Stage]:
    snapshot = opened.chain.anvil.snapshot()
    yield opened
    opened.chain.anvil.rpc("evm_setAutomine", True)
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def key_file(stage: Stage, tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(bytes(stage.chain.owner.key).hex())
    return path


def withdrawn(stage: Stage) -> Any:
    deployment = stage.chain.deployment
    return registry(stage).functions.deprecateModel(deployment.model_id)


def with_a_batch_verifier(stage: Stage) -> Any:
    deployment = stage.chain.deployment
    verifier = deployment.contracts.verifier
    code = stage.chain.web3.keccak(stage.chain.web3.eth.get_code(verifier))
    batch = (2, verifier, b"\x01" * 32, code)
    return registry(stage).functions.setBatchVerifiers(deployment.model_id, [batch])


def registry(stage: Stage) -> Any:
    return at(stage.chain.web3, "ModelRegistry", stage.chain.deployment.registry)


def mined_behind(stage: Stage, node: LyingNode, change: Change) -> None:
    """The run, and the owner's change behind it in the same block."""

    def hand_in(honest: Callable[[], Any]) -> Any:
        rpc, owner = stage.chain.anvil.rpc, stage.chain.owner
        rpc("evm_setAutomine", False)
        name = honest()
        fields = {"from": owner.address, "nonce": stage.mined_by_owner() + 1, "gas": 1_000_000}
        transaction = change(stage).build_transaction(fields)
        signed = owner.sign_transaction(transaction)
        stage.chain.web3.eth.send_raw_transaction(signed.raw_transaction)
        rpc("evm_mine")
        rpc("evm_setAutomine", True)
        return name

    node.lies["eth_sendRawTransaction"] = hand_in


@pytest.mark.parametrize("change", [withdrawn, with_a_batch_verifier])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_change_in_the_runs_own_block_leaves_a_receipt_that_holds(
    stage: Stage, key_file: Path, runs: Path, change: Change, interrupted: bool
) -> None:
    """interrupted: what is recorded is made of the transaction."""
    address = stage.chain.deployment.agent
    with lying_node(stage.chain.anvil.rpc_url) as node:
        mined_behind(stage, node, change)
        with zkagent.agent(node.url, address, key_file=key_file) as agent:
            if interrupted:
                agent.carrier._remember = lambda record, preview: None  # type: ignore[method-assign]
            run = agent.run("deposit 7 USDC")
    assert len(stage.chain.web3.eth.get_block(run.block)["transactions"]) == 2
    report = zkagent.verify_receipt(run.receipt, rpc=stage.chain.anvil.rpc_url)
    assert [str(check) for check in report.checks if not check.held] == []


def test_what_happened_before_a_model_was_withdrawn_gets_its_receipt(
    stage: Stage, key_file: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    rpc, address = stage.chain.anvil.rpc_url, stage.chain.deployment.agent
    with (
        zkagent.agent(rpc, address, key_file=key_file, confirmations=3, timeout_s=1) as agent,
        pytest.raises(RunUnsettled),
    ):
        agent.run("deposit 7 USDC")
    send(stage.chain.web3, withdrawn(stage), stage.chain.owner)
    stage.chain.anvil.rpc("anvil_mine", "0x3")
    before = stage.mined_by_owner()
    with zkagent.agent(rpc, address, key_file=key_file) as agent:
        run = agent.run("deposit 7 USDC")
    assert zkagent.verify_receipt(run.receipt, rpc=rpc).accepted
    assert [record.state for record in Journal(runs).records()] == ["done"]
    with pytest.raises(RevertError, match="ModelIsDeprecated"):
        zkagent.agent(rpc, address, key_file=key_file).__enter__()
    assert stage.mined_by_owner() == before


def test_a_session_that_cannot_prove_begins_no_run(
    stage: Stage, key_file: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    rpc, address = stage.chain.anvil.rpc_url, stage.chain.deployment.agent
    with (
        zkagent.agent(rpc, address, key_file=key_file, confirmations=3, timeout_s=1) as agent,
        pytest.raises(RunUnsettled),
    ):
        agent.run("deposit 7 USDC")
    send(stage.chain.web3, withdrawn(stage), stage.chain.owner)
    before = stage.mined_by_owner()
    with (
        zkagent.agent(rpc, address, key_file=key_file) as agent,
        pytest.raises(zkagent.ZkagentError, match="ModelIsDeprecated"),
    ):
        agent.run("deposit 8 USDC")
    assert stage.mined_by_owner() == before
