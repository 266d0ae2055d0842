"""An agent on a chain whose model the EVM evaluates, so that runs take no time to prove."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.embedded import Balance, EmbeddedChain, balance, fund
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.wallet import deploy_wallet


@dataclass(frozen=True)
class Stage:
    """The agent's chain, and a runner for its owner."""

    chain: EmbeddedChain
    runner: AgentRunner

    def usdc(self) -> Balance:
        return balance(self.chain, "USDC")

    def mined_by_owner(self) -> int:
        """How many of the owner's transactions are in blocks."""
        return int(self.chain.web3.eth.get_transaction_count(self.chain.owner.address))


@contextmanager
def evaluated_stage(anvil: Anvil, model: Model, circuit: Circuit) -> Iterator[Stage]:
    """Deployed for the length of the block."""
    snapshot = anvil.snapshot()
    owner, friend, stranger = anvil.accounts[:3]
    deployment = deploy_wallet(anvil.web3, model, circuit, owner)
    chain = EmbeddedChain(anvil, deployment, owner, friend, stranger)
    fund(chain)
    agent = Web3Agent(anvil.web3, deployment.agent)
    sender = Web3Sender(anvil.web3, deployment.agent, owner)
    yield Stage(chain, AgentRunner(agent, sender, model, InlineProver(circuit)))
    anvil.revert(snapshot)
