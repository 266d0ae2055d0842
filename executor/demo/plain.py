"""A stranger's agent, written against the ERC alone, on the demo's chain, and what runs it."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.plain_agent import agent_at
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import Session
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.runner import deploy_runner
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

SOURCE = "strangers/ErcWallet.sol"
#: What the stranger calls the model, whose owner gives it that name.
MODEL_NAME = "llama_model_3"


@dataclass(frozen=True)
class PlainAgentThere:
    """agent: of a stranger; pool: that it moves tokens into, reduced to its books; runner: gives
    runs of the demo's owner proofs."""

    chain: EmbeddedChain
    agent: str
    pool: Any
    runner: str

    def pooled(self, token: str) -> int:
        """By the pool's books, in the token's smallest units."""
        return int(call(self.chain.web3, self.pool.functions.balance(token)))

    def runs(self, session: Session) -> AgentRunner:
        """The owner's, by way of the runner, with the session's prover."""
        web3 = self.chain.web3
        chain = agent_at(web3, self.runner)
        sender = Web3Sender(web3, chain.agent, self.chain.owner, entry=chain.entry)
        return session.runner.for_agent(chain, sender)


def plain_agent_there(chain: EmbeddedChain) -> PlainAgentThere:
    """Deployed by strangers, once the model's owner gave it the name that they use."""
    web3, deployment, owner = chain.web3, chain.deployment, chain.owner
    registry = at(web3, "ModelRegistry", deployment.registry).functions
    send(web3, registry.addAlias(deployment.model_id, MODEL_NAME), owner)
    pool = by_a_stranger(chain, "Pool")
    places = (deployment.executor, MODEL_NAME, pool.address)
    agent = str(by_a_stranger(chain, "ErcWallet", *places).address)
    runner = deploy_runner(web3, agent, deployment.executor, str(owner.address), owner)
    return PlainAgentThere(chain, agent, pool, runner)


def by_a_stranger(chain: EmbeddedChain, name: str, *arguments: Any) -> Any:
    """One of the stranger's contracts, deployed."""
    return deploy(chain.web3, strangers_contracts()[name], chain.stranger, *arguments)


@cache
def strangers_contracts() -> dict[str, Contract]:
    """Which name nothing of ours but a library that anybody has. Raises CompileError."""
    return compile_sources({SOURCE: (PACKAGE / SOURCE).read_text()})


__all__ = ["MODEL_NAME", "PlainAgentThere", "by_a_stranger", "plain_agent_there"]
