"""Who has a process's runs, or those that are kept: begins them, tells of them, ends them.

The service (api/) and the commands work with this, whether runs are in memory or durable.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.result import AgentResult

#: running: on its way, or to be taken up again; waiting: for an approval, whose question is there a
#: moment later; halted: nobody takes it up by itself any more; the others have ended.
RunState = Literal["running", "waiting", "halted", "done", "failed", "aborted"]
ENDED: frozenset[RunState] = frozenset({"done", "failed", "aborted"})


@dataclass(frozen=True, slots=True)
class RunRecord:
    """owner: the principal who began it, by name; steps: that were finished; error: the code of
    what ended it; reason: why it halts; left: it has not ended and no process is at it. No
    contents: those are in its events and its result."""

    id: str
    agent: str
    session: str
    owner: str
    state: RunState
    started_at: datetime
    finished_at: datetime | None = None
    steps: int = 0
    error: str | None = None
    reason: str | None = None
    left: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A step that waits for approval. digest: what an answer is for, see permissions/approvals;
    input: as it would be carried out; expires_at: the answer is no from then on."""

    run: str
    step: int
    digest: str
    tool: str
    input: Json
    reason: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """before: only runs that are older than this one, in the order of `page`."""

    owner: str | None = None
    agent: str | None = None
    state: RunState | None = None
    limit: int = 50
    before: str | None = None


class Runs(Protocol):
    """All of it on the loop of running/background. Raises JournalFault: what is kept cannot be
    read now; RecordsBroken: it is not what was written."""

    async def open(self) -> None:
        """Before all others, once: takes up what earlier processes left."""

    def agents(self) -> Sequence[JsonObject]:
        """AgentConfig.described() of each."""

    async def start(self, agent: str, options: RunOptions, owner: str, run_id: str) -> RunRecord:
        """The run of that id as it is, if there is one already. Raises AgentUnknown, RuntimeFault:
        no more runs are taken."""

    async def find(self, run_id: str) -> RunRecord:
        """Raises RunUnknown."""

    async def page(self, wanted: Page) -> Sequence[RunRecord]:
        """Newest first. Raises RunUnknown: wanted.before."""

    async def events(self, run_id: str, since: int, most: int) -> Sequence[Event]:
        """Those that are kept, from this number on, in order."""

    async def result(self, run_id: str) -> AgentResult | None:
        """None while it has not ended. Raises RunUnknown."""

    async def abort(self, run_id: str) -> RunRecord:
        """As it is then: it ends soon, unless it has ended. Raises RunUnknown."""

    async def waiting(self, run_id: str | None = None) -> Sequence[Waiting]:
        """Steps that wait, oldest first; of all runs for None."""

    async def decide(self, digest: str, by: str, *, approve: bool) -> None:
        """by: a principal whose role was checked. Raises ApprovalNeeded: nothing of this digest
        waits."""

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Called with each event of this process's runs, passing ones included, in their thread."""

    async def close(self) -> None:
        """Takes no more runs, and ends or leaves those on their way."""


__all__ = ["ENDED", "Page", "RunRecord", "RunState", "Runs", "Waiting"]
