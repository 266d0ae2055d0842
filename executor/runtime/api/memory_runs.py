"""Runs of a process that end with it: what `zkagent serve --agents` has without a database."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from zkagent.errors import in_line
from zkagent.executor.runtime.api.of_agents import Told, answer, check_agent, waiting_at
from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.errors import RunUnknown
from zkagent.executor.runtime.core.events import PASSING, Event
from zkagent.executor.runtime.core.json_values import JsonObject
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.runs import ENDED, Page, RunRecord, RunState, Waiting
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk
from zkagent.executor.runtime.running.agent import Agent
from zkagent.executor.runtime.running.service import AgentService
from zkagent.executor.runtime.running.session import AgentSession

log = logging.getLogger(__name__)
KEPT = 1_000  # runs that have ended


@dataclass
class _Kept:
    """A run's store: it takes its events."""

    record: RunRecord
    events: list[Event] = field(default_factory=list)
    result: AgentResult | None = None

    async def take(self, event: Event) -> None:
        if event.kind in PASSING:
            return
        self.events.append(event)
        if event.kind == "step_finished":
            self.record = replace(self.record, steps=self.record.steps + 1)
        elif event.kind == "run_finished":
            self.result = AgentResult.from_json(event.data["result"])  # type: ignore[arg-type]
            self.record = ended_record(self.record, self.result)


def ended_record(record: RunRecord, result: AgentResult) -> RunRecord:
    state: RunState = "done" if result.success else "aborted" if result.aborted else "failed"
    return replace(
        record,
        state=state,
        finished_at=result.finished_at,
        steps=result.steps,
        error=result.error.code if result.error else None,
    )


class MemoryRuns:
    """Implements `Runs`. Raises AgentConfigRefused: two agents have one id.

    desk: whom steps wait for, of agents that were given nobody; now: for tests.
    """

    def __init__(
        self,
        agents: Iterable[Agent],
        desk: ApprovalDesk | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.desk = desk or ApprovalDesk()
        self._service, self._now = AgentService(self._session), now
        self._kept: dict[str, _Kept] = {}
        self._watching: set[asyncio.Task[None]] = set()
        self._told = Told()
        for agent in agents:
            agent.wait_for(self.desk)
            agent.add_sink(self._told)
            self._service.register(agent)

    async def open(self) -> None:
        """There is nothing to take up."""

    def agents(self) -> Sequence[JsonObject]:
        return [agent.config.described() for agent in self._service.agents]

    async def start(self, agent: str, options: RunOptions, owner: str, run_id: str) -> RunRecord:
        if run_id in self._kept:
            return self._record(self._kept[run_id])
        check_agent(self._service, agent)
        session = options.session or run_id
        kept = _Kept(RunRecord(run_id, agent, session, owner, "running", self._now()))
        self._kept[run_id] = kept
        try:
            await self._service.start(agent, options, run_id=run_id)
        except BaseException:
            del self._kept[run_id]
            raise
        task = asyncio.ensure_future(self._watch(kept))
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)
        self._forget()
        return self._record(kept)

    async def find(self, run_id: str) -> RunRecord:
        return self._record(self._found(run_id))

    async def page(self, wanted: Page) -> Sequence[RunRecord]:
        newest_first = list(reversed(self._kept.values()))
        if wanted.before is not None:
            newest_first = newest_first[newest_first.index(self._found(wanted.before)) + 1 :]
        fitting = (self._record(kept) for kept in newest_first)
        return [record for record in fitting if fits(record, wanted)][: wanted.limit]

    async def events(self, run_id: str, since: int, most: int) -> Sequence[Event]:
        return self._found(run_id).events[since : since + most]

    async def result(self, run_id: str) -> AgentResult | None:
        return self._found(run_id).result

    async def abort(self, run_id: str) -> RunRecord:
        kept = self._found(run_id)
        self._service.abort(run_id)
        return self._record(kept)

    async def waiting(self, run_id: str | None = None) -> Sequence[Waiting]:
        return waiting_at(self.desk, self._now(), run_id)

    async def decide(self, digest: str, by: str, *, approve: bool) -> None:
        await answer(self.desk, digest, by, approve=approve)

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._told.listeners.append(listener)

    async def close(self) -> None:
        await self._service.shutdown()

    def _session(self, agent: Agent, options: RunOptions, run_id: str | None) -> AgentSession:
        assert run_id is not None
        kept = self._kept[run_id]
        owner = kept.record.owner
        return agent.create_session(options, run_id=run_id, principal=owner, store=kept)

    def _found(self, run_id: str) -> _Kept:
        if run_id not in self._kept:
            raise RunUnknown(f"there is no run {run_id!r:.80} in this process", run=run_id)
        return self._kept[run_id]

    def _record(self, kept: _Kept) -> RunRecord:
        record = kept.record
        if record.state in ENDED or not waiting_at(self.desk, self._now(), record.id):
            return record
        return replace(record, state="waiting")

    async def _watch(self, kept: _Kept) -> None:
        """A run that ends without a result has failed."""
        try:
            await self._service.result(kept.record.id)
        except BaseException as exc:
            why = in_line(f"{type(exc).__name__}: {exc}", 500)
            log.error("run %s ended without a result: %s", kept.record.id, why)
            at = self._now()
            kept.record = replace(kept.record, state="failed", finished_at=at, error="failed")
            if not isinstance(exc, Exception):
                raise

    def _forget(self) -> None:
        ended = [key for key, kept in self._kept.items() if kept.record.state in ENDED]
        for key in ended[: max(0, len(ended) - KEPT)]:
            del self._kept[key]


def fits(record: RunRecord, wanted: Page) -> bool:
    """Whether a list that is asked for like this has the run."""
    asked = ((wanted.owner, record.owner), (wanted.agent, record.agent))
    return all(one in (None, its) for one, its in (*asked, (wanted.state, record.state)))


__all__ = ["MemoryRuns", "ended_record", "fits"]
