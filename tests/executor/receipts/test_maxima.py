"""However long a stranger's receipt is, verifying it is soon over."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import MalformedReceipt, TooLongForReceipt
from zkagent.executor.receipts import format as receipts
from zkagent.executor.receipts import verify_iteration, writer
from zkagent.executor.receipts.format import (
    MOST_BYTES,
    MOST_RUNS,
    MOST_TEXT,
    Receipt,
    parse_receipt,
    signed_text,
)
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import tool_hash
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model


def unused(*arguments: Any) -> Any:
    raise AssertionError(f"asked for {arguments}")


def parts(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every list and text of a JSON schema."""
    if isinstance(schema, dict):
        if schema.get("type") in ("array", "string"):
            yield where, schema
        for key, item in schema.items():
            yield from parts(item, f"{where}.{key}")
    elif isinstance(schema, list):
        for item in schema:
            yield from parts(item, where)


def is_bounded(part: dict[str, Any]) -> bool:
    if part["type"] == "array":
        return "maxItems" in part
    fixed = re.fullmatch(r"\^(0x)?\[0-9a-f\]\{\d+\}\$", part.get("pattern", ""))
    return "maxLength" in part or "const" in part or fixed is not None


def test_every_list_and_every_text_of_the_format_has_a_maximum() -> None:
    found = list(parts(json.loads(receipts.schema_text())))
    assert len(found) > 50
    assert [where for where, part in found if not is_bounded(part)] == []


@pytest.mark.parametrize("part", ["iterations", "runs", "proofs", "reasoning", "text", "bytes"])
def test_more_than_the_maximum_is_refused(receipt: Receipt, part: str) -> None:
    document = json.loads(receipt.to_json())
    run = document["runs"][0]
    if part == "runs":
        document["runs"] *= MOST_RUNS + 1
    elif part == "reasoning":
        run["iterations"][0]["context"]["reasoning"] = ["x"] * 65
    elif part == "text":
        run["prompt"] = "x" * (MOST_TEXT + 1)
    elif part == "bytes":
        run["transaction"]["raw"] = "0x" + "00" * (MOST_TEXT + 1)
    else:
        run[part] = run[part][:1] * 65
    with pytest.raises(MalformedReceipt, match="at most"):
        parse_receipt(json.dumps(document))


def test_a_text_of_the_maximum_is_one(receipt: Receipt) -> None:
    document = json.loads(receipt.to_json())
    document["runs"][0]["prompt"] = "x" * MOST_TEXT
    assert len(parse_receipt(json.dumps(document)).runs[0].prompt) == MOST_TEXT


def test_a_longer_file_is_not_parsed(receipt: Receipt) -> None:
    with pytest.raises(MalformedReceipt, match="longer than"):
        parse_receipt(receipt.to_json() + " " * MOST_BYTES)


def test_of_a_receipt_that_nobody_signed_only_the_transactions_are_read(receipt: Receipt) -> None:
    forged = receipt.model_copy(update={"signature": "0x" + "00" * 65})
    report = verify_receipt(forged, Sources(unused, unused, unused, unused))
    assert report.verdict == "rejected"
    assert [check.claim for check in report.problems] == ["the requester signed it"]
    assert report.left_out.startswith("iterations, what the chain says, circuits, proofs")


def test_the_history_is_not_made_again_for_each_iteration(
    receipt: Receipt, drain: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = receipt.runs
    many = run.model_copy(update={"iterations": run.iterations[:1] * 60})
    made: list[Any] = []
    honest = verify_iteration._entry
    monkeypatch.setattr(verify_iteration, "_entry", lambda step: made.append(1) or honest(step))
    list(verify_iteration.check_iterations("run 1", many, drain))
    assert len(made) <= 2 * 60


def test_after_a_proof_that_is_none_no_other_is_verified(receipt: Receipt, drain: Model) -> None:
    asked: list[bytes] = []

    def never(model: Model, digest: str, size: int, system: bytes) -> Any:
        return lambda x, y, proof: asked.append(proof)

    report = verify_receipt(receipt, Sources(lambda name: drain, never))
    assert [check.claim for check in report.problems] == ["the proof is valid"]
    assert len(asked) == 1
    assert report.left_out == "proofs after the one that is broken"


def test_a_run_that_does_not_fit_is_said_to_have_happened(
    agent: MemoryAgent, drain: Model, completed: CompletedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = agent.reads_now
    wordy = replace(reads.tools[0], description=b"x" * (MOST_TEXT + 1))
    pinned = (tool_hash(wordy), *reads.pinned[1:])
    agent.reads_now = replace(reads, tools=(wordy, *reads.tools[1:]), pinned=pinned)
    with pytest.raises(TooLongForReceipt, match=r"description: .*; the run itself stands"):
        write_receipt(agent, drain, [completed], REQUESTER)
    agent.reads_now = reads
    monkeypatch.setattr(writer, "MOST_BYTES", 1000)
    with pytest.raises(TooLongForReceipt, match="bytes, at most 1,000"):
        write_receipt(agent, drain, [completed], REQUESTER)


def test_nothing_is_asked_of_a_model_that_the_receipt_is_not_about(
    receipt: Receipt, drain: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = receipt.runs
    other = run.model.model_copy(update={"name": "another"})
    forged = receipt.model_copy(update={"runs": (run.model_copy(update={"model": other}),)})
    signature = sign_receipt(REQUESTER, signed_text(forged.document))
    forged = forged.model_copy(update={"signature": signature})
    for method in ("infer", "encode", "decode"):
        monkeypatch.setattr(Model, method, unused)
    report = verify_receipt(forged, Sources(lambda name: drain, unused))
    assert "the model is the one named" in {check.claim for check in report.problems}
    assert report.left_out.startswith("iterations, circuits, proofs")
