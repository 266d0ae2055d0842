"""A run that waited for a tool, from where it goes on: of a request at a desk, or of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from web3 import Web3

from zkagent.executor.chain import abi, desk
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.web3_agent import Web3Agent

RUN = "(int256,address,address,string,string[])"
AWAITED = "(address,int256,string,bool,string)"
SUSPENDED_RUN = abi.Method("suspendedRun", ("int256",), (RUN, AWAITED))


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a run waits for: this call of this tool, which may have answered. steps: iterations that
    the run made before the one that it waits in."""

    tool: str
    call: int
    answered: bool
    steps: int

    def __str__(self) -> str:
        return f"call {self.call} of tool {self.tool.lower()}"


class SuspendedRun(Web3Agent):
    """Implements AgentChain for what is left of the account's own run `number`: `plan_run` with
    `before` plans it."""

    def __init__(self, web3: Web3, agent: str, number: int, *, entry: str | None = None) -> None:
        super().__init__(web3, agent, entry=entry)
        self.number = number

    def before(self, block: Block) -> int:
        """How many iterations the run has made, the one that it waits in among them. Raises
        RevertError when it waits for nothing any more, NoAgentThere."""
        return self.awaited(block).steps + 1

    def awaited(self, block: Block) -> Awaited:
        """What it waits for. Raises the same."""
        run = self.run_at(block)
        (_, _, _, _, steps), awaited = self._view(self.agent, SUSPENDED_RUN, block, run)
        tool, call, _, answered, _ = awaited
        return Awaited(tool, call, answered, len(steps))

    def run_at(self, block: Block) -> int:
        """The agent's number of the run."""
        return self.number

    def simulation(self, prompt: bytes, claims: Sequence[abi.Said]) -> bytes:
        return abi.SIMULATE_RESUME.call(self.number, list(claims))


class ResumedRun(SuspendedRun):
    """The same of the run that request `number` of a desk waits for."""

    def __init__(self, web3: Web3, agent: str, desk_address: str, number: int) -> None:
        super().__init__(web3, agent, number, entry=desk_address)

    def run_at(self, block: Block) -> int:
        return int(self._view(self.entry, desk.RUN_OF, block, self.number)[0])

    def simulation(self, prompt: bytes, claims: Sequence[abi.Said]) -> bytes:
        return desk.SIMULATE_RESUME.call(self.number, list(claims))


__all__ = ["SUSPENDED_RUN", "Awaited", "ResumedRun", "SuspendedRun"]
