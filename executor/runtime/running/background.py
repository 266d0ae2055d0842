"""One event loop in a thread, for those who call agents synchronously.

Clients of models and stores keep connections, which belong to the loop that made them; so all that
one process does synchronously is done on one loop, and works within a notebook's loop as well.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")
PATIENCE_S = 10.0  # for what is cancelled to end before the interrupted thread goes on


class Background:
    """Started when it is first used, in each process anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop, self._process = asyncio.new_event_loop(), os.getpid()
                name = "zkagent-runs"
                threading.Thread(target=self._loop.run_forever, name=name, daemon=True).start()
            return self._loop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Its result. Whoever interrupts the wait cancels the work, and waits until it has ended.

        Raises RuntimeError: called on this loop itself, which would wait for itself.
        """
        if _running() is self.loop:
            work.close()
            raise RuntimeError("this would wait for itself: await the asynchronous method instead")
        return _Waiting(self.loop, work).result()


class _Waiting(Generic[T]):
    """A thread that waits for work on a loop. An interruption may come at any place, so what is
    cancelled is known to the loop and not to whoever was interrupted."""

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> None:
        self._loop, self._work = loop, work
        self._task: asyncio.Task[Any] | None = None
        self._left, self._ended = False, threading.Event()

    def result(self) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(self._watched(), self._loop).result()
        except BaseException:
            self._left = True
            if not self._ended.is_set():
                self._loop.call_soon_threadsafe(self._cancel)
                self._ended.wait(PATIENCE_S)
            raise

    async def _watched(self) -> T:
        if self._left:
            self._work.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            return await self._work
        finally:
            self._ended.set()

    def _cancel(self) -> None:
        """On the loop. What has not begun will not."""
        if self._task is None:
            self._ended.set()
        else:
            self._task.cancel()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


background = Background()

__all__ = ["Background", "background"]
