"""The rest of an agent's run that waits for an approval, as its owner goes on with it."""

from collections.abc import Sequence
from typing import Any

from web3 import Web3

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.web3_agent import Web3Agent

SIMULATE_RESUME = abi.Method("simulateResume", ("int256", abi.CLAIMS))
RESUME_WITH_PROOFS = abi.Method(
    "resumeWithProofs", ("int256", abi.CLAIMS, "bytes[]", abi.TERMS), abi.RUN.outputs
)


class WaitingRun(Web3Agent):
    """Implements AgentChain for what is left of run `run_id`, as the agent counts them."""

    def __init__(self, web3: Web3, agent: str, run_id: int) -> None:
        super().__init__(web3, agent)
        self.run_id = run_id

    def simulation(self, prompt: bytes, claims: Sequence[abi.Said]) -> bytes:
        return SIMULATE_RESUME.call(self.run_id, list(claims))

    def resumption(self, run: RunCall) -> bytes:
        """Calldata that goes on by these claims and proofs."""
        return RESUME_WITH_PROOFS.call(self.run_id, *abi.run_arguments(run))


def suspended_run(receipt: Any, agent: str) -> int:
    """The run that a transaction left waiting."""
    (log,) = (
        log
        for log in receipt["logs"]
        if log["address"].lower() == agent.lower()
        and bytes(log["topics"][0]) == abi.RUN_SUSPENDED.topic
    )
    return int.from_bytes(log["topics"][1], "big")


__all__ = ["WaitingRun", "suspended_run"]
