"""A model's owner who changes or withdraws it behind a run: what happened has its receipt."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import LyingNode, lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.runs import settlement
from zkagent.executor.runs.errors import DoneBefore, RunUnsettled
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


def with_more_than_anybody_looks_into(stage: Stage) -> Any:
    deployment, web3 = stage.chain.deployment, stage.chain.web3
    verifier = deployment.contracts.verifier
    code = web3.keccak(web3.eth.get_code(verifier))
    batches = [(size, verifier, b"\x01" * 32, code) for size in range(2, MOST_BATCH + 3)]
    return registry(stage).functions.setBatchVerifiers(deployment.model_id, batches)


@pytest.fixture
def included(stage: Stage, key_file: Path, runs: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that is in a block and whose client has gone; the address of its agent."""
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    address = stage.chain.deployment.agent
    rpc = stage.chain.anvil.rpc_url
    with (
        zkagent.agent(rpc, address, key_file=key_file, confirmations=3, timeout_s=1) as agent,
        pytest.raises(RunUnsettled),
    ):
        agent.run("deposit 7 USDC")
    return address


@pytest.mark.parametrize("change", [withdrawn, with_more_than_anybody_looks_into])
@pytest.mark.parametrize("given_up", [False, True])
def test_what_happened_before_a_model_changed_gets_its_receipt(
    stage: Stage, key_file: Path, included: str, change: Change, given_up: bool
) -> None:
    """given_up: by somebody who took it for lost."""
    if given_up:
        (record,) = Journal().records()
        Journal().write(replace(record, state="forgotten", transaction="", block=0))
    send(stage.chain.web3, change(stage), stage.chain.owner)
    stage.chain.anvil.rpc("anvil_mine", "0x3")
    before, rpc = stage.mined_by_owner(), stage.chain.anvil.rpc_url
    with zkagent.agent(rpc, included, key_file=key_file) as agent:
        if given_up:
            with pytest.raises(DoneBefore):
                agent.run("deposit 7 USDC")
        else:
            agent.run("deposit 7 USDC")
    (record,) = Journal().records()
    assert record.state == "done"
    assert zkagent.verify_receipt(record.receipt, rpc=rpc).accepted
    assert stage.mined_by_owner() == before


def test_a_session_that_cannot_prove_begins_no_run(
    stage: Stage, key_file: Path, included: str
) -> None:
    send(stage.chain.web3, withdrawn(stage), stage.chain.owner)
    before, rpc = stage.mined_by_owner(), stage.chain.anvil.rpc_url
    with (
        zkagent.agent(rpc, included, key_file=key_file) as agent,
        pytest.raises(zkagent.ZkagentError, match="ModelIsDeprecated"),
    ):
        agent.run("deposit 8 USDC")
    assert stage.mined_by_owner() == before


def test_where_nothing_may_have_happened_a_withdrawn_model_is_an_error(
    stage: Stage, key_file: Path, runs: Path
) -> None:
    send(stage.chain.web3, withdrawn(stage), stage.chain.owner)
    with pytest.raises(RevertError, match="ModelIsDeprecated"):
        zkagent.agent(
            stage.chain.anvil.rpc_url, stage.chain.deployment.agent, key_file=key_file
        ).__enter__()
