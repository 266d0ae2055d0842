"""One event loop in a thread, for those who call agents synchronously.

Clients of models and stores keep connections, which belong to the loop that made them; so all that
one process does synchronously is done on one loop, and works within a notebook's loop as well.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

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
        loop = self.loop
        if _running() is loop:
            work.close()
            raise RuntimeError("this would wait for itself: await the asynchronous method instead")
        ended = threading.Event()

        async def watched() -> T:
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(watched(), loop)
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                ended.wait(PATIENCE_S)
            raise


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


background = Background()

__all__ = ["Background", "background"]
