"""Verifiers for several decisions in one proof: deployed, and registered beside a model's own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.verifier_contracts.deployment.deployer import Deployer, Registered
from zkagent.verifier_contracts.deployment.model_hashes import batches_hash

PART = "batch verifiers"
#: `BatchVerifier` of IModelRegistry.sol: size, verifier, circuit hash, code hash.
Entry = tuple[int, str, bytes, bytes]


def add_batches(
    deployer: Deployer,
    registry: Any,
    model: Registered,
    circuits: Mapping[int, Circuit],
    kept: Sequence[Entry] = (),
) -> Registered:
    """Register verifiers for so many decisions with the sender's model: these and those `kept`, and
    no others. The model with its new commitment, computed of what was signed.

    model: its commitment without any. kept: they are signed like the new ones, so that nothing but
    the caller's own knowledge may be in them; those of a new one's size are replaced. Agents that
    pinned the model before stop until their owners accept the new commitment. Raises
    DevelopmentSetupRefused, ChainError, RevertError.
    """
    batches: dict[int, Entry] = {
        size: (size, str(to_checksum_address(verifier)), circuit_hash, code_hash)
        for size, verifier, circuit_hash, code_hash in kept
    }
    for size, circuit in sorted(circuits.items()):
        made = deployer.verifier(circuit, PART, f"for {size} decisions")
        batches[size] = (size, made.address, bytes.fromhex(circuit.digest), keccak(made.code))
    entries = [batches[size] for size in sorted(batches)]
    function = registry.functions.setBatchVerifiers(model.number, entries)
    deployer.send(PART, "register", function)
    return replace(model, commitment=batches_hash(model.commitment, entries))


__all__ = ["Entry", "add_batches"]
