"""A chain that drops the run's block while the run is verified: nobody is told that it agrees."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.fakes.memory_agent import MemoryAgent, memory_contracts
from tests.support.fakes.memory_prover import check_memory_proof
from zkagent.executor.chain.agent import Block
from zkagent.executor.receipts.format import Receipt, RunRecord
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.receipts.verify_chain import STILL, Standing
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.models.catalogue import Model

Change = Callable[[MemoryAgent], None]


def verified(receipt: Receipt, drain: Model, agent: MemoryAgent, when: str, what: Change) -> Report:
    """What becomes of it when the chain changes as the contracts, the circuit or a proof is looked
    at, or the run's depth."""

    def at(moment: str) -> None:
        if moment == when:
            what(agent)

    def contracts(run: RunRecord) -> Standing:
        at("contracts")
        return replace(memory_contracts(run), built=lambda: at("built") or ())

    def circuits(*asked: Any) -> Any:
        at("circuit")
        return lambda x, y, proof: at("proof") or check_memory_proof(x, y, proof)

    class Watched(MemoryAgent):
        def head(self) -> Block:
            at("depth")
            return super().head()

    agent.__class__ = Watched
    return verify_receipt(
        receipt, Sources(lambda name: drain, circuits, lambda address: agent, contracts)
    )


def dropped(agent: MemoryAgent) -> None:
    agent.happenings.clear()


def moved(agent: MemoryAgent) -> None:
    """Into another block, where a run comes to something else."""
    ((name, happened),) = agent.happenings.items()
    agent.happenings[name] = replace(happened, block=Block(happened.block.number + 1, "0x77"))


@pytest.mark.parametrize("change", [dropped, moved])
@pytest.mark.parametrize("when", ["circuit", "proof", "built", "depth"])
def test_a_run_that_is_gone_in_the_end_is_rejected(
    receipt: Receipt, drain: Model, agent: MemoryAgent, when: str, change: Change
) -> None:
    report = verified(receipt, drain, agent, when, change)
    assert report.verdict == "rejected"
    assert [check.claim for check in report.problems] == [STILL]


def test_how_deep_it_lies_is_said_of_the_chain_as_it_is_then(
    receipt: Receipt, drain: Model, agent: MemoryAgent
) -> None:
    def grown(agent: MemoryAgent) -> None:
        agent.height += 5

    report = verified(receipt, drain, agent, "proof", grown)
    assert report.accepted
    (noted,) = report.notes
    blocks = 5 * len(receipt.runs[0].proofs)
    assert noted.note == f"{blocks} blocks lie upon the run's block"
    assert report.checks[-1].claim == STILL
