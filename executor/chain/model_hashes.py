"""What agents pin, computed of a model as a registry shows it."""

from zkagent.executor.chain.agent import AgentModel
from zkagent.verifier_contracts.deployment.model_hashes import (
    batches_hash,
    bound_hash,
    model_hash,
)


def commitment_hash(model: AgentModel) -> bytes:
    """A hash over the commitment, the contracts that execute it, and the batch verifiers if there
    are any."""
    commitment = (
        model.model_hash,
        model.circuit_hash,
        model.vk_hash,
        model.proof_system_id,
        model.uri,
    )
    binding = (
        model.verifier,
        model.encoder,
        model.decoder,
        list(model.components),
        model.onnx_digest,
        model.manifest_digest,
        model.inputs,
        model.outputs,
    )
    batches = [(b.size, b.verifier, b.circuit_hash, b.code_hash) for b in model.batches]
    return batches_hash(bound_hash(commitment, binding), batches)


__all__ = ["commitment_hash", "model_hash"]
