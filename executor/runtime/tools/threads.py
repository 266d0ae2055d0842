"""Threads of tools' own, for whatever waits or works without asyncio.

The loop's own threads are few, and permissions, leases and prompts need them: tools that take long
would hold up all runs. These wait for nobody when the process ends.
"""

import asyncio
import contextvars
import functools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from zkagent.executor.runtime.core.foreign import contained

MOST = 32
P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """At most so many, begun as they are needed; what is more waits for one of them."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._begun = self._busy = 0  # busy: at work, or about to be

    def submit(self, do: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            self._busy += 1
            if self._begun < min(self._busy, self._most):
                self._begun += 1
                name = f"{self._name}-{self._begun}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()
        self._work.put((future, do))
        return future

    def _serve(self) -> None:
        while True:
            future, do = self._work.get()
            if future.set_running_or_notify_cancel():
                _carry_out(future, do)
            with self._lock:
                self._busy -= 1
            del future, do  # nothing of them is held while there is nothing to do


def _carry_out(future: Future[T], do: Callable[[], T]) -> None:
    try:
        with contained():
            found = do()
    except StopIteration as exc:  # which no awaitable may raise
        future.set_exception(RuntimeError(f"it raised StopIteration: {exc}"))
    except BaseException as exc:
        future.set_exception(exc)
    else:
        future.set_result(found)


THREADS = Threads(MOST, "zkagent-tool")


async def in_thread(function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Its result, with the caller's context variables. Whoever is cancelled leaves it behind."""
    context = contextvars.copy_context()
    do = functools.partial(context.run, function, *given, **named)
    return await asyncio.wrap_future(THREADS.submit(do))


__all__ = ["Threads", "in_thread"]
