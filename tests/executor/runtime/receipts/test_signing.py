"""A receipt holds as it was signed, and in no other form."""

import copy
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.runtime import Agent, AgentConfig, ScriptedPlanner, default_permissions
from zkagent.executor.runtime.core.errors import ReceiptRefused
from zkagent.executor.runtime.core.result import AgentResult, Provenance
from zkagent.executor.runtime.core.steps import ActionResult, PlanStep, ProofOfStep
from zkagent.executor.runtime.receipts.format import AgentReceipt, Committed, chained
from zkagent.executor.runtime.receipts.signing import (
    ReceiptDraft,
    receipt_of,
    verify_tool_receipt,
)

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ALICE: LocalAccount = Account.from_key("0x" + "11" * 32)
BOB: LocalAccount = Account.from_key("0x" + "22" * 32)
PROOF = ProofOfStep("wallet", "ab" * 32, receipt="proof-1")
ACTIONS = (
    ActionResult(0, PlanStep("tool", "kv.put", {"key": "a", "value": 1.5}), output=None, key="k0"),
    ActionResult(1, PlanStep("tool", "kv.get", {"key": "a"}, proof=PROOF), output=1.5, key="k1"),
    ActionResult(2, PlanStep("finish", result={"sum": [1, "ü\ud800"]})),
)


def draft(**more: Any) -> ReceiptDraft:
    found = ReceiptDraft("helper", "run-0001", "add it up", "zkagent", AT, **more)
    found.attachments["proof-1"] = '{"proof": "0x12"}'
    for done in ACTIONS:
        found.add(done, started_at=AT, finished_at=AT, model="scripted")
    return found


@pytest.fixture(scope="module")
def receipt() -> AgentReceipt:
    return draft().signed(ALICE, result={"sum": 3}, success=True, finished_at=AT)


def edits(value: Any, root: Any) -> Iterator[tuple[str, Any]]:
    """Every change of one leaf, every item left out, doubled or swapped; of `value` within
    `root`, which is changed and put back."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for name, item in items:
        if isinstance(item, dict | list):
            for place, changed in edits(item, root):
                yield f"{name}.{place}", changed
        else:
            value[name] = _other(item)
            yield str(name), copy.deepcopy(root)
            value[name] = item
    if isinstance(value, list):
        for name, _ in items:
            kept = list(value)
            del value[name]
            yield f"-{name}", copy.deepcopy(root)
            value[:] = kept[: name + 1] + kept[name:]
            yield f"+{name}", copy.deepcopy(root)
            value[:] = kept
        if len(value) > 1:
            value.reverse()
            yield "reversed", copy.deepcopy(root)
            value.reverse()
    else:
        for name, item in items:
            del value[name]
            yield f"-{name}", copy.deepcopy(root)
            value[name] = item


def _other(leaf: Any) -> Any:
    if isinstance(leaf, bool) or leaf is None:
        return leaf is None or not leaf
    if isinstance(leaf, int | float):
        return leaf + 1
    return leaf[:-1] + ("0" if leaf[-1:] != "0" else "1")


def holds(found: Any) -> bool:
    try:
        return bool(verify_tool_receipt(found, ALICE.address))
    except ReceiptRefused:
        return False


def test_a_receipt_holds_as_it_was_signed(receipt: AgentReceipt) -> None:
    assert verify_tool_receipt(receipt.text, ALICE.address)
    assert AgentReceipt.read(receipt.text) == receipt


def test_no_edit_deletion_repetition_or_reordering_holds(receipt: AgentReceipt) -> None:
    found = receipt.to_json()
    tried = 0
    for place, changed in edits(found, found):
        tried += 1
        assert not holds(changed), place
    assert tried > 150


def test_the_first_step_that_was_changed_is_named(receipt: AgentReceipt) -> None:
    found = receipt.to_json()
    found["steps"][1]["output"] = {**found["steps"][1]["output"], "value": 2.5}
    verdict = verify_tool_receipt(found)
    assert verdict.reasons[0].startswith("step 1 is not what was signed")
    assert "output of step 1" in " ".join(verdict.reasons)


def test_a_chain_made_anew_does_not_have_the_signature(receipt: AgentReceipt) -> None:
    found = receipt.to_json()
    found["steps"][1]["output"] = Committed.to(2.5).__dict__
    chain = chained(AgentReceipt.from_json(found))
    for step, link in zip(found["steps"], chain.links, strict=True):
        step["link"] = link
    verdict = verify_tool_receipt({**found, "head": chain.head})
    assert len(verdict.reasons) == 1
    assert "signature" in verdict.reasons[0]


def test_anothers_signature_is_anothers_word() -> None:
    theirs = draft().signed(BOB, result={"sum": 3}, success=True, finished_at=AT)
    assert verify_tool_receipt(theirs).signer == BOB.address.lower()
    assert not verify_tool_receipt(theirs, ALICE.address)


def test_a_signature_of_another_kind_of_receipt_does_not_count(receipt: AgentReceipt) -> None:
    other = sign_receipt(ALICE, receipt.signed_text)
    assert not verify_tool_receipt({**receipt.to_json(), "signature": other})


def test_a_proof_that_is_not_attached_is_missed() -> None:
    without = draft()
    without.attachments.clear()
    found = without.signed(ALICE, result=3, success=True, finished_at=AT)
    assert verify_tool_receipt(found).reasons == ("the proof 'proof-1' is not attached",)


def test_what_is_withheld_can_be_opened_later_and_only_as_it_was() -> None:
    secret = draft(withhold=True)
    found = secret.signed(ALICE, result="4111 1111", success=True, finished_at=AT)
    salt, value = secret.openings["result"]
    assert verify_tool_receipt(found.text)
    assert "4111" not in found.text
    assert found.result.opens(value, salt)
    assert not found.result.opens("4111 1112", salt)
    assert not found.result.opens(value, "00" * 16)


def test_nothing_withheld_can_be_guessed_by_a_digest_without_a_salt() -> None:
    """As a call's key is one of its input, and a proof's name and id are of what it is about."""
    proofs = (
        ProofOfStep("wallet", "ab" * 32, receipt="wallet-0123456789abcdef"),
        ProofOfStep("wallet", "ab" * 32, proof_id="1234567890"),
    )
    steps = [
        ActionResult(0, PlanStep("tool", "kv.get", {"pin": 1234}, proof=each), key="fedcba")
        for each in proofs
    ]
    secret, plain = draft(withhold=True), draft()
    for made in (secret, plain):
        made.attachments |= {"wallet-0123456789abcdef": "{}", "1234567890.json": "{}"}
        for step in steps:
            made.add(step, started_at=AT, finished_at=AT)
    found, shown = (
        made.signed(ALICE, result=1, success=True, finished_at=AT) for made in (secret, plain)
    )
    assert verify_tool_receipt(found.text, ALICE.address)
    for text in ("0123456789abcdef", "1234567890", "fedcba"):
        assert text in shown.text
        assert text not in found.text
    named = found.steps[-2].proof
    assert named
    assert named.receipt in found.attachments
    assert secret.openings[f"attachments.{named.receipt}"][1] == "{}"


def test_a_run_of_ours_becomes_a_receipt() -> None:
    result = AgentResult(
        *("run-0001", "s", "helper", True, 3, AT, AT),
        actions=ACTIONS,
        attachments={"proof-1": "{}"},
        provenance=Provenance("proven", ("wallet",)),
        task="add it up",
    )
    found = receipt_of(result, "add it up", ALICE)
    assert verify_tool_receipt(found, ALICE.address)
    assert [step.tool for step in found.steps] == ["kv.put", "kv.get", None]
    assert found.steps[1].proof
    assert found.steps[1].model == "wallet"


CARD = "4539578763621486"


def paying(task: str, **permissions: Any) -> AgentResult:
    config = AgentConfig(
        *("clerk", task),
        planner=ScriptedPlanner([PlanStep("finish", result="done")]),
        permissions=default_permissions(**permissions),
    )
    return Agent(config).run()


def test_the_task_of_a_receipt_is_the_one_that_the_permissions_allowed() -> None:
    done = paying(f"pay with {CARD}, password=hunter2")
    for task in (None, "pay with <card:1>, password=<secret:1>"):
        found = receipt_of(done, task, ALICE)
        assert verify_tool_receipt(found, ALICE.address)
        assert found.task.value == "pay with <card:1>, password=<secret:1>"
        assert CARD not in found.text
        assert "hunter2" not in found.text
    hidden = receipt_of(done, None, ALICE, withhold=True)
    assert not hidden.task.shown
    assert CARD not in hidden.text


@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize(
    "task", [f"pay with {CARD}", "transfer all to Eve", "", "pay with <card:2>"]
)
def test_a_task_that_is_not_the_runs_is_not_signed(task: str, withhold: bool) -> None:
    with pytest.raises(ReceiptRefused, match=r"give result\.task, or None") as refused:
        receipt_of(paying(f"pay with {CARD}"), task, ALICE, withhold=withhold)
    assert CARD not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_task_that_was_refused_stands_in_no_receipt() -> None:
    done = paying("password=hunter2", refuse_secrets_at=["task"])
    assert (done.success, done.task) == (False, None)
    found = receipt_of(done, None, ALICE)
    assert verify_tool_receipt(found)
    assert (found.success, found.task.value) == (False, None)
    with pytest.raises(ReceiptRefused, match="none on record"):
        receipt_of(done, "password=hunter2", ALICE)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "zkagent-agent-receipt-1"}', '{"a": 1, "a": 1}', "NaN"]
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(ReceiptRefused):
        verify_tool_receipt(text)


def test_a_field_that_nobody_knows_is_refused(receipt: AgentReceipt) -> None:
    with pytest.raises(ReceiptRefused, match="more"):
        verify_tool_receipt({**receipt.to_json(), "more": 1})
