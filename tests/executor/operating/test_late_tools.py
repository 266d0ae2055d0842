"""An operator at a desk whose agent's tool answers later: runs are begun, and gone on with."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.executor.operating.told import Told, status, turns
from tests.support.desk_stage import ETHER, LOOKS_FIRST, POOLED, SAID, DeskStage
from zkagent.executor.chain.desk import Status
from zkagent.executor.operating.desk_operator import LATER
from zkagent.executor.operating.errors import NotRefundable
from zkagent.executor.operating.events import (
    Answered,
    Lost,
    PutOff,
    Reverted,
    Sent,
    Suspended,
    Trouble,
    Undone,
    Waits,
)
from zkagent.executor.operating.policy import Policy
from zkagent.verifier_contracts.chain.local import call
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError


def test_a_run_that_waits_is_begun_gone_on_with_and_paid_for_once(
    late: DeskStage, tmp_path: Path
) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    operator = late.operating(tmp_path, report=told)
    turns(operator)
    assert status(late, posted.id) is Status.WAITING
    assert [r.state for r in operator.journal.records()] == ["waiting"]
    assert operator.rests
    assert [w.what for w in told.of(Waits)] == [f"call 0 of tool {late.tool.lower()}"]
    assert len(told.of(Sent)) == 1
    late.tells()
    turns(operator)
    assert status(late, posted.id) is Status.DELIVERED
    assert late.pooled() == POOLED
    assert late.owed(late.operator) == ETHER
    (begun, gone_on), (suspended,), (answered,) = map(told.of, (Sent, Suspended, Answered))
    paid = 0
    for each in (begun, gone_on):
        receipt = late.anvil.web3.eth.get_transaction_receipt(each.transaction)
        paid += receipt["gasUsed"] * receipt["effectiveGasPrice"]
        assert suspended.transaction == begun.transaction
    assert answered.cost_wei == paid
    assert begun.most_wei <= ETHER // 2
    assert gone_on.most_wei <= ETHER - suspended.cost_wei
    assert not told.of(PutOff) + told.of(Trouble)


def test_an_answer_that_no_contract_s_code_holds_is_refused_by_name(
    late: DeskStage, tmp_path: Path
) -> None:
    late.asked(tmp_path, LOOKS_FIRST)
    turns(late.operating(tmp_path))
    web3 = late.anvil.web3
    waits = at(web3, "ForeignToolAgent", late.agent).functions.suspendedRun(1)
    with pytest.raises(RevertError, match="longer than the 24,575 bytes") as refused:
        late.tells("a" * 24_576)
    assert refused.value.name == "DeploymentFailed"
    assert call(web3, waits)[1][3:] == (False, "")
    late.tells("a" * 24_575)
    assert call(web3, waits)[1][3:] == (True, "a" * 24_575)


def test_who_did_not_begin_goes_on_and_is_paid(late: DeskStage, tmp_path: Path) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    ours = late.operating(tmp_path / "ours", report=told)
    turns(ours)
    late.tells()
    rival = late.anvil.accounts[5]
    turns(late.operating(tmp_path / "theirs", by=rival, policy=Policy(begin=False)))
    assert status(late, posted.id) is Status.DELIVERED
    assert late.owed(rival) == ETHER
    turns(ours)
    (lost,), (suspended,) = told.of(Lost), told.of(Suspended)
    assert lost.cost_wei == suspended.cost_wei > 0
    assert late.owed(late.operator) == 0
    assert not told.of(Answered)


def test_who_will_not_begin_for_others_leaves_it_unless_it_is_for_them_alone(
    late: DeskStage, tmp_path: Path
) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    policy = Policy(begin=False)
    turns(late.operating(tmp_path, report=told, policy=policy))
    assert {off.why for off in told.of(PutOff)} == {LATER}
    assert not told.of(Sent)
    assert status(late, posted.id) is Status.PENDING


def test_what_is_for_us_alone_is_begun_in_any_case(late: DeskStage, tmp_path: Path) -> None:
    ours = str(late.operator.address).lower()
    order = replace(late.order(LOOKS_FIRST), operator=ours)
    posted = late.requesting(tmp_path).post(order)
    turns(late.operating(tmp_path, policy=Policy(begin=False)))
    assert status(late, posted.id) is Status.WAITING


def test_a_beginning_costs_half_of_the_fee_at_most(late: DeskStage, tmp_path: Path) -> None:
    posted = late.asked(tmp_path, LOOKS_FIRST)
    told = Told()
    turns(late.operating(tmp_path / "first", report=told))
    (sent,) = told.of(Sent)
    used = late.anvil.web3.eth.get_transaction_receipt(sent.transaction)
    price = late.anvil.web3.eth.get_block("latest")["baseFeePerGas"] + 10**9
    dear = used["gasUsed"] * price * 3 // 2  # more than the gas, less than twice of it
    late.asked(tmp_path, LOOKS_FIRST, fee=dear)
    told.clear()
    rival = late.anvil.accounts[5]
    turns(late.operating(tmp_path / "second", by=rival, report=told))
    assert any("half of its fee" in off.why for off in told.of(PutOff))
    assert not told.of(Sent)
    assert status(late, posted.id + 1) is Status.PENDING


def test_whoever_is_killed_after_each_step_goes_on_where_they_were(
    late: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()

    def killed_before_broadcasting() -> None:
        operator = late.operating(tmp_path, report=told)
        with monkeypatch.context() as patched:
            patched.setattr(operator, "_broadcast", lambda record: None)
            operator.turn()
        assert [r.state for r in operator.journal.records()] == ["sent"]

    killed_before_broadcasting()
    for _ in range(3):
        late.operating(tmp_path, report=told).turn()
    assert status(late, posted.id) is Status.WAITING
    late.tells()
    killed_before_broadcasting()
    for _ in range(3):
        late.operating(tmp_path, report=told).turn()
    assert status(late, posted.id) is Status.DELIVERED
    assert [sent.nonce for sent in told.of(Sent)] == [0, 1]
    assert late.owed(late.operator) == ETHER
    assert len(told.of(Answered)) == 1


def test_an_answer_of_a_tool_counts_when_its_block_is_settled(
    late: DeskStage, tmp_path: Path
) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    operator = late.operating(tmp_path, policy=Policy(confirmations=3), report=told)
    turns(operator, 3)
    late.anvil.rpc("anvil_mine", "0x4")
    turns(operator, 3)
    before = late.anvil.snapshot()
    late.tells()
    turns(operator, 3)
    assert len(told.of(Sent)) == 1, "one block has it, three are wanted"
    late.anvil.revert(before)
    late.tells(SAID.replace("7", "9"))
    late.anvil.rpc("anvil_mine", "0x2")
    turns(operator, 3)
    assert len(told.of(Sent)) == 2
    assert status(late, posted.id) is Status.DELIVERED
    assert late.pooled() == 9_000_000


def test_an_answer_that_is_taken_back_is_gone_on_with_as_it_comes_again(
    late: DeskStage, tmp_path: Path
) -> None:
    """The reorganisation comes after the rest was proven and signed for."""
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    operator = late.operating(tmp_path, report=told)
    turns(operator)
    before = late.anvil.snapshot()
    late.tells()
    late.anvil.rpc("evm_setAutomine", False)
    operator.turn()
    assert len(told.of(Sent)) == 2
    late.anvil.revert(before)
    late.anvil.rpc("anvil_dropAllTransactions")
    late.anvil.rpc("evm_setAutomine", True)
    turns(operator, 2)
    assert [r.state for r in operator.journal.records()] == ["waiting"]
    late.tells(SAID.replace("7", "9"))
    turns(operator)
    assert status(late, posted.id) is Status.DELIVERED
    assert late.pooled() == 9_000_000
    assert [sent.nonce for sent in told.of(Sent)] == [0, 1, 1]
    assert late.owed(late.operator) == ETHER


@pytest.mark.parametrize("gone_on", [False, True])
def test_what_a_reorganisation_takes_back_is_made_again_and_paid_for_once(
    late: DeskStage, tmp_path: Path, gone_on: bool
) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    before = late.anvil.snapshot()
    operator = late.operating(tmp_path, policy=Policy(confirmations=2), report=told)
    operator.clock = lambda: 0.0
    turns(operator, 2)
    late.anvil.rpc("anvil_mine", "0x2")
    turns(operator, 2)
    if gone_on:
        late.tells()
        late.anvil.rpc("anvil_mine", "0x1")
        turns(operator, 2)
        assert status(late, posted.id) is Status.DELIVERED
    late.anvil.revert(before)
    assert status(late, posted.id) is Status.PENDING
    turns(operator, 3)
    assert told.of(Undone)
    assert status(late, posted.id) is Status.WAITING
    late.tells()
    late.anvil.rpc("anvil_mine", "0x1")
    turns(operator, 3)
    late.anvil.rpc("anvil_mine", "0x1")
    turns(operator, 3)
    assert status(late, posted.id) is Status.DELIVERED
    assert late.pooled() == POOLED
    assert late.owed(late.operator) == ETHER
    assert len(told.of(Answered)) == 1
    assert not told.of(Reverted)


def test_a_request_that_waits_too_long_is_refunded(late: DeskStage, tmp_path: Path) -> None:
    posted, told = late.asked(tmp_path, LOOKS_FIRST), Told()
    operator = late.operating(tmp_path, report=told)
    turns(operator)
    requester = late.requesting(tmp_path)
    with pytest.raises(NotRefundable, match="RequestNotOver"):
        requester.refund(posted)
    late.anvil.rpc("evm_increaseTime", 3601)
    late.anvil.rpc("evm_mine")
    late.tells()
    turns(operator)
    assert len(told.of(Sent)) == 1, "it would come too late"
    assert requester.refund(posted) == ETHER
    turns(operator)
    (lost,) = told.of(Lost)
    assert lost.status == "refunded"
    assert status(late, posted.id) is Status.REFUNDED


def test_a_node_that_says_that_the_tool_has_answered_has_nothing_sent(
    late: DeskStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late.asked(tmp_path, LOOKS_FIRST)
    told = Told()
    operator = late.operating(tmp_path, report=told)
    turns(operator, 3)
    monkeypatch.setattr(operator.waiting, "look", lambda *where: "")
    turns(operator, 2)
    assert any("ResultMissing" in off.why for off in told.of(PutOff))
    assert len(told.of(Sent)) == 1
