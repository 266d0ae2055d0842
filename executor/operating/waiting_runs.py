"""The runs of a desk's requests that wait for a tool that answers later: what for, and what is left
of them once the tool has answered.

A run can go on when a settled block says so as well as the latest: a tool's answer may be gone with
its block. Nobody's word is taken for it but that of a simulation of going on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.desk import RESULT_MISSING, WRONG_STATUS, Posted
from zkagent.executor.chain.resumed_run import ResumedRun
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.runner import AgentRunner, ProvenRun
from zkagent.verifier_contracts.errors import RevertError

TO_SETTLE = "its beginning to settle"


@dataclass
class WaitingRuns:
    """runner: plans and proves runs that begin at the desk."""

    desk: Web3Desk
    runner: AgentRunner
    sender: Web3Sender
    _known: dict[int, str] = field(default_factory=dict)
    _agent: str = ""

    def look(self, posted: Posted, settled: Block, head: Block) -> str:
        """What its run waits for, in words; empty once it can go on. Raises RevertError when going
        on fails otherwise, and what reading the chain raises."""
        what = self._at(posted, settled)
        if not what and settled.number != head.number:
            what = self._at(posted, head)
        self._known[posted.id] = what
        return what

    def for_what(self, posted: Posted) -> str:
        """As it was looked at last."""
        return self._known.get(posted.id, "")

    def keep(self, numbers: Iterable[int]) -> None:
        """Forget of all requests but these."""
        kept = set(numbers)
        self._known = {number: what for number, what in self._known.items() if number in kept}

    def rest_of(self, posted: Posted) -> ProvenRun:
        """What is left of its run, proven. Raises what planning and proving raise."""
        chain = self._chain(posted)
        runner = self.runner.for_agent(chain, self.sender)
        before = chain.before(chain.head())
        return runner.prove(runner.plan(posted.request.order.prompt, before=before))

    def _at(self, posted: Posted, block: Block) -> str:
        chain = self._chain(posted)
        try:
            chain.simulate(posted.request.order.prompt, (), self.sender.account, block)
        except RevertError as exc:
            if exc.data[:4] == WRONG_STATUS.selector:
                return TO_SETTLE
            if exc.data[:4] != RESULT_MISSING.selector:
                raise
            return missing(exc)
        return ""

    def _chain(self, posted: Posted) -> ResumedRun:
        self._agent = self._agent or self.desk.agent(self.desk.head())
        return ResumedRun(self.desk.web3, self._agent, self.desk.address, posted.id)


def missing(exc: RevertError) -> str:
    """Which tool's answer."""
    try:
        _, tool, call = RESULT_MISSING.arguments(exc.data)
    except ValueError:
        raise exc from None
    return f"call {call} of tool {tool}"


__all__ = ["WaitingRuns"]
