"""What gets a receipt: a run that the chain's state explains to the last step, and no other."""

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from tests.executor.drain import REQUESTER
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.errors import NotReproducible
from zkagent.executor.receipts import writer
from zkagent.executor.receipts.recording import context_record
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model
from zkagent.models.errors import ModelError


def with_decision(run: CompletedRun, index: int, **changes: Any) -> CompletedRun:
    plan = run.proven.plan
    decisions = list(plan.decisions)
    decisions[index] = replace(decisions[index], **changes)
    planned = replace(plan, decisions=tuple(decisions))
    return replace(run, proven=replace(run.proven, plan=planned))


def with_result(run: CompletedRun, **changes: Any) -> CompletedRun:
    result = replace(run.inclusion.result, **changes)
    return replace(run, inclusion=replace(run.inclusion, result=result))


def other_features(run: CompletedRun) -> CompletedRun:
    x = run.proven.plan.decisions[-1].x
    return with_decision(run, -1, x=(*x[:-1], x[-1] + 1))


UNEXPLAINED: dict[str, Callable[[CompletedRun], CompletedRun]] = {
    "other features": other_features,
    "another answer": lambda run: with_result(run, answer=b"other"),
    "another step": lambda run: with_result(
        run, steps=(run.inclusion.result.steps[0] + b"x", *run.inclusion.result.steps[1:])
    ),
    "a step less": lambda run: with_result(run, steps=run.inclusion.result.steps[:-1]),
    "other facts": lambda run: replace(
        run, proven=replace(run.proven, terms=replace(run.proven.terms, facts=()))
    ),
}


@pytest.mark.parametrize("name", UNEXPLAINED)
def test_what_the_state_does_not_explain_gets_no_receipt(
    agent: MemoryAgent, drain: Model, completed: CompletedRun, name: str
) -> None:
    write_receipt(agent, drain, [completed], REQUESTER)
    with pytest.raises(NotReproducible, match=completed.inclusion.hash):
        write_receipt(agent, drain, [UNEXPLAINED[name](completed)], REQUESTER)


def test_a_state_that_the_model_refuses_explains_nothing(
    agent: MemoryAgent, drain: Model, completed: CompletedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> Any:
        raise ModelError("no features of this")

    monkeypatch.setattr(writer, "derive_features", refuse)
    with pytest.raises(NotReproducible):
        write_receipt(agent, drain, [completed], REQUESTER)


def test_a_checkout_that_is_not_installed_says_so(
    agent: MemoryAgent, drain: Model, completed: CompletedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(writer, "version", missing)
    receipt = write_receipt(agent, drain, [completed], REQUESTER)
    assert receipt.informational.zkagent == "from source"


def test_tools_are_recorded_with_a_hash_each(completed: CompletedRun) -> None:
    context = completed.proven.plan.decisions[0].context
    short = replace(context, reads=replace(context.reads, pinned=context.reads.pinned[:-1]))
    assert context_record(context)
    with pytest.raises(ValueError, match="shorter"):
        context_record(short)
