"""Receipts of decisions that a release's encoder and decoder made by another rule: this version
neither makes them nor says that they are false."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.executor.drain import PROMPT, REQUESTER, drain_prover
from tests.support.earlier_deciders import decide_as_before, registered_before
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import DecidedOtherwise, DecidesOtherwise
from zkagent.executor.receipts.format import Receipt, parse_receipt, signed_text
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs import open_run, recovery
from zkagent.executor.runs.recovery import recovered
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.models.catalogue import Model

TWO = b"withdraw all my USDC, yes, all 5k"  # the release withdraws, this version asks
DECISION, FEATURES = "the decision follows from the output", "the features follow from the context"
VERSION = "zkagent 0.1.0, commit b8c246e of the repository, says whether it is so"


def run_before(agent: MemoryAgent, drain: Model, prompt: bytes = TWO) -> CompletedRun:
    """By the version that went by the agent's rule."""
    with pytest.MonkeyPatch.context() as before:
        decide_as_before(before)
        before.setattr(open_run, "check_deciders", lambda *_: None)
        return AgentRunner(agent, agent, drain, drain_prover(drain)).run(prompt)


def receipt_of(agent: MemoryAgent, drain: Model, run: CompletedRun) -> Receipt:
    with pytest.MonkeyPatch.context() as before:
        decide_as_before(before)
        return write_receipt(agent, drain, [run], REQUESTER)


@pytest.fixture
def old(agent: MemoryAgent) -> MemoryAgent:
    return registered_before(agent)


@pytest.fixture
def offline(sources: Sources) -> Sources:
    return replace(sources, chain=None, contracts=None)


def changed(receipt: Receipt, change: Callable[[Any], None]) -> Receipt:
    document = json.loads(receipt.to_json())
    change(document["runs"][0])
    document["signature"] = sign_receipt(REQUESTER, signed_text(document))
    return parse_receipt(json.dumps(document))


def unknown(report: Report) -> set[str]:
    return {found.claim for found in report.problems if found.unknown}


def test_a_true_receipt_is_unknown_and_says_who_verifies_it(
    old: MemoryAgent, drain: Model, offline: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = receipt_of(old, drain, run_before(old, drain))
    found = verify_receipt(receipt, offline)
    assert found.verdict == "unknown"
    assert unknown(found) == {DECISION}
    (problem,) = (each.problem for each in found.problems)
    assert problem.startswith("it follows by the rule of ToolDecoder of release 0.1.0, which decid")
    assert problem.endswith(VERSION)
    decide_as_before(monkeypatch)
    assert verify_receipt(receipt, offline).accepted


def test_what_both_rules_decide_alike_is_accepted(
    old: MemoryAgent, drain: Model, offline: Sources
) -> None:
    receipt = receipt_of(old, drain, run_before(old, drain, PROMPT))
    assert verify_receipt(receipt, offline).accepted


def test_of_any_other_decoder_it_is_rejected(
    agent: MemoryAgent, drain: Model, offline: Sources
) -> None:
    receipt = receipt_of(agent, drain, run_before(agent, drain))
    found = verify_receipt(receipt, offline)
    assert found.verdict == "rejected"
    assert {each.claim for each in found.problems} == {DECISION}


def of_other_features(run: Any) -> None:
    run["iterations"][0]["x"] = "0x" + "01" * (len(run["iterations"][0]["x"]) // 2 - 1)


def of_another_output(run: Any) -> None:
    run["iterations"][0]["y"] = "0x" + "01" * (len(run["iterations"][0]["y"]) // 2 - 1)


def of_another_call(run: Any) -> None:
    run["iterations"][1]["decision"]["values"][1] = "0x" + f"{1:064x}"


def of_another_history(run: Any) -> None:
    run["iterations"][1]["context"]["reasoning"] = ["Observation: nothing\n"]


@pytest.mark.parametrize(
    "change", [of_other_features, of_another_output, of_another_call, of_another_history]
)
def test_what_no_version_decides_is_rejected_all_the_same(
    old: MemoryAgent, drain: Model, offline: Sources, change: Callable[[Any], None]
) -> None:
    receipt = receipt_of(old, drain, run_before(old, drain))
    assert verify_receipt(changed(receipt, change), offline).verdict == "rejected"


def of_another_prompt(run: Any) -> None:
    run["prompt"] = "what is the weather?"
    for step in run["iterations"]:
        step["context"]["prompt"] = run["prompt"]


def without_a_value(run: Any) -> None:
    run["iterations"][1]["decision"]["values"].pop()


def with_another_answer(run: Any) -> None:
    run["iterations"][-1]["decision"]["answer"] = run["answer"] = "Done"


@pytest.mark.parametrize("change", [of_another_prompt, without_a_value, with_another_answer])
@pytest.mark.parametrize("prompt", [TWO, PROMPT])
def test_whoever_records_a_release_s_decoder_has_its_decisions_and_no_others(
    old: MemoryAgent, drain: Model, offline: Sources, prompt: bytes, change: Callable[[Any], None]
) -> None:
    """Nor other features, which are the same in all versions."""
    receipt = receipt_of(old, drain, run_before(old, drain, prompt))
    found = verify_receipt(changed(receipt, change), offline)
    wrong = FEATURES if change is of_another_prompt else DECISION
    broken = {each.claim for each in found.problems if not each.unknown}
    assert wrong in broken
    assert FEATURES not in unknown(found)
    assert found.verdict == "rejected"


def test_a_run_is_refused_before_anything_is_asked_or_proven(
    old: MemoryAgent, drain: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryAgent, "simulate", lambda *_: pytest.fail("it was simulated"))
    runner = AgentRunner(old, old, drain, drain_prover(drain))
    with pytest.raises(DecidesOtherwise) as caught:
        runner.plan(PROMPT)
    assert "nothing was proven or sent" in str(caught.value)
    assert "Deploy the agent anew" in str(caught.value)
    assert caught.value.zkagent == "zkagent 0.1.0, commit b8c246e of the repository"


def test_a_run_that_happened_before_names_who_makes_its_receipt(
    old: MemoryAgent, drain: Model
) -> None:
    """Whether its plan is still at hand or has to be made of the chain."""
    run = run_before(old, drain)
    with pytest.raises(DecidedOtherwise, match=r"`zkagent runs resume` of zkagent 0\.1\.0"):
        write_receipt(old, drain, [run], REQUESTER)
    again = recovered(old, drain, run.inclusion, 1)
    with pytest.raises(DecidedOtherwise, match="makes its receipt"):
        write_receipt(old, drain, [again], REQUESTER)


def test_so_does_one_whose_decisions_are_no_facts_here(
    old: MemoryAgent, drain: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_before(old, drain)
    monkeypatch.setattr(recovery, "has_facts", lambda *_: False)
    with pytest.raises(DecidedOtherwise):
        recovered(old, drain, run.inclusion, 1)
