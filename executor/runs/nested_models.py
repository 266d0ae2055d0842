"""The models of agents that are used as tools in a run, and who proves their decisions.

Whoever runs an agent names its model. Those of the agents behind its tools are found by what the
registry has committed them to: of the models that are shipped, and of any that the caller gives,
the one with the same two files.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from zkagent.executor.chain.agent import AgentIdentity
from zkagent.executor.errors import NestedDecision
from zkagent.executor.runs.provers import DecisionProver
from zkagent.models.catalogue import Model, shipped_deciders


class NestedModels(Protocol):
    """What planning and proving ask for of agents inside a run."""

    def model_of(self, identity: AgentIdentity) -> Model:
        """The model that decides for this agent. Raises NestedDecision where none is at hand."""

    def prover_of(self, identity: AgentIdentity) -> DecisionProver:
        """Who proves this agent's decisions. Raises CircuitError, OtherModel, ProverError."""


#: Opens a prover for the circuit that an agent's model is bound to.
ProverOf = Callable[[AgentIdentity, Model], DecisionProver]


class NoNestedModels:
    """For runs of one agent alone."""

    def model_of(self, identity: AgentIdentity) -> Model:
        raise NestedDecision(identity.agent, "this client plans runs of one agent only")

    def prover_of(self, identity: AgentIdentity) -> DecisionProver:
        raise NestedDecision(identity.agent, "this client proves runs of one agent only")


class FoundModels:
    """Models by what the registry says of them. opener: of provers, asked once for each circuit.
    given: models beside the shipped ones, looked at first."""

    def __init__(self, opener: ProverOf, given: Sequence[Model] = ()) -> None:
        self._opener, self._given = opener, tuple(given)
        self._provers: dict[bytes, DecisionProver] = {}

    def model_of(self, identity: AgentIdentity) -> Model:
        committed = identity.model
        for model in self._known():
            if (model.digest, model.manifest.files.onnx) == (
                committed.manifest_digest.hex(),
                committed.onnx_digest.hex(),
            ):
                return model
        raise NestedDecision(
            identity.agent,
            f"no model here has the manifest {committed.manifest_digest.hex()[:16]} that it obeys",
        )

    def prover_of(self, identity: AgentIdentity) -> DecisionProver:
        circuit = identity.model.circuit_hash
        if circuit not in self._provers:
            self._provers[circuit] = self._opener(identity, self.model_of(identity))
        return self._provers[circuit]

    def _known(self) -> Iterator[Model]:
        yield from self._given
        yield from shipped_deciders()


NO_NESTED = NoNestedModels()

__all__ = ["NO_NESTED", "FoundModels", "NestedModels", "NoNestedModels"]
