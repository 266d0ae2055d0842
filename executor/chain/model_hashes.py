"""What agents pin, computed of a model as a registry or a receipt shows it, by the hashes that
deployments sign."""

from collections.abc import Sequence

from zkagent.executor.chain.agent import AgentModel
from zkagent.verifier_contracts.deployment import model_hashes as signed


def model_hash(
    files: tuple[bytes, bytes], encoder: bytes, decoder: bytes, components: Sequence[bytes]
) -> bytes:
    """ERC-7992's modelHash. files: digests of network and manifest; the others: code hashes."""
    return signed.model_hash(*files, encoder, decoder, components)


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
    return signed.batches_hash(signed.bound_hash(commitment, binding), batches)


__all__ = ["commitment_hash", "model_hash"]
