"""An agent in memory that uses another one: the outermost views a balance through an agent of
another model's number, which makes its own three decisions first."""

from dataclasses import replace

from tests.executor.drain import CHAIN_ID, drain_agent
from tests.support.fakes.memory_agent import MemoryAgent, made_up_address, memory_identity
from zkagent.executor.chain.agent import AgentIdentity
from zkagent.executor.chain.model_hashes import commitment_hash
from zkagent.executor.runs.provers import DecisionProver
from zkagent.models.catalogue import Model

INNER = made_up_address(0x1A)
INNER_PROMPT = b"please withdraw all my USDC"
INNER_CIRCUIT = "d2" * 32


def nested_agents(model: Model) -> MemoryAgent:
    """The outermost agent; the inner one behind its tool Withdraw, whose balance it views there."""
    outer, inner = drain_agent(model), drain_agent(model)
    identity = memory_identity(model, INNER, CHAIN_ID, INNER_CIRCUIT)
    numbered = replace(identity.model, model_id=2)
    bound = replace(numbered, commitment_hash=commitment_hash(numbered))
    inner.identity_now = replace(identity, model=bound)
    inner.reads_now = replace(inner.reads_now, agent=INNER)
    inner.state, inner.signer = outer.state, outer.signer
    outer.inside = {"Withdraw": (inner, INNER_PROMPT)}
    return outer


class InnerModels:
    """Knows the inner agent's model."""

    def __init__(self, model: Model, prover: DecisionProver) -> None:
        self.model, self.prover = model, prover

    def model_of(self, identity: AgentIdentity) -> Model:
        return self.model

    def prover_of(self, identity: AgentIdentity) -> DecisionProver:
        return self.prover
