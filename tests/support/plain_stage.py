"""A stranger's agent and client, written against the ERC alone, on a chain with a model of ours."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.runner import deploy_runner
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.toolchain.compile import (
    PACKAGE,
    Contract,
    compile_sources,
    contract,
)

SOURCE = "test/strangers/ErcWallet.sol"
MODEL_NAME = "llama_model_3"
#: Of the pool's deploy: the ERC's types 1, an address, and 3, an INT.
PARAMETERS = [(1, "asset", "address of the token"), (3, "amount", "amount of tokens")]
NOBODY = "0x" + "00" * 20


@cache
def strangers_contracts() -> dict[str, Contract]:
    return compile_sources({SOURCE: (PACKAGE / SOURCE).read_text()})


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
        return _made(self.chain, "ErcClient", agent)

    def strict_agent(self) -> str:
        """An agent of the same stranger that acts on proven decisions alone: its only tool is
        behind one that sees to it."""
        web3, maker = self.chain.web3, self.chain.stranger
        nonce = web3.eth.get_transaction_count(maker.address)
        agent = created_address(str(maker.address), nonce + 2)
        selector = keccak(b"deploy(address,uint256)")[:4]
        wrapped = (self.pool.address, selector, PARAMETERS, "Successfully deployed", NOBODY)
        tool = _made(self.chain, "ContractTool", "Deploy", "Deploy funds", *wrapped).address
        executor = self.chain.deployment.executor
        proven = deploy(web3, contract("ProvenTool"), maker, agent, executor, tool).address
        made = _made(self.chain, "ErcAssistant", executor, MODEL_NAME, [proven]).address
        assert made == agent
        return agent

    def ask(self, prompt: str, sender: Any = None) -> str:
        """What the client is answered, asked by anybody."""
        function = self.client.functions.ask(prompt)
        send(self.chain.web3, function, sender or self.chain.stranger)
        return str(call(self.chain.web3, self.client.functions.answer()))


def plain_stage(chain: EmbeddedChain) -> PlainStage:
    """Deployed by strangers, once the model's owner gave it the name that they use."""
    web3, deployment = chain.web3, chain.deployment
    registry = at(web3, "ModelRegistry", deployment.registry)
    send(web3, registry.functions.addAlias(deployment.model_id, MODEL_NAME), chain.owner)

    pool = _made(chain, "Pool")
    agent = _made(chain, "ErcWallet", deployment.executor, MODEL_NAME, pool.address).address
    owner = str(chain.owner.address)
    runner = deploy_runner(web3, agent, deployment.executor, owner, chain.owner)
    client = _made(chain, "ErcClient", agent)
    token = deployment.token("USDC").address
    return PlainStage(chain, pool, agent, runner, client, token)


def _made(chain: EmbeddedChain, name: str, *arguments: Any) -> Any:
    return deploy(chain.web3, strangers_contracts()[name], chain.stranger, *arguments)
