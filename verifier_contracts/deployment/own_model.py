"""A model of one's own put on a chain for an agent of one's own: what executes it, its number in a
registry, and an executor where none is there. Called by `agent deploy` of an agent's folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.carrier import Carrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, Progress, at, silent
from zkagent.verifier_contracts.deployment.foundations import Foundations, check_foundations

#: Parameters of a constructor whose values come of the model's deployment.
FILLED = ("executor", "registry", "model", "modelid", "commitment", "expectedcommitment")


@dataclass(frozen=True)
class OwnModel:
    """there: the registry and the executor to use; those that are none are made."""

    model: Model
    circuit: Circuit
    there: Foundations = field(default_factory=Foundations)

    @property
    def subject(self) -> dict[str, str | int]:
        """What a journal is of: with any of it changed it would be another deployment."""
        return {
            "model": self.model.digest,
            "circuit": self.circuit.digest,
            "registry": self.there.registry or "",
            "executor": self.there.executor or "",
        }

    def deploy(self, carrier: Carrier, progress: Progress = silent) -> Mapping[str, str]:
        """Values for the parameters FILLED. Raises DevelopmentSetupRefused, UnknownCode before
        anything is sent; ModelCodeError, ChainError."""
        deployer = Deployer(carrier, progress)
        check_foundations(carrier.web3, self.there)
        contracts, verifier = deployer.model(self.model, self.circuit)
        if self.there.registry is None:
            registry = deployer.make("registry", "ModelRegistry")
        else:
            registry = at(carrier.web3, "ModelRegistry", self.there.registry)
        registered = deployer.register(registry, self.model, self.circuit, contracts, verifier)
        executor = self.there.executor or deployer.address(
            "executor", "AgentExecutor", registry.address
        )
        number, commitment = str(registered.number), "0x" + registered.commitment.hex()
        values = (executor, registry.address, number, number, commitment, commitment)
        return dict(zip(FILLED, values, strict=True))


__all__ = ["FILLED", "OwnModel"]
