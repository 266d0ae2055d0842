"""The demo's agent behind a guard of its owner's, and the transfers that it is asked for."""

from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.embedded import EmbeddedChain, balance
from zkagent.executor.chain.guard_rules import rule_of
from zkagent.executor.chain.guards import MODES, Budget, GuardReads, read_guard
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.runs.runner import ProvenRun
from zkagent.executor.runs.session import Session
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.toolchain.compile import contract

SYMBOL = "DAI"
DAI = 10**18
TOTAL, PER_CALL = 60, 30


@dataclass(frozen=True)
class GuardedAgent:
    """guard: its contract, which lets each tool of the agent be called, and `TOTAL` of the token be
    spent, `PER_CALL` in one call."""

    session: Session
    chain: EmbeddedChain
    guard: Any

    @property
    def web3(self) -> Any:
        return self.chain.web3

    def change(self, function: str, *arguments: Any, sender: LocalAccount | None = None) -> None:
        """A call of the guard, by its owner unless said otherwise."""
        called = getattr(self.guard.functions, function)(*arguments)
        send(self.web3, called, sender or self.chain.owner)

    def mode(self, name: str) -> None:
        self.change("setMode", MODES.index(name))

    def data(self, function: str, *arguments: Any) -> bytes:
        """Calldata for the guard."""
        return bytes.fromhex(self.guard.encode_abi(function, args=list(arguments))[2:])

    def reads(self) -> GuardReads:
        reader = ContractReader(self.web3)
        return read_guard(reader, str(self.guard.address).lower(), reader.block("latest"))

    def budget(self) -> Budget:
        """Of the token, in its smallest units."""
        (found,) = self.reads().budgets
        return found

    def left(self) -> str:
        """What can still be spent, as the guard tells it."""
        return f"{(self.budget().remaining or 0) / DAI:g} {SYMBOL} left"

    def moved(self) -> int:
        """What the friend has of the token, in its smallest units."""
        return balance(self.chain, SYMBOL).friend

    def state(self) -> tuple[object, ...]:
        """What no refused call may change: balances, and all that the guard remembers."""
        guard = self.web3.eth.get_proof(self.guard.address, [], "latest")
        return balance(self.chain, SYMBOL), bytes(guard["storageHash"])


def transfer(
    chain: EmbeddedChain, amount: int = 25, recipient: str | None = None, *, symbol: str = SYMBOL
) -> bytes:
    """The prompt: whole tokens, to the friend by default."""
    return f"send {amount} {symbol} to {recipient or chain.friend.address}".encode()


def proven(session: Session, prompt: bytes) -> ProvenRun:
    """The run of a prompt as it would be made now, not sent."""
    return session.runner.prove(session.runner.plan(prompt))


def guarded_agent(session: Session, chain: EmbeddedChain) -> GuardedAgent:
    """The demo's agent with a new guard, in autonomous mode. It stays: an agent has but one."""
    web3, owner, there = chain.web3, chain.owner, chain.deployment
    made = deploy(web3, contract("Guard"), owner, owner.address, there.agent, there.wallet)
    guarded = GuardedAgent(session, chain, made)
    for _, tool in there.tools:
        _, wraps, selector = call(
            web3, at(web3, "SimpleSmartContractTool", tool).functions.wiring()
        )
        guarded.change("allow", tool, rule_of(wraps, selector))
    token = there.token(SYMBOL).address
    guarded.change("setBudget", token, TOTAL * DAI, PER_CALL * DAI)
    guarded.mode("autonomous")
    agent = at(web3, "IGuardableAgent", there.agent).functions
    send(web3, agent.setGuard(made.address), owner)
    return guarded


__all__ = ["DAI", "PER_CALL", "SYMBOL", "TOTAL", "GuardedAgent", "guarded_agent", "proven"]
__all__ += ["transfer"]
