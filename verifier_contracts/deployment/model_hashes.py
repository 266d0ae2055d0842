"""The hashes that tie a model's files and contracts together, as `registry/ModelHashes.sol` has
them: computed where they are signed and where they are checked, so that no node is asked for them.
"""

from collections.abc import Sequence
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

MODEL_DOMAIN = keccak(text="zkagent-model-v1")
COMMITMENT_DOMAIN = keccak(text="zkagent-commitment-v1")
BATCHES_DOMAIN = keccak(text="zkagent-batches-v1")
#: ERC-7992's ModelCommitment; ModelBinding and BatchVerifier[] of `IModelRegistry.sol`.
COMMITMENT = "(bytes32,bytes32,bytes32,bytes4,string)"
BINDING = "(address,address,address,address[],bytes32,bytes32,uint16,uint16)"
BATCHES = "(uint16,address,bytes32,bytes32)[]"


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


def bound_hash(commitment: tuple[Any, ...], binding: tuple[Any, ...]) -> bytes:
    """What agents pin of a model without batch verifiers: a hash over the commitment and the
    contracts that execute it. Its URI may be any bytes, those that are no UTF-8 as lone
    surrogates (PEP 383)."""
    *hashes, uri = commitment
    types = ["bytes32", COMMITMENT.replace("string", "bytes"), BINDING]
    raw = (*hashes, uri.encode("utf-8", "surrogateescape"))
    return keccak(encode(types, [COMMITMENT_DOMAIN, raw, binding]))


def batches_hash(bound: bytes, batches: Sequence[tuple[int, str, bytes, bytes]]) -> bytes:
    """The same with batch verifiers, if there are any. bound: without them."""
    if not batches:
        return bound
    return keccak(encode(["bytes32", "bytes32", BATCHES], [BATCHES_DOMAIN, bound, list(batches)]))


__all__ = ["BATCHES", "BINDING", "COMMITMENT", "batches_hash", "bound_hash", "model_hash"]
