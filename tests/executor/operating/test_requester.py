"""The user's side of a desk on a real chain: posting once, waiting, taking back; what it costs."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.executor.operating.test_desk_operator import FIVE, status, turns
from tests.support.desk_stage import ETHER, DeskStage
from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.desk import Status, fulfil_data
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.operating.errors import (
    NoSuchRequest,
    NotRefundable,
    OperatorInHand,
    RequestUnanswered,
)
from zkagent.executor.operating.estimate import estimate
from zkagent.executor.operating.session import DeskSession, checked_desk
from zkagent.verifier_contracts.deployment.desk import NOBODY


def test_posting_that_was_interrupted_is_gone_on_with_and_posts_once(
    stage: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = stage.order(FIVE)
    killed = stage.requesting(tmp_path)

    def die(raw: bytes) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(killed.sender, "broadcast", die)
    with pytest.raises(KeyboardInterrupt):
        killed.post(order)
    posted = stage.requesting(tmp_path).post(replace(order, deadline=order.deadline + 7))
    assert posted.request.order.deadline == order.deadline
    again = stage.requesting(tmp_path).post(order)
    assert again == posted
    desk = Web3Desk(stage.anvil.web3, stage.desk)
    assert desk.count(desk.head()) == 1


def test_an_equal_request_is_a_new_one_once_the_first_is_over(
    stage: DeskStage, tmp_path: Path
) -> None:
    first = stage.asked(tmp_path, FIVE)
    turns(stage.operating(tmp_path))
    assert stage.asked(tmp_path, FIVE).id == first.id + 1


def test_whoever_waits_is_told_the_answer_or_that_there_is_none(
    stage: DeskStage, tmp_path: Path
) -> None:
    posted, requester = stage.asked(tmp_path, FIVE), stage.requesting(tmp_path)
    with pytest.raises(RequestUnanswered, match="pending"):
        requester.wait(posted, 0.01)
    turns(stage.operating(tmp_path))
    outcome = requester.wait(posted, 0.01)
    assert (outcome.status, outcome.answer) == (Status.DELIVERED, b"Successfully deployed")
    assert requester.find(posted.id) == posted
    with pytest.raises(NoSuchRequest):
        requester.find(posted.id + 1)


def test_a_fee_is_taken_back_after_the_deadline_and_once(stage: DeskStage, tmp_path: Path) -> None:
    posted, requester = stage.asked(tmp_path, FIVE), stage.requesting(tmp_path)
    with pytest.raises(NotRefundable, match="RequestNotOver"):
        requester.refund(posted)
    stage.anvil.rpc("evm_increaseTime", 3700)
    stage.anvil.rpc("evm_mine")
    with pytest.raises(NotRefundable, match="it is 0x"):
        stage.requesting(tmp_path, by=stage.anvil.accounts[5]).refund(posted)
    before = stage.anvil.web3.eth.get_balance(stage.user.address)
    assert requester.refund(posted) == ETHER
    assert stage.anvil.web3.eth.get_balance(stage.user.address) > before + ETHER * 99 // 100
    assert requester.refund(posted) == 0
    assert status(stage, posted.id) is Status.REFUNDED


def test_an_answered_request_is_not_refunded(stage: DeskStage, tmp_path: Path) -> None:
    posted = stage.asked(tmp_path, FIVE)
    turns(stage.operating(tmp_path))
    stage.anvil.rpc("evm_increaseTime", 3700)
    stage.anvil.rpc("evm_mine")
    with pytest.raises(NotRefundable, match="delivered"):
        stage.requesting(tmp_path).refund(posted)


def test_two_processes_do_not_send_for_one_account(stage: DeskStage, tmp_path: Path) -> None:
    one, other = stage.requesting(tmp_path), stage.requesting(tmp_path)
    with one.journal.held(), pytest.raises(OperatorInHand):
        other.post(stage.order(FIVE))


def test_an_estimate_is_what_the_answer_takes(stage: DeskStage, tmp_path: Path) -> None:
    operator = stage.operating(tmp_path)
    desk, names = checked_desk(stage.anvil.web3, stage.desk)
    session = DeskSession(
        stage.anvil.web3, desk, names, operator.sender, operator.runner, stage.circuit
    )
    found = estimate(session, stage.order(FIVE))
    assert desk.count(desk.head()) == 0, "nothing was sent"
    posted = stage.asked(tmp_path, FIVE)
    assert posted.request.requester != names.patron == NOBODY
    run = operator.runner.prove(operator.runner.plan(FIVE.encode())).call
    real = operator.sender.estimate_gas(ContractCall(fulfil_data(posted, run)))
    assert abs(found.answering_gas - real) < 2_000
    receipt = stage.anvil.web3.eth.get_transaction_receipt(posted.transaction)
    assert abs(found.posting_gas - receipt["gasUsed"]) < 2_000
    assert (found.decisions, found.answer) == (2, "Successfully deployed")
    assert found.least_fee_wei < found.suggested_fee_wei


def test_a_desk_of_other_code_is_refused(stage: DeskStage) -> None:
    code = bytes(stage.anvil.web3.eth.get_code(stage.desk))
    stage.anvil.rpc("anvil_setCode", stage.desk, "0x" + (code + b"\0").hex())
    with pytest.raises(NoAgentThere, match="not that of a RequestDesk"):
        checked_desk(stage.anvil.web3, stage.desk)
    stage.anvil.rpc("anvil_setCode", stage.desk, "0x" + code.hex())
    assert checked_desk(stage.anvil.web3, stage.desk)[1].agent == stage.agent.lower()
