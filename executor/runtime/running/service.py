"""The agents of a process, and their runs. Proposal: "AgentService"."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from zkagent.errors import in_line
from zkagent.executor.runtime.core.config import RunOptions
from zkagent.executor.runtime.core.errors import AgentConfigRefused, RuntimeFault
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.running.agent import STOP_S, Agent
from zkagent.executor.runtime.running.closing import close_all
from zkagent.executor.runtime.running.session import AgentSession

#: Makes the session of a run: durable/ makes those that go on in a later process.
Sessions = Callable[[Agent, RunOptions, str | None], AgentSession]
log = logging.getLogger(__name__)
KEPT = 1000  # sessions that have ended and can still be asked for


def in_memory(agent: Agent, options: RunOptions, run_id: str | None) -> AgentSession:
    return agent.create_session(options, run_id=run_id)


class AgentService:
    """One for a process. Each run is a session and a task of its own; none sees another's state."""

    def __init__(self, sessions: Sessions = in_memory) -> None:
        self._make = sessions
        self._agents: dict[str, Agent] = {}
        self._sessions: dict[str, AgentSession] = {}
        self._tasks: dict[str, asyncio.Task[AgentResult]] = {}
        self._beginning: set[str] = set()
        self._accepts = True

    def register(self, agent: Agent) -> None:
        """Raises AgentConfigRefused: another agent has its id."""
        if self._agents.setdefault(agent.config.id, agent) is not agent:
            raise AgentConfigRefused(f"there is an agent {agent.config.id} already: rename one")

    def agent(self, agent_id: str) -> Agent:
        """Raises AgentConfigRefused: there is none."""
        if agent_id not in self._agents:
            known = ", ".join(sorted(self._agents)) or "none"
            raise AgentConfigRefused(f"there is no agent {agent_id!r:.80}; there are: {known}")
        return self._agents[agent_id]

    @property
    def agents(self) -> tuple[Agent, ...]:
        return tuple(self._agents.values())

    @property
    def running(self) -> tuple[str, ...]:
        """The ids of runs that are on their way."""
        return tuple(run_id for run_id, task in self._tasks.items() if not task.done())

    async def start(
        self,
        agent_id: str,
        options: RunOptions | None = None,
        *,
        run_id: str | None = None,
        sessions: Sessions | None = None,
    ) -> AgentSession:
        """A run that is on its way when this returns. sessions: makes this one; it may ask a
        database, so it does in a thread. Raises RuntimeFault: it shuts down, or a run of that id is
        on its way."""
        self._check_accepts()
        if run_id in self.running or run_id in self._beginning:
            raise RuntimeFault(f"run {run_id} is on its way already")
        agent, make = self.agent(agent_id), sessions or self._make
        with self._begins(run_id):
            session = await apart(make, agent, options or RunOptions(), run_id)
            self._check_accepts()
            self._sessions[session.id] = session
            self._tasks[session.id] = asyncio.ensure_future(session.arun())
        self._tasks[session.id].add_done_callback(say_left)
        self._forget()
        return session

    def _check_accepts(self) -> None:
        if not self._accepts:
            raise RuntimeFault("the service shuts down and takes no more runs")

    @contextmanager
    def _begins(self, run_id: str | None) -> Iterator[None]:
        if run_id is None:
            yield
            return
        self._beginning.add(run_id)
        try:
            yield
        finally:
            self._beginning.discard(run_id)

    def session(self, run_id: str) -> AgentSession | None:
        return self._sessions.get(run_id)

    async def result(self, run_id: str) -> AgentResult:
        """Waits for it. Raises RuntimeFault: no such run; and what ended it without a result."""
        if run_id not in self._tasks:
            raise RuntimeFault(f"there is no run {run_id!r:.80} here")
        return await asyncio.shield(self._tasks[run_id])

    def abort(self, run_id: str) -> bool:
        """Whether there is such a run on its way."""
        is_running = run_id in self.running
        if is_running:
            self._sessions[run_id].abort()
        return is_running

    async def shutdown(self, grace_s: float = STOP_S, *, leave: bool = False) -> None:
        """Takes no more runs, and waits so long for those on their way; what is left then is
        aborted, or only left with `leave`, for runs that another process takes up. Each client
        and planner of the agents is closed once."""
        self._accepts = False
        await self._wait(grace_s)
        for run_id in self.running:
            if leave:
                self._tasks[run_id].cancel()
            else:
                self._sessions[run_id].abort()
        await self._wait(STOP_S)
        await self._close_clients()

    async def _wait(self, seconds: float) -> None:
        if tasks := {self._tasks[run_id] for run_id in self.running}:
            await asyncio.wait(tasks, timeout=seconds)

    async def _close_clients(self) -> None:
        for agent in self.agents:
            await agent.stop(0)
        await close_all(agent.config for agent in self.agents)

    def _forget(self) -> None:
        """The oldest of those that have ended, if there are many."""
        ended = [run_id for run_id, task in self._tasks.items() if task.done()]
        for run_id in ended[: max(0, len(ended) - KEPT)]:
            del self._sessions[run_id], self._tasks[run_id]


def say_left(task: asyncio.Task[AgentResult]) -> None:
    """What ended a run without a result, where nobody may be waiting for it: one that is kept is
    taken up again, or halts."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("a run was left: %s", in_line(f"{type(fault).__name__}: {fault}", 500))


__all__ = ["AgentService", "Sessions", "in_memory", "say_left"]
