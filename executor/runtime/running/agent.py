"""An agent: what it is made of, and the sessions in which it runs. Proposal: "Agent interface"."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Self

from zkagent.executor.runtime.core.config import LOCAL, AgentConfig, RunOptions
from zkagent.executor.runtime.core.errors import RuntimeFault
from zkagent.executor.runtime.core.events import Sink
from zkagent.executor.runtime.core.journal import DirectJournal, Journal
from zkagent.executor.runtime.core.permissions import (
    Approvals,
    NamesTools,
    NobodyApproves,
    Permissions,
)
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.steps import ChatMessage
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.core.world import World
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.running.closing import close_all
from zkagent.executor.runtime.running.handlers import Handler, Hooks, told
from zkagent.executor.runtime.running.run import Run
from zkagent.executor.runtime.running.runner import Runner
from zkagent.executor.runtime.running.session import AgentSession
from zkagent.executor.runtime.running.telling import Sinks, Telling

#: For runs to end by themselves when an agent stops; then they are aborted.
STOP_S = 10.0


class Agent:
    """Runs in memory, unless a journal and a store are given with each session (durable/).

    world: clock, ids, seed; sinks: told of all events; approvals: whom a step waits for; secrets:
    gives tools a secret by its name. Raises AgentConfigRefused.
    """

    def __init__(
        self,
        config: AgentConfig,
        *,
        world: World | None = None,
        sinks: Sequence[Sink] = (),
        hooks: Hooks | None = None,
        approvals: Approvals | None = None,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        self.config = config
        self._runner = Runner(config)
        self._permissions = config.permissions or _default_permissions(config)
        if isinstance(self._permissions, NamesTools):
            self._permissions.check_tools(config.id, [tool.id for tool in config.tools])
        self._world = world or World()
        self._sinks = Sinks([*sinks, *(hooks.sinks() if hooks else ())])
        self._approvals = approvals or NobodyApproves()
        self._secrets = secrets
        self._sessions: dict[str, AgentSession] = {}
        self._standing: set[ChatMessage] = set()
        self._stopped = False

    def create_session(
        self,
        options: RunOptions | str | None = None,
        *,
        run_id: str | None = None,
        principal: str = LOCAL,
        journal: Journal | None = None,
        store: Sink | None = None,
    ) -> AgentSession:
        """options: a text is the run's task. run_id: of a run that goes on, with the journal and
        the store in which it is kept. principal: whose run it is, and whose its session. Raises
        RuntimeFault: the agent has stopped."""
        if self._stopped:
            raise RuntimeFault(f"agent {self.config.id} has stopped: make another one")
        wanted = RunOptions(task=options) if isinstance(options, str) else options or RunOptions()
        run_id = run_id or self._world.new_id()
        sinks = Sinks()
        telling = Telling(run_id, self._world.clock, (self._sinks, sinks), store)
        run = Run(
            id=run_id,
            session_id=wanted.session or run_id,
            config=self.config,
            options=wanted,
            permissions=self._permissions,
            journal=journal or DirectJournal(),
            world=self._world,
            telling=telling,
            approvals=self._approvals,
            secrets=self._secrets,
            principal=principal,
            standing=self._standing,
        )
        return AgentSession(run, self._carry_out, sinks, self._tell)

    async def arun(self, options: RunOptions | str | None = None) -> AgentResult:
        """One run from its beginning to its end."""
        return await self.create_session(options).arun()

    def run(self, options: RunOptions | str | None = None) -> AgentResult:
        return self.create_session(options).run()

    def on(self, event: str, handler: Handler) -> None:
        """event: step, tool, error, metrics, * or a kind of event. The handler gets each such
        event of each run, and may be asynchronous. Raises AgentConfigRefused: no such event."""
        self._sinks.add(told(event, handler))

    def add_sink(self, sink: Sink) -> None:
        self._sinks.add(sink)

    def wait_for(self, approvals: Approvals) -> None:
        """Whom steps wait for from now on, unless the host said so when it made the agent."""
        if isinstance(self._approvals, NobodyApproves):
            self._approvals = approvals

    @property
    def tools(self) -> tuple[ToolDefinition, ...]:
        return tuple(self.config.tools)

    def tool(self, tool_id: str) -> ToolDefinition | None:
        return next((tool for tool in self.config.tools if tool.id == tool_id), None)

    @property
    def running(self) -> tuple[AgentSession, ...]:
        return tuple(self._sessions.values())

    def health(self) -> dict[str, Any]:
        """JSON: whether it takes runs, and how many are on their way."""
        return {
            "agent": self.config.id,
            "accepts_runs": not self._stopped,
            "running": len(self._sessions),
        }

    async def stop(self, grace_s: float = STOP_S) -> None:
        """Takes no more runs; those on their way have this long to end, then they are aborted."""
        self._stopped = True
        await asyncio.gather(*(session.ended(grace_s) for session in self.running))
        for session in self.running:
            session.abort()
        await asyncio.gather(*(session.ended(STOP_S) for session in self.running))

    async def close(self, grace_s: float = STOP_S) -> None:
        """Stops, and closes what its config has: models, memory, database, planner."""
        await self.stop(grace_s)
        await close_all([self.config])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        background.run(self.close())

    async def _carry_out(self, run: Run) -> AgentResult:
        return await self._runner.run(run)

    def _tell(self, session: AgentSession, begins: bool) -> None:
        if begins:
            self._sessions[session.id] = session
        else:
            self._sessions.pop(session.id, None)


def _default_permissions(config: AgentConfig) -> Permissions:
    from zkagent.executor.runtime.permissions.defaults import default_permissions

    return default_permissions(config)


__all__ = ["Agent"]
