"""Receipts of agents that read their tools, as owners get them and as anybody verifies them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from eth_utils.address import to_checksum_address

import zkagent
from tests.integration.journalled.world import Killed, killing
from tests.support.reader_stage import BOB, ReaderStage, reader_stage
from zkagent.executor.api.agents import Agent
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import CannotVerify, HappenedUnreceipted
from zkagent.executor.receipts.format import Receipt, parse_receipt, signed_text
from zkagent.executor.runs import recovery
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.records import RunRecord

pytestmark = [pytest.mark.slow, pytest.mark.chain]

PAY = "pay bob 5"


@pytest.fixture(scope="module")
def opened() -> Iterator[ReaderStage]:
    pytest.importorskip("groth16py")
    with reader_stage() as stage:
        yield stage


@pytest.fixture
def stage(opened: ReaderStage, tmp_path: Path) -> Iterator[ReaderStage]:
    """With a journal of its own."""
    snapshot = opened.anvil.snapshot()
    session = replace(opened.session, journal=Journal(tmp_path / "runs"))
    yield replace(opened, session=session)
    opened.anvil.revert(snapshot)


# Interrupted


@pytest.fixture
def interrupted(stage: ReaderStage, monkeypatch: pytest.MonkeyPatch) -> RunRecord:
    """A run whose process ended when its transaction was sent: nobody knows plan and proof."""
    killing(monkeypatch, Web3Sender, "broadcast", after=True)
    with pytest.raises(Killed):
        Agent(stage.session).run(PAY)
    return stage.session.journal.records()[-1]


def test_an_interrupted_run_gets_its_receipt_when_it_is_repeated(
    stage: ReaderStage, interrupted: RunRecord
) -> None:
    run = Agent(stage.session).run(PAY)
    assert run.transaction == interrupted.hash
    assert stage.paid(BOB) == 5
    assert run.decisions[0].words == "Pay(to=bob, amount=5)"
    report = zkagent.verify_receipt(run.path)
    assert report.accepted, report.problems


def test_one_that_an_earlier_version_made_no_receipt_of_gets_it_when_it_is_resumed(
    stage: ReaderStage, interrupted: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else was in its block, so nothing else is blamed."""
    with monkeypatch.context() as earlier:
        earlier.setattr(recovery, "with_answers", lambda chain, model, context: context)
        with pytest.raises(HappenedUnreceipted, match="no transaction of that block") as caught:
            Agent(stage.session).run(PAY)
    assert "another transaction" not in str(caught.value)
    record = stage.session.journal.find(interrupted.id)
    assert record.unreceipted
    run = Agent(stage.session).resume(record)
    assert zkagent.verify_receipt(run.path).accepted
    assert stage.paid(BOB) == 5


# Verified by anybody


@pytest.fixture
def receipt(stage: ReaderStage) -> Receipt:
    return Agent(stage.session).run(PAY).receipt


def signed(stage: ReaderStage, receipt: Receipt, **changes: str) -> Receipt:
    """The run's model with other fields, signed anew by its requester."""
    document = receipt.document
    document["runs"][0]["model"].update(changes)
    document["signature"] = sign_receipt(stage.session.signer, signed_text(document))
    return parse_receipt(json.dumps(document))


def test_a_receipt_holds_offline_and_names_the_shipped_reader(
    stage: ReaderStage, receipt: Receipt
) -> None:
    report = zkagent.verify_receipt(receipt)
    assert report.accepted, report.problems
    named = zkagent.verify_receipt(receipt, model="reader")
    assert named.accepted
    assert not any("not shipped" in check.note for check in named.checks)


def test_a_receipt_of_another_model_is_not_taken_for_the_shipped_one_s(
    stage: ReaderStage, receipt: Receipt
) -> None:
    assert zkagent.verify_receipt(signed(stage, receipt)).accepted
    for field in ("manifest_digest", "onnx_digest"):
        report = zkagent.verify_receipt(signed(stage, receipt, **{field: "5a" * 32}))
        assert report.verdict == "rejected"
        assert "the model is the one named" in {check.claim for check in report.problems}
    for name in ("reader-" + "5a" * 8, "./reader", "reader/../reader"):
        with pytest.raises(CannotVerify, match=r"or one of .*, wallet, wallet-text, reader-"):
            zkagent.verify_receipt(signed(stage, receipt, name=name))


def test_it_is_unknown_on_its_chain_until_somebody_vouches_for_the_agent_s_code(
    stage: ReaderStage, receipt: Receipt
) -> None:
    """Its tools are recognised and tied to it; what they wrap is what its author says."""
    rpc, agent = stage.anvil.rpc_url, stage.agent.address
    report = zkagent.verify_receipt(receipt, rpc=rpc)
    assert (report.verdict, report.left_out) == ("unknown", "")
    assert all(check.vouchable for check in report.problems)
    doubts = {(check.subject, check.claim) for check in report.checks if not check.held}
    assert doubts == {
        ("run 1, agent", f"{agent.lower()} is ReaderAgent"),
        ("run 1, chain", "tokens moved as decided"),
    }
    trusting = zkagent.verify_receipt(receipt, rpc=rpc, trust=[f"agent={agent}"])
    assert trusting.accepted, trusting.problems
    other = zkagent.verify_receipt(receipt, rpc=rpc, trust=[f"agent={stage.manor.address}"])
    assert other.verdict == "unknown"


def test_what_does_not_hold_is_rejected_on_the_chain_whoever_vouches(
    stage: ReaderStage, receipt: Receipt
) -> None:
    document = json.loads(receipt.to_json())
    document["runs"][0]["iterations"][0]["decision"]["values"][1] = f"0x{6:064x}"
    document["signature"] = sign_receipt(stage.session.signer, signed_text(document))
    more = parse_receipt(json.dumps(document))
    trusted = {"rpc": stage.anvil.rpc_url, "trust": [f"agent={stage.agent.address}"]}
    assert zkagent.verify_receipt(more, **trusted).verdict == "rejected"
    first = stage.session.chain.reads(stage.session.chain.head()).tools[0].address
    code = bytes(stage.web3.eth.get_code(to_checksum_address(first)))
    stranger = bytes.fromhex(stage.stranger.address[2:])
    changed = code.replace(bytes.fromhex(stage.agent.address[2:]), stranger)
    assert changed != code
    stage.anvil.rpc("anvil_setCode", first, "0x" + changed.hex())
    report = zkagent.verify_receipt(receipt, **trusted)
    assert report.verdict == "rejected"
    assert any(first.lower() in check.problem for check in report.problems)
