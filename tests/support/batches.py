"""Batch verifiers for a deployment of a chain of our own, whose model and agent are one owner's."""

from collections.abc import Mapping
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.verifier_contracts.chain.local import Sender, call, send
from zkagent.verifier_contracts.deployment.batches import add_batches
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Registered, at
from zkagent.verifier_contracts.deployment.model_hashes import bound_hash
from zkagent.verifier_contracts.deployment.record import Deployment


def accept_batches(
    web3: Any, owner: Sender, deployment: Deployment, circuits: Mapping[int, Circuit]
) -> None:
    """These become the only ones, and the agent accepts."""
    registry, number = at(web3, "ModelRegistry", deployment.registry), deployment.model_id
    commitment, _, _ = call(web3, registry.functions.getModel(number))
    binding = call(web3, registry.functions.getBinding(number))
    alone = Registered(number, bound_hash(commitment, binding))
    deployer = Deployer(DirectCarrier(web3, owner))
    changed = add_batches(deployer, registry, alone, circuits)
    agent = at(web3, "WalletAgent", deployment.agent)
    send(web3, agent.functions.acceptModel(changed.commitment), owner)
