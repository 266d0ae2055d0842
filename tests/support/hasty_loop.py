"""Event loops whose time does not depend on how busy the machine is.

On one no time passes while there is something to do: waits and time-outs end in the order in which
they are due, however long a busy machine takes for what lies between. It is for work of asyncio
alone: what a thread or another process does is nothing that the loop has to do. On any other loop a
test may let time pass, for work that has all the time until then.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class HastyLoop(asyncio.SelectorEventLoop):
    """Its clock begins at 0 and goes on to what is due next when nothing else is left to do."""

    _now = 0.0
    _ready: Any  # of asyncio's own loop, as is _scheduled
    _scheduled: Any

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self._now = max(self._now, self._scheduled[0].when())
        super()._run_once()  # type: ignore[misc]


def hastily(work: Coroutine[Any, Any, T]) -> T:
    """Its result, on a loop of its own."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        return runner.run(work)


def jump(loop: asyncio.AbstractEventLoop, seconds: float) -> None:
    """So much time passes at once, on a loop that is left to the caller. From any thread."""

    def ahead() -> None:
        now = loop.time
        loop.time = lambda: now() + seconds  # type: ignore[method-assign]

    loop.call_soon_threadsafe(ahead)


async def passes(seconds: float) -> None:
    """Returns when so much time has passed, which takes none."""
    if seconds:
        jump(asyncio.get_running_loop(), seconds)
        await asyncio.sleep(seconds)


__all__ = ["HastyLoop", "hastily", "jump", "passes"]
