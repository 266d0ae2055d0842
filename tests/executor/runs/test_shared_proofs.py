"""Runs of a model whose features depend on the prompt alone: one proof, against the agent in
memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tests.executor.drain import AGENT, CHAIN_ID, CIRCUIT, PROMPT, REQUESTER, drain_agent
from tests.support.fakes.memory_agent import MemoryAgent, memory_contracts, memory_identity
from tests.support.fakes.memory_prover import MemoryBatches, MemoryProver, check_memory_proof
from zkagent.circuits.artifacts import Proof
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.recovery import recovered
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.models.agents.steps import StepModel
from zkagent.models.catalogue import Model
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.encoder import Parse


class PromptModel(StepModel):
    """Says of each prompt what its network says of it without a history; where that is so, the
    decoder says the rest."""

    def encode(self, context: Context, parse: Parse | None = None) -> tuple[int, ...]:
        return super().encode(replace(context, reasoning=()))

    def decode(
        self,
        context: Context,
        y: Sequence[int],
        tools: Sequence[ToolSignature] | None = None,
        decimals: Mapping[str, int] | None = None,
        *,
        asks: bool = True,
    ) -> Decision:
        if tuple(y) == self.infer(self.encode(context)):
            y = self.infer(super().encode(context))
        return super().decode(context, y, tools, decimals, asks=asks)


class CountingProver(MemoryProver):
    asked = 0

    def prove(self, x: Sequence[int]) -> Proof:
        self.asked += 1
        return super().prove(x)


@pytest.fixture
def model(drain: StepModel) -> Model:
    return PromptModel(drain.directory, drain.manifest, drain.tables)


@pytest.fixture
def agent(model: Model) -> MemoryAgent:
    return drain_agent(model)


@pytest.fixture
def prover(model: Model) -> CountingProver:
    return CountingProver(model.infer, CIRCUIT)


@pytest.fixture
def runner(agent: MemoryAgent, model: Model, prover: CountingProver) -> AgentRunner:
    return AgentRunner(agent, agent, model, prover)


@pytest.fixture
def shared(runner: AgentRunner) -> CompletedRun:
    return runner.run(PROMPT)


@pytest.fixture
def receipt(agent: MemoryAgent, model: Model, shared: CompletedRun) -> Receipt:
    return write_receipt(agent, model, [shared], REQUESTER)


def sources(model: Model, agent: MemoryAgent) -> Sources:
    return Sources(
        lambda name: model,
        lambda *circuit: check_memory_proof,
        lambda address: agent,
        memory_contracts,
    )


def test_three_decisions_by_the_same_numbers_take_one_proof(
    shared: CompletedRun, prover: CountingProver, agent: MemoryAgent
) -> None:
    proven = shared.proven
    assert [planned.decision.kind for planned in proven.plan.decisions] == [
        "call",
        "call",
        "report",
    ]
    assert len(set(proven.plan.claims)) == prover.asked == 1
    assert proven.groups == ((0, 1, 2),)
    assert [bool(proof) for proof in proven.call.proofs] == [True, False, False]
    assert agent.state == {"pool": 0, "wallet": 150_500_000}


def test_a_batch_has_one_row_for_them(agent: MemoryAgent, model: Model) -> None:
    agent.identity_now = memory_identity(model, AGENT, CHAIN_ID, CIRCUIT, (2, 4))
    prover = MemoryProver(model.infer, CIRCUIT)
    runner = AgentRunner(agent, agent, model, prover, batches=MemoryBatches(model.infer))
    proven = runner.run(PROMPT).proven
    assert proven.groups == ((0, 1, 2),)
    assert [proof.circuit for proof in proven.proofs] == [CIRCUIT]


def test_an_interrupted_run_is_made_whole_again(
    agent: MemoryAgent, model: Model, shared: CompletedRun
) -> None:
    again = recovered(agent, model, shared.inclusion, 1).proven
    assert (again.groups, again.proofs) == (shared.proven.groups, shared.proven.proofs)


def test_a_receipt_says_that_one_proof_covers_all_iterations(
    receipt: Receipt, model: Model, agent: MemoryAgent
) -> None:
    assert [record.iterations for record in receipt.runs[0].proofs] == [(1, 2, 3)]
    assert verify_receipt(receipt, sources(model, agent)).problems == ()


@pytest.mark.parametrize("covered", [(1,), (1, 2), (1, 3), (1, 2, 2), (1, 2, 3, 4), (2, 3)])
def test_a_proof_listed_for_other_iterations_is_noticed(
    receipt: Receipt, model: Model, agent: MemoryAgent, covered: tuple[int, ...]
) -> None:
    (run,) = receipt.runs
    record = run.proofs[0].model_copy(update={"iterations": covered})
    forged = receipt.model_copy(update={"runs": (run.model_copy(update={"proofs": (record,)}),)})
    problems = {found.claim for found in verify_receipt(forged, sources(model, agent)).problems}
    assert "the call holds these claims and proofs" in problems


def test_a_false_proof_spoils_all_of_them(
    receipt: Receipt, model: Model, agent: MemoryAgent
) -> None:
    false = replace(sources(model, agent), circuits=lambda *circuit: lambda x, y, proof: False)
    (problem,) = verify_receipt(receipt, false).problems
    assert (problem.subject, problem.claim) == ("run 1, iterations 1, 2, 3", "the proof is valid")
