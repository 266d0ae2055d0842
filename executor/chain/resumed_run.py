"""The run of a request that waited for a tool, from where it goes on, at a desk on a real chain."""

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


class ResumedRun(Web3Agent):
    """Implements AgentChain for what is left of the run that request `number` of a desk waits for:
    `plan_run` with `before` plans it."""

    def __init__(self, web3: Web3, agent: str, desk_address: str, number: int) -> None:
        super().__init__(web3, agent, entry=desk_address)
        self.number = number

    def before(self, block: Block) -> int:
        """How many iterations the run has made, the one that it waits in among them. Raises
        RevertError when it waits for nothing any more, NoAgentThere."""
        return self.awaited(block).steps + 1

    def awaited(self, block: Block) -> Awaited:
        """What it waits for. Raises the same."""
        (run_id,) = self._view(self.entry, desk.RUN_OF, block, self.number)
        (_, _, _, _, steps), awaited = self._view(self.agent, SUSPENDED_RUN, block, run_id)
        tool, call, _, answered, _ = awaited
        return Awaited(tool, call, answered, len(steps))

    def simulation(self, prompt: bytes, claims: Sequence[abi.Said]) -> bytes:
        return desk.SIMULATE_RESUME.call(self.number, list(claims))


__all__ = ["SUSPENDED_RUN", "Awaited", "ResumedRun"]
