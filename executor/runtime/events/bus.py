"""Passes a run's events on to sinks that may be slow, hang or fail, without the run noticing.

An agent waits for each of its sinks. A bus is one sink that takes at once and gives to others, each
from a line of its own and in order. What is numbered is never left out of a line; tokens of streams
are, when the line is long, and counted. A sink that raises is left out from then on.

A line is emptied by a task of whatever loop last gave it something, so the same bus serves agents
that are called synchronously, from an event loop, or from both.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Sequence

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.events import PASSING, Event, Sink
from zkagent.executor.runtime.core.foreign import contained

log = logging.getLogger(__name__)

#: Events in a line: from here on passing ones are dropped; and where a sink counts as stuck.
MOST_WAITING = 1_000
MOST_KEPT = 100_000
#: How long the end of a run waits for sinks to take what it told.
PATIENCE_S = 1.0
POLL_S = 0.002


class EventBus:
    """sinks: each is left alone with its events. Proposal: "EventBus", "Observability & Testing".

    patience_s: how long the last event of a run waits for what was told before, so that a process
    that ends with its run leaves whole files behind.
    """

    name = "bus"

    def __init__(
        self,
        sinks: Sequence[Sink] = (),
        *,
        waiting: int = MOST_WAITING,
        most: int = MOST_KEPT,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._waiting, self._most, self._patience_s = waiting, most, patience_s
        self._lines = [_Line(sink, waiting, most) for sink in sinks]

    def add(self, sink: Sink) -> None:
        self._lines.append(_Line(sink, self._waiting, self._most))

    async def take(self, event: Event) -> None:
        for line in self._lines:
            line.put(event)
        if event.kind == "run_finished":
            await self.flush(self._patience_s)

    async def flush(self, timeout_s: float) -> bool:
        """Whether the sinks have taken, within this time, all that there is for them by now: what
        other runs tell meanwhile is not waited for."""
        until = asyncio.get_running_loop().time() + timeout_s
        wanted = [(line, line.given) for line in self._lines]
        for line in self._lines:
            line.go_on()
        while not (taken := all(line.has_taken(number) for line, number in wanted)):
            if asyncio.get_running_loop().time() >= until:
                break
            await asyncio.sleep(POLL_S)
        return taken

    @property
    def dropped(self) -> int:
        """Passing events that some sink was too slow for."""
        return sum(line.dropped for line in self._lines)

    @property
    def troubles(self) -> tuple[str, ...]:
        """Which sinks were left out, and why, in one line each."""
        return tuple(line.trouble for line in self._lines if line.trouble)

    async def close(self, timeout_s: float = 10.0) -> None:
        """Waits for the sinks, and closes those that can be closed."""
        await self.flush(timeout_s)
        for line in self._lines:
            close = getattr(line.sink, "close", None)
            if close is not None:
                with contained():
                    close()


class _Line:
    """What waits for one sink. Threads share it: agents may run on more than one loop."""

    def __init__(self, sink: Sink, waiting: int, most: int) -> None:
        self.sink, self.dropped, self.trouble = sink, 0, ""
        self._waiting, self._most = waiting, most
        self.given = self._done = 0  # events that were put into it; that it is through with
        self._events: deque[Event] = deque()
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def has_taken(self, number: int) -> bool:
        """All of the first so many events."""
        return self._done >= number

    def put(self, event: Event) -> None:
        with self._lock:
            if self.trouble:
                return
            if event.kind in PASSING and len(self._events) >= self._waiting:
                self.dropped += 1
            elif len(self._events) >= self._most:
                self._leave_out(f"{self._most:,} events wait for it")
            else:
                self._events.append(event)
                self.given += 1
        self.go_on()

    def go_on(self) -> None:
        """See that somebody empties the line: a loop that has ended does not any more."""
        with self._lock:
            ended = self._loop is None or self._loop.is_closed()
            if self._events and (self._task is None or ended):
                self._loop = asyncio.get_running_loop()
                self._task = self._loop.create_task(self._empty())

    async def _empty(self) -> None:
        while (event := self._next()) is not None:
            try:
                with contained():
                    await self.sink.take(event)
            except asyncio.CancelledError:
                with self._lock:
                    self._events.appendleft(event)
                    self._task = None
                raise
            except Exception as exc:
                with self._lock:
                    self._leave_out(f"it raised {type(exc).__name__}")
            with self._lock:
                self._done = self.given if self.trouble else self._done + 1

    def _next(self) -> Event | None:
        with self._lock:
            if self._events:
                return self._events.popleft()
            self._task = None
            return None

    def _leave_out(self, why: str) -> None:
        """By the kind of its error alone: what it says may hold anything."""
        self.trouble = f"sink {name_of(self.sink)} is left out: {why}"
        self._events.clear()
        self._done = self.given
        log.warning(self.trouble)


__all__ = ["MOST_KEPT", "MOST_WAITING", "PATIENCE_S", "EventBus"]
