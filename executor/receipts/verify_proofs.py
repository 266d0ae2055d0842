"""The check of a run's proofs, each for the iterations that it covers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from zkagent.circuits.networks.batch import fill
from zkagent.executor.chain.packing import FEATURE_BYTES, OUTPUT_BYTES, unpack
from zkagent.executor.receipts.format import ProofRecord, RunRecord
from zkagent.executor.receipts.recording import unhexed
from zkagent.executor.receipts.verdicts import Check, check
from zkagent.executor.runs.coverage import size_for
from zkagent.executor.runs.provers import ProofCheck
from zkagent.models.catalogue import Model


def check_proofs(
    subject: str,
    run: RunRecord,
    model: Model,
    circuits: Callable[[Model, str, int, bytes], ProofCheck],
) -> Iterator[Check]:
    """Whether the proofs cover every iteration once, and whether each of them is valid."""
    yield check(subject, "every iteration has one proof", lambda: _complete(run))
    for record in run.proofs:
        problem = partial(_proof, run, record, model, circuits)
        yield check(f"{subject}, {_named(record.iterations)}", "the proof is valid", problem)


def _complete(run: RunRecord) -> str:
    covered = sorted(number for record in run.proofs for number in record.iterations)
    expected = list(range(1, len(run.iterations) + 1))
    return "" if covered == expected else f"the proofs are for iterations {covered}"


def _named(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"iteration {numbers[0]}"
    return f"iterations {', '.join(map(str, numbers))}"


def _proof(
    run: RunRecord,
    record: ProofRecord,
    model: Model,
    circuits: Callable[[Model, str, int, bytes], ProofCheck],
) -> str:
    """By the verifier that the contract would take for so many decisions."""
    steps = [step for number, step in enumerate(run.iterations, 1) if number in record.iterations]
    if not steps:
        return "it is for no iteration of the run"
    digests = {1: run.model.circuit_digest} | {b.size: b.circuit_digest for b in run.model.batches}
    size = size_for(len(steps), [batch.size for batch in run.model.batches])
    verdict = circuits(model, digests[size], size, unhexed(run.model.proof_system_id))
    x = fill([unpack(unhexed(step.x), FEATURE_BYTES) for step in steps], size)
    y = fill([unpack(unhexed(step.y), OUTPUT_BYTES) for step in steps], size)
    return "" if verdict(x, y, unhexed(record.proof)) else "it is not a proof of y = f(x)"
