"""The hashes that tie a model's files and contracts together, as `registry/ModelHashes.sol` has
them."""

from collections.abc import Sequence

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from zkagent.executor.chain.abi import BATCHES, BINDING, COMMITMENT
from zkagent.executor.chain.agent import AgentModel

MODEL_DOMAIN = keccak(text="zkagent-model-v1")
COMMITMENT_DOMAIN = keccak(text="zkagent-commitment-v1")
BATCHES_DOMAIN = keccak(text="zkagent-batches-v1")


def model_hash(
    onnx_digest: bytes,
    manifest_digest: bytes,
    encoder_code: bytes,
    decoder_code: bytes,
    component_code: Sequence[bytes],
) -> bytes:
    """ERC-7992's modelHash: files by SHA-256, contracts by code hash."""
    types = ["bytes32"] * 5 + ["bytes32[]"]
    values = [MODEL_DOMAIN, onnx_digest, manifest_digest, encoder_code, decoder_code]
    return keccak(encode(types, [*values, list(component_code)]))


def commitment_hash(model: AgentModel) -> bytes:
    """What agents pin: a hash over the commitment, the contracts that execute it, and the batch
    verifiers if there are any."""
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
    types = ["bytes32", COMMITMENT, BINDING]
    hashed = keccak(encode(types, [COMMITMENT_DOMAIN, commitment, binding]))
    if not model.batches:
        return hashed
    batches = [(b.size, b.verifier, b.circuit_hash, b.code_hash) for b in model.batches]
    return keccak(encode(["bytes32", "bytes32", BATCHES], [BATCHES_DOMAIN, hashed, batches]))
