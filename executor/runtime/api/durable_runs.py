"""Runs that outlive the process that serves them, and those that earlier ones left."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from zkagent.executor.runtime.api.of_agents import Told, answer, check_agent, waiting_at
from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.errors import RunUnknown
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import JsonObject
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.runs import Page, RunRecord, RunState, Waiting
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.kept import KeptRun, Outcome
from zkagent.executor.runtime.durable.kept import State as KeptState
from zkagent.executor.runtime.durable.left import left
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk
from zkagent.executor.runtime.running.agent import Agent
from zkagent.executor.runtime.running.service import AgentService
from zkagent.executor.runtime.running.session import AgentSession

POLL_S = 0.005
#: For runs to end by themselves when the service stops; the others are left to be taken up.
STOP_S = 5.0


class DurableRuns:
    """Implements `Runs`. database: stays open. Raises AgentConfigRefused: two agents have one id.

    desk: whom steps wait for, of agents that were given nobody; one in the database by default.
    """

    def __init__(
        self,
        database: RunsDatabase,
        agents: Iterable[Agent],
        desk: ApprovalDesk | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.desk = desk or ApprovalDesk(KeptApprovals(database))
        self._database, self._runtime, self._now = database, DurableRuntime(database), now
        self._store = self._runtime.store
        self._service = AgentService(self._runtime.session)
        self._beginning = asyncio.Lock()
        self._told = Told()
        self._watching: asyncio.Task[None] | None = None
        for agent in agents:
            agent.wait_for(self.desk)
            agent.add_sink(self._told)
            self._service.register(agent)
            self._runtime.register(agent)

    async def open(self) -> None:
        self._watching = asyncio.ensure_future(self._runtime.watch(self._service))

    def agents(self) -> Sequence[JsonObject]:
        return [agent.config.described() for agent in self._service.agents]

    async def start(self, agent: str, options: RunOptions, owner: str, run_id: str) -> RunRecord:
        check_agent(self._service, agent)
        with contextlib.suppress(RunUnknown):
            return await self.find(run_id)
        async with self._beginning:
            if run_id not in self._service.running:  # somebody may have asked for it just before
                made = partial(self._runtime.session, principal=owner)
                await self._service.start(agent, options, run_id=run_id, sessions=made)
        session = self._service.session(run_id)
        assert session is not None
        return await self._begun(session)

    async def _begun(self, session: AgentSession) -> RunRecord:
        """As soon as it is kept. Raises what ended it before."""
        while True:
            with contextlib.suppress(RunUnknown):
                return await self.find(session.id)
            if session.state == "finished":
                await self._service.result(session.id)
            await asyncio.sleep(POLL_S)

    async def find(self, run_id: str) -> RunRecord:
        (record,) = await apart(self._records, [await apart(self._store.find, run_id)])
        return record

    async def page(self, wanted: Page) -> Sequence[RunRecord]:
        state, outcome = _kept_state(wanted.state)
        found = await apart(
            self._store.page,
            agent=wanted.agent,
            state=state,
            outcome=outcome,
            principal=wanted.owner,
            before=wanted.before,
            most=wanted.limit,
        )
        return await apart(self._records, found)

    def _records(self, found: Sequence[KeptRun]) -> list[RunRecord]:
        alone = left(self._database, found)
        return [record_of(kept, left=kept.id in alone) for kept in found]

    async def events(self, run_id: str, since: int, most: int) -> Sequence[Event]:
        return await apart(self._store.events, run_id, since, most)

    async def result(self, run_id: str) -> AgentResult | None:
        return await apart(self._runtime.result, run_id)

    async def abort(self, run_id: str) -> RunRecord:
        await apart(self._runtime.abort, run_id)
        return await self.find(run_id)

    async def waiting(self, run_id: str | None = None) -> Sequence[Waiting]:
        return await apart(waiting_at, self.desk, self._now(), run_id)

    async def decide(self, digest: str, by: str, *, approve: bool) -> None:
        await answer(self.desk, digest, by, approve=approve)

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._told.listeners.append(listener)

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        await self._service.shutdown(STOP_S, leave=True)
        await apart(self._runtime.close)


def record_of(kept: KeptRun, *, left: bool) -> RunRecord:
    state: RunState = (kept.outcome or "failed") if kept.state == "finished" else kept.state
    return RunRecord(
        id=kept.id,
        agent=kept.agent,
        session=kept.session,
        owner=kept.principal,
        state=state,
        started_at=kept.started_at,
        finished_at=kept.finished_at,
        steps=kept.steps,
        error=kept.code,
        reason=kept.reason,
        left=left,
    )


def _kept_state(state: RunState | None) -> tuple[KeptState | None, Outcome | None]:
    if state is None:
        return None, None
    if state == "done" or state == "failed" or state == "aborted":  # noqa: PLR1714
        return "finished", state
    return state, None


__all__ = ["DurableRuns"]
