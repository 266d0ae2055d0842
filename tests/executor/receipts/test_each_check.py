"""Each check of a receipt is the one that speaks up when the receipt is wrong in what it is for,
though its requester has signed it again and made every digest match."""

from collections.abc import Callable
from typing import Any

import pytest
from eth_account import Account

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from tests.support.receipt_mutations import Document, as_text, recompute_digests
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import MalformedReceipt
from zkagent.executor.receipts.format import Receipt, parse_receipt, signed_text
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.receipts.verify_run import Sources, verify_receipt

STRANGER = Account.from_key("0x" + "22" * 32)
Edit = Callable[[Any], None]  # of the only run of a receipt


def broken(document: Document, sources: Sources) -> tuple[Check, ...]:
    return verify_receipt(parse_receipt(as_text(document)), sources).problems


def sign_again(document: Document) -> None:
    recompute_digests(document)
    document["signature"] = sign_receipt(REQUESTER, signed_text(document))


def move_contexts(run: Any, blocks: int) -> None:
    for step in run["iterations"]:
        step["context"]["block"]["number"] = run["transaction"]["block"]["number"] - blocks


def same_hash(run: Any) -> None:
    move_contexts(run, 1)
    for step in run["iterations"]:
        step["context"]["block"]["hash"] = run["transaction"]["block"]["hash"]


def two_hashes(run: Any) -> None:
    move_contexts(run, 0)
    for step in run["iterations"]:
        step["context"]["block"]["hash"] = "0x" + "cd" * 32


def other_last_digit(holder: Any, name: str) -> None:
    holder[name] = holder[name][:-1] + ("0" if holder[name][-1] != "0" else "1")


def invented_history(run: Any) -> None:
    run["iterations"][1]["context"]["reasoning"][0] += "and more\n"


EDITS: dict[str, tuple[Edit, str]] = {
    "read long before": (lambda run: move_contexts(run, 2), "the context is the run's"),
    "read afterwards": (lambda run: move_contexts(run, -1), "the context is the run's"),
    "a block with two hashes": (two_hashes, "the context is the run's"),
    "two blocks with one hash": (same_hash, "the context is the run's"),
    "another history": (invented_history, "the history is what happened before"),
    "another output": (
        lambda run: other_last_digit(run["iterations"][0], "y"),
        "the output is the model's",
    ),
    "other features": (
        lambda run: other_last_digit(run["iterations"][0], "x"),
        "the features follow from the context",
    ),
    "a proof is missing": (lambda run: run["proofs"].pop(), "every iteration has one proof"),
    "a proof is there twice": (
        lambda run: run["proofs"].append(run["proofs"][0]),
        "every iteration has one proof",
    ),
    "another prompt": (
        lambda run: [step["context"].update(prompt="other") for step in run["iterations"]],
        "the context is the run's",
    ),
    "another answer": (lambda run: run.update(answer="other"), "the answer is the last decision's"),
    "an observed answer": (
        lambda run: run["iterations"][-1].update(observation="x"),
        "the observation ends the iteration",
    ),
    "another tool's description": (
        lambda run: [
            step["context"]["tools"][0].update(metadata_hash="0x" + "ab" * 32)
            for step in run["iterations"]
        ],
        "the tools are the pinned ones",
    ),
}


def test_nothing_is_broken_unchanged_and_every_proof_is_named(
    receipt: Receipt, sources: Sources
) -> None:
    report = verify_receipt(receipt, sources)
    assert report.problems == ()
    named = [check.subject for check in report.checks if check.claim == "the proof is valid"]
    assert named == [f"run 1, iteration {number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("name", EDITS)
def test_the_check_that_is_for_it_speaks_up(
    name: str, document: Document, sources: Sources
) -> None:
    edit, claim = EDITS[name]
    edit(document["runs"][0])
    sign_again(document)
    if name == "another tool's description":  # whose digest was just made to match again
        edit(document["runs"][0])
        document["signature"] = sign_receipt(REQUESTER, signed_text(document))
    assert claim in {check.claim for check in broken(document, sources)}


def test_somebody_else_s_signature_is_none(document: Document, sources: Sources) -> None:
    document["signature"] = sign_receipt(STRANGER, signed_text(document))
    assert "the requester signed it" in {check.claim for check in broken(document, sources)}


def test_a_run_stands_there_once(document: Document, sources: Sources) -> None:
    document["runs"] *= 2
    document["informational"]["runs"] *= 2
    sign_again(document)
    claims = {check.claim for check in broken(document, sources)}
    assert "its runs are in the order they were sent" in claims


def test_the_first_thing_that_is_wrong_is_named(document: Document) -> None:
    del document["runs"][0]["prompt"]
    document["runs"][0]["answer"] = 7
    with pytest.raises(MalformedReceipt, match=r"runs\.0\.prompt"):
        parse_receipt(as_text(document))


def test_other_code_than_the_recorded_is_found(
    document: Document, sources: Sources, agent: MemoryAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = agent.code_hashes
    monkeypatch.setattr(
        agent, "code_hashes", lambda *where: (b"\1" * 32, *list(honest(*where))[1:])
    )
    assert [check.claim for check in broken(document, sources)] == ["the code is the recorded one"]
