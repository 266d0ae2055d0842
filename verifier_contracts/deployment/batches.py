"""Verifiers for several decisions in one proof: deployed, and registered beside a model's own."""

from collections.abc import Mapping
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Circuit
from zkagent.verifier_contracts.chain.local import Sender, call, send
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import Deployer, at


def register_batches(
    deployer: Deployer, registry: Any, model_id: int, circuits: Mapping[int, Circuit]
) -> None:
    """Make these the batch verifiers of the sender's model, by how many decisions they take.

    Agents that pinned the model before stop until their owners accept the new commitment. Raises
    DevelopmentSetupRefused, ChainError, RevertError.
    """
    batches = []
    for size, circuit in sorted(circuits.items()):
        verifier = deployer.verifier(circuit)
        code_hash = keccak(bytes(deployer.web3.eth.get_code(verifier)))
        batches.append((size, verifier, bytes.fromhex(circuit.digest), code_hash))
    deployer.send(registry.functions.setBatchVerifiers(model_id, batches))


def accept_batches(
    web3: Any, owner: Sender, deployment: Deployment, circuits: Mapping[int, Circuit]
) -> None:
    """The same for a deployment whose model and agent both are `owner`'s, and the agent accepts."""
    registry = at(web3, "ModelRegistry", deployment.registry)
    register_batches(Deployer(web3, owner), registry, deployment.model_id, circuits)
    agent = at(web3, "WalletAgent", deployment.agent)
    commitment = call(web3, registry.functions.commitmentHash(deployment.model_id))
    send(web3, agent.functions.acceptModel(commitment), owner)


__all__ = ["accept_batches", "register_batches"]
