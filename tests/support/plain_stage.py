"""A stranger's agent and client, written against the ERC alone, on a chain with a model of ours."""

from dataclasses import dataclass
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.demo.plain import MODEL_NAME, by_a_stranger, plain_agent_there
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.toolchain.compile import contract

#: Of the pool's deploy: the ERC's types 1, an address, and 3, an INT.
PARAMETERS = [(1, "asset", "address of the token"), (3, "amount", "amount of tokens")]
NOBODY = "0x" + "00" * 20


@dataclass(frozen=True)
class PlainStage:
    """agent: of a stranger; runner: gives its owner's runs proofs; client: of another stranger, and
    asks the agent; token: by its address, of six decimals."""

    chain: EmbeddedChain
    pool: Any
    agent: str
    runner: str
    client: Any
    token: str

    @property
    def balance(self) -> int:
        """Of the pool's books, in units of the token."""
        return int(call(self.chain.web3, self.pool.functions.balance(self.token)))

    def client_of(self, agent: str) -> Any:
        """The client, of another agent."""
        return by_a_stranger(self.chain, "ErcClient", agent)

    def strict_agent(self) -> str:
        """An agent of the same stranger that acts on proven decisions alone: its only tool is
        behind one that sees to it."""
        web3, maker = self.chain.web3, self.chain.stranger
        nonce = web3.eth.get_transaction_count(maker.address)
        agent = created_address(str(maker.address), nonce + 2)
        selector = keccak(b"deploy(address,uint256)")[:4]
        wrapped = (self.pool.address, selector, PARAMETERS, "Successfully deployed", NOBODY)
        tool = by_a_stranger(self.chain, "ContractTool", "Deploy", "Deploy funds", *wrapped).address
        executor = self.chain.deployment.executor
        proven = deploy(web3, contract("ProvenTool"), maker, agent, executor, tool).address
        made = by_a_stranger(self.chain, "ErcAssistant", executor, MODEL_NAME, [proven]).address
        assert made == agent
        return agent

    def ask(self, prompt: str, sender: Any = None) -> str:
        """What the client is answered, asked by anybody."""
        function = self.client.functions.ask(prompt)
        send(self.chain.web3, function, sender or self.chain.stranger)
        return str(call(self.chain.web3, self.client.functions.answer()))


def plain_stage(chain: EmbeddedChain) -> PlainStage:
    """Deployed by strangers, once the model's owner gave it the name that they use."""
    there = plain_agent_there(chain)
    client = by_a_stranger(chain, "ErcClient", there.agent)
    token = chain.deployment.token("USDC").address
    return PlainStage(chain, there.pool, there.agent, there.runner, client, token)
