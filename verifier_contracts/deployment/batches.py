"""Verifiers for several decisions in one proof: deployed, and registered beside a model's own."""

from collections.abc import Mapping
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.verifier_contracts.chain.local import Sender, call, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, at
from zkagent.verifier_contracts.deployment.record import Deployment

PART = "batch verifiers"


def add_batches(
    deployer: Deployer, registry: Any, model_id: int, circuits: Mapping[int, Circuit]
) -> bytes:
    """Register verifiers for so many decisions beside those that the sender's model has; those of
    the same size are replaced. The new commitment hash.

    Agents that pinned the model before stop until their owners accept the new commitment. Raises
    DevelopmentSetupRefused, ChainError, RevertError.
    """
    listed = call(deployer.web3, registry.functions.batchVerifiers(model_id))
    return _set(deployer, registry, model_id, circuits, kept=listed)


def register_batches(
    deployer: Deployer, registry: Any, model_id: int, circuits: Mapping[int, Circuit]
) -> bytes:
    """`add_batches` where these become the only ones."""
    return _set(deployer, registry, model_id, circuits, kept=())


def accept_batches(
    web3: Any, owner: Sender, deployment: Deployment, circuits: Mapping[int, Circuit]
) -> None:
    """The same for a deployment whose model and agent both are `owner`'s, and the agent accepts."""
    registry = at(web3, "ModelRegistry", deployment.registry)
    deployer = Deployer(DirectCarrier(web3, owner))
    commitment = register_batches(deployer, registry, deployment.model_id, circuits)
    agent = at(web3, "WalletAgent", deployment.agent)
    send(web3, agent.functions.acceptModel(commitment), owner)


def _set(
    deployer: Deployer, registry: Any, model_id: int, circuits: Mapping[int, Circuit], kept: Any
) -> bytes:
    batches = {size: (size, *rest) for size, *rest in kept}
    for size, circuit in sorted(circuits.items()):
        verifier = deployer.verifier(circuit, PART, f"for {size} decisions")
        code_hash = keccak(bytes(deployer.web3.eth.get_code(verifier)))
        batches[size] = (size, verifier, bytes.fromhex(circuit.digest), code_hash)
    entries = [batches[size] for size in sorted(batches)]
    deployer.send(PART, "register", registry.functions.setBatchVerifiers(model_id, entries))
    return bytes(call(deployer.web3, registry.functions.commitmentHash(model_id)))


__all__ = ["accept_batches", "add_batches", "register_batches"]
