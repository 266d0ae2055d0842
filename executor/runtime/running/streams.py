"""A run's events while it is on its way, for whoever reads them one by one."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.running.background import background

MOST_WAITING = 10_000  # events that a reader may be behind before the run waits for it


class EventStream:
    """Iterate over it, `for` or `async for`, once: the run begins then, and ends with its reader:
    who leaves early aborts it. result: there afterwards."""

    name = "stream"

    def __init__(self, run: Callable[[], Awaitable[AgentResult]], abort: Callable[[], None]):
        self._run, self._abort = run, abort
        self._events: asyncio.Queue[Event | None] = asyncio.Queue(MOST_WAITING)
        self._left = False
        self.result: AgentResult | None = None

    async def take(self, event: Event) -> None:
        """As a sink of the run."""
        if not self._left:
            await self._events.put(event)

    async def __aiter__(self) -> AsyncGenerator[Event, None]:
        task = asyncio.ensure_future(self._whole())
        try:
            while (event := await self._events.get()) is not None:
                yield event
        finally:
            self._left = True
            if not task.done():
                self._abort()
            while not self._events.empty():
                self._events.get_nowait()
            await task

    def __iter__(self) -> Generator[Event, None, None]:
        events = self.__aiter__()

        async def following() -> Event | None:
            return await anext(events, None)

        async def leave() -> None:
            await events.aclose()

        try:
            while (event := background.run(following())) is not None:
                yield event
        finally:
            background.run(leave())

    async def _whole(self) -> Any:
        try:
            self.result = await self._run()
        finally:
            await self._events.put(None)


__all__ = ["EventStream"]
