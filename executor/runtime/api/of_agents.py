"""What runs in memory and durable ones have in common: listeners, answers to what waits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from zkagent.executor.runtime.core.errors import AgentUnknown
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.runs import Waiting
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk, Request
from zkagent.executor.runtime.permissions.roles import Principal
from zkagent.executor.runtime.running.service import AgentService

APPROVES = frozenset({"approver"})


@dataclass
class Told:
    """A sink of agents, for listeners that do not wait."""

    listeners: list[Callable[[Event], None]] = field(default_factory=list)
    name: str = "service"

    async def take(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)


def check_agent(service: AgentService, agent: str) -> None:
    """Raises AgentUnknown."""
    known = [one.config.id for one in service.agents]
    if agent not in known:
        raise AgentUnknown(f"there is no agent {agent!r:.80}; there are: {', '.join(known)}")


def waiting_at(desk: ApprovalDesk, now: datetime, run_id: str | None) -> Sequence[Waiting]:
    """What can still be answered, of one run or of all."""
    asked = [one for one in desk.store.waiting() if run_id in (None, one.run_id)]
    return [_waiting(one) for one in asked if one.at(now.timestamp()) == "waits"]


async def answer(desk: ApprovalDesk, digest: str, by: str, *, approve: bool) -> None:
    """by: a principal whose role was checked. Raises ApprovalNeeded: nothing of it waits."""
    await desk.decide(digest, Principal(by, APPROVES), approve=approve)


def _waiting(request: Request) -> Waiting:
    return Waiting(
        run=request.run_id,
        step=request.number,
        digest=request.digest,
        tool=request.tool,
        input=request.input,
        reason=request.reason,
        expires_at=datetime.fromtimestamp(request.expires_s, UTC),
    )


__all__ = ["Told", "answer", "check_agent", "waiting_at"]
