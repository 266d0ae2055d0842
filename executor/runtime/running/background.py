"""One event loop in a thread, for those who call agents synchronously.

Clients of models and stores keep connections, which belong to the loop that made them; so all that
one process does synchronously is done on one loop, and works within a notebook's loop as well.
Nobody waits for a loop that has ended: it goes on when something on it tried to end the process or
stopped it, and where it cannot, whoever waits is told, and the next one gets another.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, Generic, TypeVar

from zkagent.executor.runtime.core.foreign import held, unbegun

log = logging.getLogger(__name__)
T = TypeVar("T")
PATIENCE_S = 10.0  # for what is cancelled to end before the interrupted thread goes on
#: A signal that another thread took, or that came just before a wait began, ends no wait: Python
#: looks for it when the wait is over.
LOOK_S = 0.5


class Background:
    """Started when it is first used, in each process anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._served: _Served | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._serving().loop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Its result. Whoever interrupts the wait cancels the work, and waits until it has ended.

        Raises RuntimeError: called on this loop itself, which would wait for itself; or the loop
        ended before the work.
        """
        served = self._serving()
        if _running() is served.loop:
            work.close()
            raise RuntimeError("this would wait for itself: await the asynchronous method instead")
        return _Waiting(served, work).result()

    def _serving(self) -> "_Served":
        with self._lock:
            if self._served is None or self._process != os.getpid() or self._served.ended:
                self._served, self._process = _Served(), os.getpid()
            return self._served


class _Served:
    """A loop, its thread, and what others wait for on it."""

    def __init__(self) -> None:
        self.loop, self.ended = asyncio.new_event_loop(), False
        self._lock = threading.Lock()
        self._awaited: set[Future[Any]] = set()
        threading.Thread(target=self._serve, name="zkagent-runs", daemon=True).start()

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Raises RuntimeError: the loop has ended, and the future has it, if it ends later."""
        with self._lock:
            if self.ended:
                raise RuntimeError("the loop of the runs has ended: call again")
            future = asyncio.run_coroutine_threadsafe(work, self.loop)
            self._awaited.add(future)
        future.add_done_callback(self._awaited.discard)
        return future

    def _serve(self) -> None:
        why = "it was closed"
        while not self.loop.is_closed():
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as exc:  # of a task that others made
                log.warning("something on the loop of the runs raised %s", type(exc).__name__)
            except BaseException as exc:
                why = f"it raised {type(exc).__name__}"
                log.exception("the loop of the runs ended")
                break
        with self._lock:
            self.ended = True
        for future in tuple(self._awaited):
            if not future.done():
                future.set_exception(RuntimeError(f"the loop of the runs ended: {why}"))
        self.loop.close()


class _Waiting(Generic[T]):
    """A thread that waits for work on a loop. An interruption may come at any place, so what is
    cancelled is known to the loop and not to whoever was interrupted."""

    def __init__(self, served: _Served, work: Coroutine[Any, Any, T]) -> None:
        self._served, self._work = served, work
        self._task: asyncio.Task[Any] | None = None
        self._left, self._ended = False, threading.Event()

    def result(self) -> T:
        watched = self._watched()
        try:
            future = self._served.begin(watched)
            while not wait((future,), LOOK_S).done:
                pass
            return future.result()
        except BaseException:
            self._left = True
            if self._served.ended:
                unbegun(watched)
                unbegun(self._work)
            elif not self._ended.is_set():
                self._served.loop.call_soon_threadsafe(self._cancel)
                self._ended.wait(PATIENCE_S)
            raise

    async def _watched(self) -> T:
        if self._left:
            self._work.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            return await held(self._work)
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
