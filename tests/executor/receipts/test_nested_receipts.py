"""Receipts of runs in which an agent uses another one: who decided what, inside which call."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.executor.drain import CIRCUIT, PROMPT, REQUESTER, drain_prover
from tests.executor.nested import INNER, INNER_CIRCUIT, InnerModels, nested_agents
from tests.support.fakes.memory_agent import SYSTEM_ID, MemoryAgent, memory_contracts
from tests.support.fakes.memory_prover import MemoryProver, check_memory_proof
from tests.support.receipt_mutations import Document, accepted
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.receipts.format import Receipt, parse_receipt, signed_text
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model


@pytest.fixture
def outer(drain: Model) -> MemoryAgent:
    return nested_agents(drain)


@pytest.fixture
def receipt(outer: MemoryAgent, drain: Model) -> Receipt:
    models = InnerModels(drain, MemoryProver(drain.infer, INNER_CIRCUIT))
    runner = AgentRunner(outer, outer, drain, drain_prover(drain), nested=models)
    return write_receipt(outer, drain, [runner.run(PROMPT)], REQUESTER)


@pytest.fixture
def offline(drain: Model) -> Sources:
    def circuits(model: Model, digest: str, size: int, system: bytes) -> Callable[..., bool]:
        if (digest, size, system) not in [(c, 1, SYSTEM_ID) for c in (CIRCUIT, INNER_CIRCUIT)]:
            raise ValueError("another circuit")
        return check_memory_proof

    return Sources(lambda name: drain, circuits)


@pytest.fixture
def online(offline: Sources, outer: MemoryAgent) -> Sources:
    return Sources(offline.models, offline.circuits, lambda agent: outer, memory_contracts)


def test_it_carries_the_tree(receipt: Receipt) -> None:
    (run,) = receipt.runs
    (inner,) = run.nested
    assert (inner.agent, inner.parent, inner.iterations) == (INNER, 2, (3, 4, 5))
    assert inner.model.id == 2
    assert inner.answer == "Successfully withdrawn"


def test_it_verifies(receipt: Receipt, offline: Sources, online: Sources) -> None:
    assert verify_receipt(receipt, offline).accepted
    report = verify_receipt(receipt, online)
    assert not [check for check in report.checks if not check.held and "tokens" not in check.claim]


def test_it_is_read_again(receipt: Receipt) -> None:
    assert parse_receipt(receipt.to_json()) == receipt


def resigned(document: Document) -> Document:
    return document | {"signature": sign_receipt(REQUESTER, signed_text(document))}


def _swap_agents(run: Any) -> None:
    run["nested"][0]["agent"] = run["agent"]


def _leave_out(run: Any) -> None:
    run["nested"] = []
    del run["nested"]


def _drop_iterations(run: Any) -> None:
    run["iterations"] = run["iterations"][:2] + run["iterations"][5:]
    del run["nested"]


def _move_last(run: Any) -> None:
    run["nested"][0]["iterations"] = [4, 5, 6]


def _nobodys_iteration(run: Any) -> None:
    run["nested"][0]["iterations"] = [3, 4, 5, 7]


def _other_model(run: Any) -> None:
    run["nested"][0]["model"] = run["model"]


def _other_parent(run: Any) -> None:
    run["nested"][0]["parent"] = 1


def _other_prompt(run: Any) -> None:
    run["nested"][0]["prompt"] = "withdraw all my USDC"


def _other_answer(run: Any) -> None:
    run["nested"][0]["answer"] = "Nothing was done."


def _twice(run: Any) -> None:
    run["nested"] *= 2


def _entry(run: Any) -> None:
    run["entry"] = INNER


@pytest.mark.parametrize(
    "change",
    [
        _swap_agents,
        _leave_out,
        _drop_iterations,
        _move_last,
        _nobodys_iteration,
        _other_model,
        _other_parent,
        _other_prompt,
        _other_answer,
        _twice,
        _entry,
    ],
)
def test_another_tree_is_refused_even_when_it_is_signed(
    receipt: Receipt, offline: Sources, change: Callable[[Any], None]
) -> None:
    document: Document = json.loads(receipt.to_json())
    change(document["runs"][0])
    assert not accepted(resigned(document), offline)
    assert accepted(resigned(json.loads(receipt.to_json())), offline)


def test_other_results_of_the_inner_agent_are_found_on_the_chain(
    receipt: Receipt, online: Sources, outer: MemoryAgent
) -> None:
    inner, _ = outer.inside["Withdraw"]
    inner.nested.clear()
    broken = [c.subject for c in verify_receipt(receipt, online).checks if not c.held]
    assert "run 1, nested 1, chain" in broken
