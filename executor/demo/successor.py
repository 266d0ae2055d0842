"""A new version of the demo's agent, which takes the old one's place by its owner's signature."""

from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.guard_messages import succession_message
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.demo.guarded import GuardedAgent
from zkagent.executor.runs.runner import AgentRunner
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.deployer import MAX_ITERATIONS, at
from zkagent.verifier_contracts.toolchain.compile import contract

LASTS_S = 300
Signed = tuple[tuple[Any, ...], bytes]


@dataclass(frozen=True)
class Successor:
    """agent: its contract. guarded: whose place it is to take, with the guard."""

    agent: Any
    guarded: GuardedAgent

    @property
    def web3(self) -> Any:
        return self.guarded.web3

    @property
    def owner(self) -> LocalAccount:
        return self.guarded.chain.owner

    @property
    def runner(self) -> AgentRunner:
        """Its owner's."""
        address = str(self.agent.address)
        chain, sender = Web3Agent(self.web3, address), Web3Sender(self.web3, address, self.owner)
        return self.guarded.session.runner.for_agent(chain, sender)

    @property
    def old_tools(self) -> list[str]:
        return [address for _, address in self.guarded.chain.deployment.tools]

    @property
    def new_tools(self) -> list[str]:
        return list(call(self.web3, self.agent.functions.tools())[0])

    def succession(self, signer: LocalAccount, **other: Any) -> Signed:
        """What makes it the successor, signed. other: fields that are not as they have to be."""
        now = int(self.web3.eth.get_block("latest")["timestamp"])
        fields = {
            "predecessor": self.guarded.chain.deployment.agent,
            "successor": self.agent.address,
            "oldTools": self.old_tools,
            "newTools": self.new_tools,
            "nonce": 0,
            "deadline": now + LASTS_S,
        } | other
        guard = self.guarded.guard.address
        message = succession_message(guard, self.web3.eth.chain_id, fields)
        return tuple(fields.values()), bytes(signer.sign_typed_data(*message).signature)

    def takes_over(self, signed: Signed, bringer: LocalAccount) -> None:
        """The guard is its own before the wallet obeys it: so it never acts without one."""
        self.guarded.change("succeed", *signed, sender=bringer)
        send(self.web3, self.agent.functions.setGuard(self.guarded.guard.address), self.owner)
        wallet = at(self.web3, "AgentWallet", self.guarded.chain.deployment.wallet).functions
        send(self.web3, wallet.replaceTools(self.old_tools, self.new_tools), self.owner)


def successor_of(guarded: GuardedAgent) -> Successor:
    """Deployed, for the same wallet and model, and able to do nothing yet."""
    there, owner = guarded.chain.deployment, guarded.chain.owner
    commitment = bytes.fromhex(there.commitment.removeprefix("0x"))
    model = (there.executor, str(there.model_id), commitment)
    places = (there.wallet, there.agent, there.symbol_book, MAX_ITERATIONS)
    made = deploy(guarded.web3, contract("SuccessorWalletAgent"), owner, *model, *places)
    return Successor(made, guarded)


__all__ = ["Successor", "successor_of"]
