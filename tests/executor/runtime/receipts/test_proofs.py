"""Receipts of runs whose planner is proven: whoever has one can check that the model decided."""

import asyncio
from dataclasses import replace

import pytest
from eth_account import Account

from tests.executor.runtime.planners.wallets import HashedProofs, wallet_agent, wallet_tools
from zkagent.executor.runtime import AgentResult, PlanStep, ScriptedPlanner
from zkagent.executor.runtime.planners.proven import ProvenPlanner
from zkagent.executor.runtime.planners.relay import Relay
from zkagent.executor.runtime.receipts.format import AgentReceipt, Committed
from zkagent.executor.runtime.receipts.proofs import verify_proofs
from zkagent.executor.runtime.receipts.signing import receipt_of, verify_tool_receipt

ACCOUNT = Account.from_key("0x" + "11" * 32)
TASK = "withdraw all my USDC from the pool"


def planner() -> ProvenPlanner:
    return ProvenPlanner(proofs=HashedProofs())


@pytest.fixture(scope="module")
def done() -> AgentResult:
    return wallet_agent(planner(), wallet_tools()).run(TASK)


@pytest.fixture(scope="module")
def receipt(done: AgentResult) -> AgentReceipt:
    return AgentReceipt.read(receipt_of(done, TASK, ACCOUNT).text)


def reasons(receipt: AgentReceipt) -> dict[int, str]:
    found = asyncio.run(verify_proofs(receipt, planner(), wallet_tools()))
    return {step: verdict.reason for step, verdict in found.items()}


def test_a_receipt_has_the_proofs_of_its_steps(receipt: AgentReceipt) -> None:
    assert verify_tool_receipt(receipt, ACCOUNT.address)
    assert reasons(receipt) == {0: "", 1: "", 2: ""}


def test_a_signer_who_tells_another_step_than_the_model_s_is_found_out(done: AgentResult) -> None:
    more = replace(done.actions[1].step, input={"asset": "USDC", "amount": "3"})
    forged = replace(done, actions=(done.actions[0], replace(done.actions[1], step=more)))
    signed = receipt_of(forged, TASK, ACCOUNT)
    assert verify_tool_receipt(signed, ACCOUNT.address)
    assert reasons(signed)[0] == ""
    assert reasons(signed)[1].startswith("the model decided otherwise: input is")


def test_a_signer_who_tells_another_observation_is_found_out(receipt: AgentReceipt) -> None:
    told = replace(receipt.steps[0], output=Committed.to("The balance is: 9 USDC in the pool"))
    changed = replace(receipt, steps=(told, *receipt.steps[1:]))
    found = reasons(changed)
    assert (found[0], "another context" in found[1]) == ("", True)


def test_a_proof_that_is_not_attached_is_missed(receipt: AgentReceipt) -> None:
    bare = replace(receipt, attachments={})
    assert all("is not there" in reason for reason in reasons(bare).values())


def test_what_is_withheld_cannot_be_checked(done: AgentResult) -> None:
    hidden = receipt_of(done, TASK, ACCOUNT, withhold=True)
    assert verify_tool_receipt(hidden)
    assert set(reasons(hidden).values()) == {
        "the task is withheld, and the decision followed from it"
    }


def test_steps_of_other_planners_have_no_verdict() -> None:
    looks = ScriptedPlanner([PlanStep("finish", result="looked")])
    of = Relay([looks, planner()])
    done = wallet_agent(of, wallet_tools()).run("withdraw 5 USDC")
    found = asyncio.run(
        verify_proofs(receipt_of(done, "withdraw 5 USDC", ACCOUNT), of, wallet_tools())
    )
    assert {step: bool(verdict) for step, verdict in found.items()} == {1: True, 2: True}
