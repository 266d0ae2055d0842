"""Runs whose decisions share a proof, against the agent in memory."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.drain import AGENT, CHAIN_ID, CIRCUIT, PROMPT, REQUESTER, drain_prover
from tests.support.fakes.memory_agent import (
    POOL,
    WALLET,
    MemoryAgent,
    memory_contracts,
    memory_identity,
)
from tests.support.fakes.memory_prover import MemoryBatches, check_memory_proof
from zkagent.executor.audit import run as audit_run
from zkagent.executor.chain.agent import AgentIdentity, BatchVerifier
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.errors import PlanError
from zkagent.executor.receipts import circuits
from zkagent.executor.receipts.format import Receipt, RunRecord
from zkagent.executor.receipts.verify_chain import Standing
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.events import Event, Proved, Proving
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import RevertError


def batched(
    agent: MemoryAgent, model: Model, told: list[Event], sizes: tuple[int, ...]
) -> AgentRunner:
    agent.identity_now = memory_identity(model, AGENT, CHAIN_ID, CIRCUIT, sizes)
    batches = MemoryBatches(model.infer)
    return AgentRunner(agent, agent, model, drain_prover(model), told.append, batches=batches)


def test_one_proof_covers_a_whole_run(agent: MemoryAgent, drain: Model, told: list[Event]) -> None:
    proven = batched(agent, drain, told, (4, 16)).run(PROMPT).proven
    assert proven.groups == ((0, 1, 2),)
    assert [bool(proof) for proof in proven.call.proofs] == [True, False, False]
    assert agent.state == {"pool": 0, "wallet": 150_500_000}
    assert sum(isinstance(event, Proving) for event in told) == 3
    assert len({event.seconds for event in told if isinstance(event, Proved)}) == 1


def test_the_rows_are_the_decisions_and_the_last_one_again(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    proven = batched(agent, drain, told, (4, 16)).run(PROMPT).proven
    xs = [decision.x for decision in proven.plan.decisions]
    assert proven.proofs[0].inputs == (*xs[0], *xs[1], *xs[2], *xs[2])


def test_what_no_batch_holds_is_divided(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    proven = batched(agent, drain, told, (2,)).run(PROMPT).proven
    assert proven.groups == ((0, 1), (2,))
    assert proven.proofs[1].circuit == CIRCUIT
    assert [proven.proof_of(index) for index in range(3)] == [0, 0, 1]


def test_a_model_without_batch_verifiers_is_said_to_have_none(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    with pytest.raises(PlanError, match="no verifier for several decisions"):
        batched(agent, drain, told, ()).run(PROMPT)


def test_a_batch_that_is_not_registered_reverts(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    runner = batched(agent, drain, told, (4,))
    proven = runner.prove(runner.plan(PROMPT))
    agent.identity_now = memory_identity(drain, AGENT, CHAIN_ID, CIRCUIT, (2,))
    with pytest.raises(RevertError, match="NoBatchVerifier"):
        agent.estimate_gas(proven.call)


@pytest.fixture
def receipt(agent: MemoryAgent, drain: Model, told: list[Event]) -> Receipt:
    run = batched(agent, drain, told, (4, 16)).run(PROMPT)
    return write_receipt(agent, drain, [run], REQUESTER)


def sources(drain: Model, asked: list[tuple[str, int]]) -> Sources:
    def circuits(model: Model, digest: str, size: int, system: bytes) -> object:
        asked.append((digest, size))
        return check_memory_proof

    return Sources(lambda name: drain, circuits)  # type: ignore[arg-type]


def test_a_receipt_lists_what_each_proof_covers(
    receipt: Receipt, drain: Model, agent: MemoryAgent
) -> None:
    (run,) = receipt.runs
    assert [record.iterations for record in run.proofs] == [(1, 2, 3)]
    assert [batch.size for batch in run.model.batches] == [4, 16]
    asked: list[tuple[str, int]] = []
    online = replace(sources(drain, asked), chain=lambda address: agent, contracts=memory_contracts)
    assert verify_receipt(receipt, online).problems == ()
    batch: BatchVerifier = agent.identity_now.model.batch(4)
    assert asked == [(CIRCUIT, 1), (batch.circuit_hash.hex(), 4)]


@pytest.mark.parametrize("covered", [(1, 2), (1, 2, 2), (2, 1, 3), (1, 2, 3, 4), (7,)])
def test_a_proof_listed_for_other_iterations_is_noticed(
    receipt: Receipt, drain: Model, covered: tuple[int, ...]
) -> None:
    (run,) = receipt.runs
    record = run.proofs[0].model_copy(update={"iterations": covered})
    forged = receipt.model_copy(update={"runs": (run.model_copy(update={"proofs": (record,)}),)})
    claims = {check.claim for check in verify_receipt(forged, sources(drain, [])).problems}
    assert "the call holds these claims and proofs" in claims


def other_run(receipt: Receipt, **changes: Any) -> Receipt:
    """With a second run that is broken, behind one that holds."""
    (run,) = receipt.runs
    return receipt.model_copy(update={"runs": (run, run.model_copy(update=changes))})


def other_model(receipt: Receipt, **changes: Any) -> Receipt:
    (run,) = receipt.runs
    model = run.model.model_copy(update=changes)
    return receipt.model_copy(update={"runs": (run.model_copy(update={"model": model}),)})


BROKEN: dict[str, Callable[[Receipt], Receipt]] = {
    "no signature": lambda r: r.model_copy(update={"signature": "0x" + "00" * 65}),
    "commitment": lambda r: other_model(r, commitment_hash="0x" + "00" * 32),
    "files": lambda r: other_model(r, onnx_digest="00" * 32),
    "batches": lambda r: other_model(
        r, batches=tuple(b.model_copy(update={"size": 256}) for b in r.runs[0].model.batches[:1])
    ),
    "answer": lambda r: r.model_copy(
        update={"runs": (r.runs[0].model_copy(update={"answer": "another"}),)}
    ),
    "uncovered iteration": lambda r: r.model_copy(
        update={"runs": (r.runs[0].model_copy(update={"proofs": ()}),)}
    ),
    "second run": lambda r: other_run(r, agent="0x" + "11" * 20),
}


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize("name", BROKEN)
def test_no_circuit_is_asked_for_once_something_cheap_is_broken(
    receipt: Receipt, drain: Model, agent: MemoryAgent, name: str, online: bool
) -> None:
    """Those of a stranger's receipt take minutes and disk to build."""
    asked: list[tuple[str, int]] = []

    def looked(run: RunRecord) -> Standing:
        asked.append(("contracts", 0))
        return memory_contracts(run)

    given = sources(drain, asked)
    if online:
        given = replace(given, chain=lambda address: agent, contracts=looked)
    report = verify_receipt(BROKEN[name](receipt), given)
    assert report.verdict == "rejected"
    assert asked == []
    assert "circuits" in report.left_out
    assert verify_receipt(receipt, given).left_out == ""
    assert len(asked) >= 2


def obey(agent: MemoryAgent, identity: AgentIdentity) -> None:
    """What happened was decided by this model."""
    agent.identity_now = identity
    for name, found in agent.happenings.items():
        commitment = identity.model.commitment_hash
        verified = tuple(replace(each, commitment_hash=commitment) for each in found.verified)
        agent.happenings[name] = replace(found, verified=verified)


def test_what_only_the_chain_knows_better_is_cheap_too(
    receipt: Receipt, drain: Model, agent: MemoryAgent
) -> None:
    """A receipt that its maker signed over a model that is not the agent's."""
    asked: list[tuple[str, int]] = []
    obey(agent, memory_identity(drain, AGENT, CHAIN_ID, CIRCUIT, (8,)))
    online = replace(sources(drain, asked), chain=lambda address: agent, contracts=memory_contracts)
    report = verify_receipt(receipt, online)
    assert report.verdict == "rejected"
    assert asked == []


def test_circuits_for_more_decisions_than_any_batch_here_are_not_built(
    agent: MemoryAgent, drain: Model, told: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever signs a receipt of his own says how large a circuit would be: there is a limit."""
    run = batched(agent, drain, told, (MOST_BATCH + 1,)).run(PROMPT)
    receipt = write_receipt(agent, drain, [run], REQUESTER)
    built: list[int] = []

    def building(model: Model, digest: str, system: object, srs: object, size: int) -> Any:
        built.append(size)

    monkeypatch.setattr(circuits, "find_circuit", building)
    report = verify_receipt(receipt, Sources(lambda name: drain, circuits.LocalCircuits()))
    assert report.verdict == "unknown"
    assert [str(MOST_BATCH) in check.problem for check in report.problems] == [True]
    assert built == [1]


@pytest.mark.parametrize("sizes", [(2,), ()], ids=["smaller ones", "none"])
def test_a_proof_of_more_decisions_than_any_verifier_takes_is_broken_and_the_last_looked_at(
    sizes: tuple[int, ...],
    agent: MemoryAgent,
    drain: Model,
    told: list[Event],
) -> None:
    done = batched(agent, drain, told, (4,)).run(PROMPT)
    identity = memory_identity(drain, AGENT, CHAIN_ID, CIRCUIT, sizes)
    obey(agent, identity)
    receipt = write_receipt(agent, drain, [done], REQUESTER)
    assert receipt.runs[0].model.commitment_hash == "0x" + identity.model.commitment_hash.hex()
    # that its circuits are built would be an error, too
    contracts: Any = audit_run.RunContracts(None, lambda name: drain, None)  # type: ignore[arg-type]
    wiring = SimpleNamespace(registry="", model_id=1, executor="")
    later = partial(contracts._built, SimpleNamespace(block=None), wiring, receipt.runs[0])
    (unlike,) = later()
    assert "circuits are the recorded ones" in str(unlike)
    assert not unlike.held
    asked: list[str] = []
    standing = Standing((), WALLET, POOL, False, lambda: asked.append("built") or later())
    sources = Sources(lambda n: drain, lambda *c: check_memory_proof, lambda a: agent)
    report = verify_receipt(receipt, replace(sources, contracts=lambda run: standing))
    assert [str(check.claim) for check in report.problems][-1] == "the proof is valid"
    assert (report.verdict, asked) == ("rejected", [])
    assert "circuits of contracts" in report.left_out
