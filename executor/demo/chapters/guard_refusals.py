"""What is refused where a guard stands, as lines of a chapter."""

from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.demo.attacks.stage import FALSE_PROOF
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, refused
from zkagent.executor.demo.forgery import forged
from zkagent.executor.demo.guarded import GuardedAgent
from zkagent.executor.runs.runner import ProvenRun


@dataclass(frozen=True)
class GuardRefusals:
    """Each line holds only if balances and all that the guard tells are as before."""

    world: World
    guarded: GuardedAgent

    def run(self, what: str, call: RunCall, expected: str, agent: str | None = None) -> Line:
        """The owner sends a whole run, to the demo's agent by default."""
        chain = self.world.chain
        to = agent or chain.deployment.agent
        return self.sent(what, chain.owner, to, abi.run_data(call), expected)

    def false_proof(self, what: str, run: ProvenRun, decision: int = -1) -> Line:
        """The owner claims another output for a decision than is proven."""
        return self.run(what, forged(run, decision), FALSE_PROOF)

    def of_guard(
        self, what: str, sender: LocalAccount, expected: str, function: str, *arguments: Any
    ) -> Line:
        """Somebody calls the guard itself."""
        data = self.guarded.data(function, *arguments)
        return self.sent(what, sender, self.guarded.guard.address, data, expected)

    def sent(self, what: str, sender: LocalAccount, to: str, data: bytes, expected: str) -> Line:
        return refused(self.world, Tried(what, sender, to, data, expected, self.guarded.state))


__all__ = ["GuardRefusals"]
