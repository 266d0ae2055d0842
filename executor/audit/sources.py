"""What an audit compares with: the model whose files are committed to, and its circuits."""

from collections.abc import Mapping
from pathlib import Path

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.progress import Told
from zkagent.circuits.systems import find_system
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import batch_problem
from zkagent.executor.chain.agent import AgentModel, BatchVerifier
from zkagent.executor.errors import CannotVerify, OtherModel
from zkagent.executor.receipts.circuits import find_circuit
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.executor.runs.local_batches import batch_circuit
from zkagent.models.catalogue import Model, shipped_deciders


def committed_model(bound: AgentModel) -> Model:
    """The shipped model whose manifest is committed. Raises OtherModel."""
    shipped = list(shipped_deciders())
    for model in shipped:
        if model.digest == bound.manifest_digest.hex():
            return model
    known = ", ".join(f"{m.name} {m.digest[:16]}" for m in shipped)
    raise OtherModel("manifest", f"are {known}", bound.manifest_digest.hex()[:16])


def own_circuit(
    bound: AgentModel, model: Model, srs: Path | None, stage: Told, size: int = 1
) -> Circuit:
    """The model's circuit for so many decisions: the committed one when it is that, else one built
    here, so that an audit shows the difference. Raises CircuitError."""
    system = find_system(bound.proof_system_id)
    digest = bound.circuit_hash if size == 1 else bound.batch(size).circuit_hash
    stage(f"circuit for {size} decisions: looking for the committed one")

    def told(step: str) -> None:
        stage(f"circuit for {size} decisions: {step}")

    try:
        return find_circuit(model, digest.hex(), system, srs, size, progress=told)
    except (CannotVerify, ValueError) as exc:
        if not system.repeatable:  # one that is built here is another one in any case
            raise CircuitError(str(exc)) from exc
        return batch_circuit(model, size, srs, stage, system)


def own_batches(
    code: Code, bound: AgentModel, model: Model, srs: Path | None, stage: Told
) -> Mapping[int, Circuit]:
    """The same for each of its batch verifiers that need one to be told from a good one, by
    size."""
    sizes = [batch.size for batch in bound.batches if _needs_circuit(code, bound, batch)]
    return {size: own_circuit(bound, model, srs, stage, size) for size in sizes}


def _needs_circuit(code: Code, bound: AgentModel, batch: BatchVerifier) -> bool:
    try:
        return not batch_problem(code, bound, batch)
    except CannotTell:
        return False


__all__ = ["committed_model", "own_batches", "own_circuit"]
