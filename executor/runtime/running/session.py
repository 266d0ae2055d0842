"""One run of an agent and all that changes with it. Proposal: "AgentSession"."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal

from zkagent.executor.runtime.core.errors import RuntimeFault
from zkagent.executor.runtime.core.foreign import held
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.running.background import background
from zkagent.executor.runtime.running.run import Run
from zkagent.executor.runtime.running.streams import EventStream
from zkagent.executor.runtime.running.telling import Sinks

POLL_S = 0.01
State = Literal["ready", "running", "finished"]


class AgentSession:
    """Runs once; nothing of it is shared with another session. id: the run's.

    session_id: the conversation's that it goes on with, its own by default.
    """

    def __init__(
        self,
        run: Run,
        carry_out: Callable[[Run], Awaitable[AgentResult]],
        sinks: Sinks,
        tell: "Callable[[AgentSession, bool], None]",
    ) -> None:
        self.id, self.session_id = run.id, run.session_id
        self.state: State = "ready"
        self.result: AgentResult | None = None
        self._run, self._carry_out, self._sinks, self._tell = run, carry_out, sinks, tell
        self._task: asyncio.Task[AgentResult] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def arun(self) -> AgentResult:
        """What the run came to. Raises RuntimeFault: it has run already."""
        if self.state != "ready":
            raise RuntimeFault(f"session {self.id} runs once: create another one")
        self.state, self._loop = "running", asyncio.get_running_loop()
        self._task = asyncio.ensure_future(self._whole())
        self._tell(self, True)
        try:
            return await self._task
        finally:
            self.state = "finished"
            self._tell(self, False)

    def run(self) -> AgentResult:
        """The same, for callers that are not asynchronous."""
        return background.run(self.arun())

    def abort(self) -> None:
        """Ends the run at what it is waiting for; its result says so. From any thread; nothing
        happens if it has ended."""
        if self.state == "ready":
            self._run.aborted = True
        elif self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel)

    async def ended(self, timeout_s: float) -> bool:
        """Whether the run ends within this time; from any loop."""
        until = time.monotonic() + timeout_s
        while self.state == "running" and time.monotonic() < until:
            await asyncio.sleep(POLL_S)
        return self.state != "running"

    def stream(self) -> EventStream:
        """Its events, with `for` or `async for`; begins the run."""
        stream = EventStream(self.arun, self.abort)
        self._sinks.add(stream)
        return stream

    async def _whole(self) -> AgentResult:
        self.result = await held(self._carry_out(self._run))
        return self.result

    def _cancel(self) -> None:
        if self._task is not None and not self._task.done() and not self._run.ending:
            self._run.aborted = True
            self._task.cancel()


__all__ = ["AgentSession", "State"]
