"""An operator at a desk on a real chain: answers, money, restarts, reorganisations, rivals."""

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.executor.operating.told import Told, status, turns
from tests.support.desk_stage import ETHER, DeskStage
from zkagent.executor.chain.abi import NO_HANDLER
from zkagent.executor.chain.agent import Fact
from zkagent.executor.chain.desk import Status
from zkagent.executor.operating.desk_operator import REBROADCAST_S, DeskOperator
from zkagent.executor.operating.events import (
    Answered,
    Lost,
    PutOff,
    Reverted,
    Sent,
    Trouble,
    Undone,
)
from zkagent.executor.operating.policy import Policy
from zkagent.executor.operating.watch import DEPTH

FIVE = "deposit 5 USDC"


def test_a_request_is_answered_and_its_fee_is_the_operators(
    stage: DeskStage, tmp_path: Path
) -> None:
    posted = stage.asked(tmp_path, FIVE)
    told = Told()
    turns(stage.operating(tmp_path, report=told))
    assert status(stage, posted.id) is Status.DELIVERED
    assert stage.pooled() == 5_000_000
    assert stage.owed(stage.operator) == ETHER
    (answered,) = told.of(Answered)
    assert isinstance(answered, Answered)
    receipt = stage.anvil.web3.eth.get_transaction_receipt(answered.transaction)
    assert answered.cost_wei == receipt["gasUsed"] * receipt["effectiveGasPrice"]
    assert not told.of(PutOff) + told.of(Trouble)
    outcome = stage.requesting(tmp_path).outcome(posted)
    assert outcome.answer == b"Successfully deployed"


def test_nothing_is_sent_for_a_fee_that_gas_costs_more_than(
    stage: DeskStage, tmp_path: Path
) -> None:
    posted = stage.asked(tmp_path, FIVE, fee=1000)
    told = Told()
    turns(stage.operating(tmp_path, report=told))
    assert {"less than" in off.why for off in told.of(PutOff) if isinstance(off, PutOff)} == {True}
    assert not told.of(Sent)
    assert status(stage, posted.id) is Status.PENDING
    turns(stage.operating(tmp_path, policy=Policy(at_a_loss=True)))
    assert status(stage, posted.id) is Status.DELIVERED


def test_what_a_transaction_may_cost_is_not_more_than_the_fee(
    stage: DeskStage, tmp_path: Path
) -> None:
    posted = stage.asked(tmp_path, FIVE)
    told = Told()
    stage.operating(tmp_path, report=told).turn()
    (sent,) = told.of(Sent)
    assert isinstance(sent, Sent)
    assert posted.request.order.fee >= sent.most_wei
    gas = stage.anvil.web3.eth.get_transaction(sent.transaction)["gas"]
    base = stage.anvil.web3.eth.get_block("latest")["baseFeePerGas"]
    tight = gas * (base + 10**9) * 11 // 10
    stage.asked(tmp_path, "deposit 6 USDC", fee=tight)
    told.clear()
    turns(stage.operating(tmp_path, report=told))
    later = [event for event in told.of(Sent) if isinstance(event, Sent)]
    assert later
    assert all(event.most_wei <= tight for event in later)


def test_whoever_was_killed_before_broadcasting_sends_what_the_journal_has(
    stage: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted = stage.asked(tmp_path, FIVE)
    operator = stage.operating(tmp_path)
    monkeypatch.setattr(operator, "_broadcast", lambda record: None)
    operator.turn()
    (record,) = operator.journal.records()
    assert record.state == "sent"
    assert stage.anvil.web3.eth.get_transaction_count(stage.operator.address) == 0
    told = Told()
    turns(stage.operating(tmp_path, report=told))
    assert not told.of(Sent)
    (answered,) = told.of(Answered)
    assert isinstance(answered, Answered)
    assert answered.transaction == record.hashes[0]
    assert status(stage, posted.id) is Status.DELIVERED


def test_nothing_is_signed_beside_a_transaction_that_is_on_its_way(
    stage: DeskStage, tmp_path: Path
) -> None:
    stage.asked(tmp_path, FIVE)
    stage.asked(tmp_path, "deposit 6 USDC")
    stage.anvil.rpc("evm_setAutomine", False)
    told = Told()
    for _ in range(4):
        stage.operating(tmp_path, report=told).turn()  # each as after a restart
    assert len(told.of(Sent)) == 1
    stage.anvil.rpc("evm_setAutomine", True)
    stage.anvil.rpc("evm_mine")
    turns(stage.operating(tmp_path, report=told), 12)
    assert len(told.of(Sent)) == 2
    assert stage.pooled() == 11_000_000


def test_an_answer_whose_block_is_gone_is_sent_again(stage: DeskStage, tmp_path: Path) -> None:
    posted = stage.asked(tmp_path, FIVE)
    before = stage.anvil.snapshot()
    policy = Policy(confirmations=3)
    told = Told()
    stage.operating(tmp_path, policy=policy, report=told).turn()
    operator = stage.operating(tmp_path, policy=policy, report=told)
    operator.turn()
    assert [r.state for r in operator.journal.records()] == ["included"]
    stage.anvil.revert(before)
    assert status(stage, posted.id) is Status.PENDING
    operator.turn()
    assert told.of(Undone)
    operator.turn()
    assert status(stage, posted.id) is Status.DELIVERED
    assert len(told.of(Sent)) == 1, "the same transaction, once more"
    stage.anvil.rpc("anvil_mine", "0x3")
    operator.turn()
    assert [r.state for r in operator.journal.records()] == ["answered"]


def test_an_old_request_whose_answer_is_taken_back_is_open_again(
    stage: DeskStage, tmp_path: Path
) -> None:
    """It was posted in a block that is not replaced any more, and ended in one that is."""
    posted = stage.asked(tmp_path, FIVE)
    stage.anvil.rpc("anvil_mine", hex(2 * DEPTH))
    before, told = stage.anvil.snapshot(), Told()
    operator = stage.operating(tmp_path, policy=Policy(confirmations=3), report=told)
    turns(operator, 3)
    assert status(stage, posted.id) is Status.DELIVERED
    stage.anvil.revert(before)
    turns(operator, 3)
    stage.anvil.rpc("anvil_mine", "0x3")
    turns(operator, 3)
    assert status(stage, posted.id) is Status.DELIVERED
    assert not told.of(Lost)
    assert len(told.of(Answered)) == 1
    stage.anvil.rpc("anvil_mine", hex(2 * DEPTH))
    turns(operator, 3)
    assert not operator.watch.known


def test_a_request_that_another_answers_is_left_to_them(stage: DeskStage, tmp_path: Path) -> None:
    posted = stage.asked(tmp_path, FIVE)
    stage.anvil.rpc("evm_setAutomine", False)
    told = Told()
    ours = stage.operating(tmp_path / "ours", report=told)
    ours.turn()
    stage.anvil.rpc("anvil_dropAllTransactions")
    stage.anvil.rpc("evm_setAutomine", True)
    rival = stage.anvil.accounts[5]
    turns(stage.operating(tmp_path / "theirs", by=rival))
    turns(ours)
    assert told.of(Lost)
    assert not told.of(Answered) + told.of(Reverted)
    assert stage.owed(rival) == ETHER
    assert stage.owed(stage.operator) == 0
    assert status(stage, posted.id) is Status.DELIVERED
    assert stage.pooled() == 5_000_000


def test_the_nonce_of_what_was_given_up_goes_to_the_next(stage: DeskStage, tmp_path: Path) -> None:
    stage.asked(tmp_path, FIVE)
    stage.anvil.rpc("evm_setAutomine", False)
    told = Told()
    ours = stage.operating(tmp_path / "ours", report=told)
    ours.turn()
    stage.anvil.rpc("anvil_dropAllTransactions")
    stage.anvil.rpc("evm_setAutomine", True)
    turns(stage.operating(tmp_path / "theirs", by=stage.anvil.accounts[5]))
    stage.asked(tmp_path, "deposit 6 USDC")
    turns(ours)
    first, second = (event for event in told.of(Sent) if isinstance(event, Sent))
    assert first.nonce == second.nonce
    assert second.replaces
    assert stage.owed(stage.operator) == ETHER


def dear(stage: DeskStage, folder: Path, told: Told) -> DeskOperator:
    """Whose transaction for FIVE offers as much as its fee allows, and is in no block."""
    stage.asked(folder, FIVE, fee=ETHER // 50)
    stage.anvil.rpc("evm_setAutomine", False)
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(16 * 10**9))
    stage.anvil.rpc("evm_mine")
    operator = stage.operating(folder / "ours", report=told)
    operator.turn()
    (sent,) = told.of(Sent)
    assert isinstance(sent, Sent)
    assert sent.most_wei * 9 // 8 > ETHER // 50
    return operator


def cheap(stage: DeskStage, *, automine: bool) -> None:
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(10**9))
    stage.anvil.rpc("evm_mine")
    stage.anvil.rpc("evm_setAutomine", automine)


def test_what_the_node_forgot_of_a_dear_nonce_is_not_to_be_exceeded(
    stage: DeskStage, tmp_path: Path
) -> None:
    told = Told()
    ours = dear(stage, tmp_path, told)
    stage.anvil.rpc("anvil_dropAllTransactions")
    cheap(stage, automine=True)
    (record,) = ours.journal.records()
    ours.journal.write(replace(record, state="idle"))  # as after the block before it is gone
    turns(ours)
    first, second = (event for event in told.of(Sent) if isinstance(event, Sent))
    assert first.nonce == second.nonce
    assert second.most_wei < first.most_wei
    assert not told.of(PutOff) + told.of(Trouble)
    assert status(stage, 1) is Status.DELIVERED


def test_the_very_transaction_that_the_node_forgot_is_sent_at_once_and_counted_once(
    stage: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where neither the prices nor the clock of the chain have changed."""
    stage.asked(tmp_path, FIVE)
    stage.anvil.rpc("evm_setAutomine", False)
    told = Told()
    ours = stage.operating(tmp_path / "ours", report=told)
    ours.clock = lambda: 0.0
    ours.turn()
    stage.anvil.rpc("anvil_dropAllTransactions")
    (record,) = ours.journal.records()
    raw = record.last
    monkeypatch.setattr(ours.sender, "sign", lambda call, **how: raw)
    ours.journal.write(replace(record, state="idle"))
    ours.turn()
    first, second = (event for event in told.of(Sent) if isinstance(event, Sent))
    assert first.transaction == second.transaction
    stage.anvil.rpc("evm_setAutomine", True)
    stage.anvil.rpc("evm_mine")
    turns(ours)
    (record,) = ours.journal.records()
    assert record.hashes == (first.transaction,)
    receipt = stage.anvil.web3.eth.get_transaction_receipt(first.transaction)
    (answered,) = told.of(Answered)
    assert isinstance(answered, Answered)
    assert answered.cost_wei == receipt["gasUsed"] * receipt["effectiveGasPrice"]


def test_what_the_node_has_of_a_dear_nonce_is_exceeded_or_waited_for(
    stage: DeskStage, tmp_path: Path
) -> None:
    """It takes no transaction for less, so none is signed; a block takes what is there."""
    told = Told()
    ours = dear(stage, tmp_path, told)
    (record,) = ours.journal.records()
    ours.journal.write(replace(record, state="idle"))
    ours.turn()
    (off,) = told.of(PutOff)
    assert isinstance(off, PutOff)
    fee, needed = (int(n.replace(",", "")) for n in re.findall(r"[\d,]{9,}", off.why))
    assert fee == ETHER // 50 < needed
    assert len(told.of(Sent)) == 1
    cheap(stage, automine=True)
    stage.anvil.rpc("evm_mine")
    turns(ours)
    assert status(stage, 1) is Status.DELIVERED
    assert told.of(Answered)


def test_a_fee_spike_is_answered_by_a_higher_offer_or_waited_for(
    stage: DeskStage, tmp_path: Path
) -> None:
    posted = stage.asked(tmp_path, FIVE, fee=ETHER // 10)
    stage.anvil.rpc("evm_setAutomine", False)
    told = Told()
    operator = stage.operating(tmp_path, report=told)
    operator.turn()
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(40 * 10**9))
    stage.anvil.rpc("evm_mine")
    operator.turn()
    first, second = (event for event in told.of(Sent) if isinstance(event, Sent))
    assert second.replaces
    assert second.most_wei <= ETHER // 10
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(450 * 10**9))
    stage.anvil.rpc("evm_mine")
    operator.turn()
    assert len(told.of(Sent)) == 2, "it would cost more than the fee"
    stage.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(10**9))
    stage.anvil.rpc("evm_mine")
    stage.anvil.rpc("evm_setAutomine", True)
    operator.clock = lambda: time.monotonic() + REBROADCAST_S  # nodes drop what is too cheap
    turns(operator)
    assert status(stage, posted.id) is Status.DELIVERED
    assert first.nonce == second.nonce


def test_requests_that_are_not_for_us_are_left(stage: DeskStage, tmp_path: Path) -> None:
    requester = stage.requesting(tmp_path)
    order = stage.order(FIVE)
    others = str(stage.anvil.accounts[6].address).lower()
    requester.post(replace(order, operator=others))
    requester.post(replace(order, prompt=b"deposit 6 USDC", fee=0))
    book = stage.deployment.registry.lower()
    fact = Fact(book, b"\0\0\0\0", bytes(32))
    requester.post(replace(order, prompt=b"deposit 7 USDC", facts=(fact,)))
    requester.post(replace(order, prompt=b"\xff\xfe"))
    told = Told()
    turns(stage.operating(tmp_path, report=told))
    reasons = {e.number: e.why for e in told.of(PutOff) if isinstance(e, PutOff)}
    assert "is for operator" in reasons[1]
    assert "pays nothing" in reasons[2]
    assert "facts" in reasons[3]
    assert set(reasons) == {1, 2, 3, 4}
    assert not told.of(Sent)


def counted(operator: DeskOperator) -> list[bytes]:
    """The prompts that are planned from now on."""
    prompts, plan = list[bytes](), operator.runner.plan

    def planned(prompt: bytes, **how: Any) -> Any:
        prompts.append(prompt)
        return plan(prompt, **how)

    operator.runner.plan = planned  # type: ignore[method-assign]
    return prompts


@pytest.mark.parametrize(
    ("fee", "gas", "why"),
    [
        (1, 0, r"its fee of 1 wei is less than [\d,]+ for gas"),
        (ETHER // 1000, 10_000_000, r"its fee of 1,000,000,000,000,000 wei is less than"),
        (10 * ETHER, 4_000_000_000, r"to get 4,000,000,000 gas, and a block has 1,000,000,000"),
    ],
)
def test_nothing_is_planned_for_what_cannot_pay_its_callback(
    stage: DeskStage, tmp_path: Path, fee: int, gas: int, why: str
) -> None:
    handler = stage.desk if gas else NO_HANDLER
    order = replace(stage.order(FIVE), fee=fee, gas_for_callback=gas, handler=handler)
    stage.requesting(tmp_path).post(order)
    stage.asked(tmp_path, "deposit 6 USDC")
    told = Told()
    operator = stage.operating(tmp_path, report=told)
    planned = counted(operator)
    turns(operator)
    (off,) = told.of(PutOff)
    assert isinstance(off, PutOff)
    assert re.search(why, off.why)
    assert planned == [b"deposit 6 USDC"]
    assert status(stage, 2) is Status.DELIVERED


def test_at_a_loss_a_fee_is_no_reason_against_planning(stage: DeskStage, tmp_path: Path) -> None:
    stage.asked(tmp_path, FIVE, fee=1)
    operator = stage.operating(tmp_path, policy=Policy(at_a_loss=True))
    planned = counted(operator)
    turns(operator)
    assert planned == [FIVE.encode()]
    assert status(stage, 1) is Status.DELIVERED


def test_a_bad_request_does_not_hold_up_the_next(stage: DeskStage, tmp_path: Path) -> None:
    stage.asked(tmp_path, "withdraw 5 USDC")  # of which there are none in the pool
    good = stage.asked(tmp_path, FIVE)
    told = Told()
    turns(stage.operating(tmp_path, report=told))
    assert status(stage, good.id) is Status.DELIVERED
    assert {e.number for e in told.of(PutOff) if isinstance(e, PutOff)} == {1}
