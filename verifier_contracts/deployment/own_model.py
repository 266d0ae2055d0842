"""A model of one's own put on a chain for an agent of one's own: what executes it, its number in a
registry, and an executor where none is there. Called by `agent deploy` of an agent's folder.

What many agents obey, a reader, is registered once: where the account has it in this registry, made
of this version's code, that one is taken. The commitment is computed here, of our code and of the
addresses that the node names, so that an agent which pins it is made for no other model: its
constructor has the registry compare both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import call, translated
from zkagent.verifier_contracts.chain.node import answers
from zkagent.verifier_contracts.deployment.backing import Constructed, ExactCode, backing_of
from zkagent.verifier_contracts.deployment.carrier import Carrier
from zkagent.verifier_contracts.deployment.deployer import (
    Deployer,
    Progress,
    Registered,
    at,
    silent,
)
from zkagent.verifier_contracts.deployment.foundations import Foundations, check_foundations
from zkagent.verifier_contracts.deployment.model_code import code_of
from zkagent.verifier_contracts.deployment.model_hashes import bound_hash
from zkagent.verifier_contracts.deployment.record import ModelContracts
from zkagent.verifier_contracts.errors import RevertError

#: Of a registry.
MOST_LOOKED_AT = 64
#: Parameters of a constructor whose values come of the model's deployment.
FILLED = ("executor", "registry", "model", "modelid", "commitment", "expectedcommitment")


@dataclass(frozen=True)
class OwnModel:
    """there: the registry and the executor to use; those that are none are made. shared: it is
    registered only where the account has not registered it before."""

    model: Model
    circuit: Circuit
    there: Foundations = field(default_factory=Foundations)
    shared: bool = False

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
        registry, registered = self._registered(deployer)
        executor = self.there.executor or deployer.address(
            "executor", "AgentExecutor", registry.address
        )
        number, commitment = str(registered.number), "0x" + registered.commitment.hex()
        values = (executor, registry.address, number, number, commitment, commitment)
        return dict(zip(FILLED, values, strict=True))

    def _registered(self, deployer: Deployer) -> tuple[Any, Registered]:
        """The registry, and the model in it."""
        there = self.there.registry
        registry = at(deployer.web3, "ModelRegistry", there) if there else None
        if registry is not None and self.shared and (found := self._found(deployer, registry)):
            return registry, found
        contracts, verifier = deployer.model(self.model, self.circuit)
        registry = registry or deployer.make("registry", "ModelRegistry")
        made = deployer.register(registry, self.model, self.circuit, contracts, verifier)
        return registry, made

    def _found(self, deployer: Deployer, registry: Any) -> Registered | None:
        """What the account registered before, among the first models of the registry."""
        asked, ask = registry.functions, deployer.web3
        for number in range(1, MOST_LOOKED_AT + 1):
            with answers("what the registry has"):
                try:
                    _, withdrawn, owner = call(ask, asked.getModel(number))
                except RevertError:  # there are no more
                    return None
                if withdrawn or owner != deployer.account:
                    continue
                try:
                    binding = call(ask, asked.getBinding(number))
                    there = bytes(call(ask, asked.commitmentHash(number)))
                except RevertError:  # it is bound to nothing
                    continue
            if there == self._commitment(deployer, binding):
                return Registered(number, there)
        return None

    def _commitment(self, deployer: Deployer, binding: Sequence[Any]) -> bytes | None:
        """Of the model with contracts at the addresses of a binding, if they are as many as it
        takes."""
        verifier, encoder, decoder, components, *_ = binding
        code = code_of(self.model)
        if len(components) != code.component_count:
            return None
        laid = code.laid(components)
        contracts = ModelContracts(laid.chunks, laid.data, encoder, decoder, verifier, laid.parts)
        with translated(deployer.web3):
            there = bytes(deployer.web3.eth.get_code(verifier))
        try:
            *_, exact = backing_of(self.circuit).standing(verifier, there)
        except ValueError:  # of another proof system, or nothing of ours
            return None
        if isinstance(exact, Constructed):  # what evaluates; one contract, if it is a reader's
            if exact.arguments:
                return None
            exact = ExactCode(verifier, exact.contract.deployed_bytecode)
        signed = deployer.commitment(self.model, self.circuit, contracts, exact)
        return bound_hash(signed, deployer.binding(self.model, contracts))


__all__ = ["FILLED", "OwnModel"]
