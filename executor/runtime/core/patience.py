"""Waiting for what others do, no longer than they were given."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from zkagent.executor.runtime.core.errors import JournalFault, RuntimeFault
from zkagent.executor.runtime.core.foreign import held, unbegun

T = TypeVar("T")
#: For what is cancelled to end. What does not is left behind: nobody can end it.
GRACE_S = 1.0
#: For a memory, a database or a prompt store to do one thing.
STORE_S = 60.0


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Its result. Raises TimeoutError; ExitRaised, where the work tried to end the process; whoever
    is cancelled while waiting cancels the work."""
    task = asyncio.ensure_future(held(work))
    try:
        await asyncio.wait({task}, timeout=max(0.0, seconds))
        if not task.done():
            raise TimeoutError
        if task.cancelled():  # and who waits for it was not
            raise RuntimeError("it was cancelled, by itself")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE_S)
        unbegun(work)
        if task.done() and not task.cancelled():
            task.exception()  # seen, so that nobody is told that it was not


async def answered(
    who: str,
    work: Callable[[], Awaitable[T]],
    kind: type[RuntimeFault],
    seconds: float | None = None,
    late: type[RuntimeFault] | None = None,
) -> T:
    """What came of work that others may have written: whatever it raises but faults is one of this
    kind, by its type alone, since its text may be anything; no answer in time is one of kind `late`
    if that is given. seconds: by default what a store has."""
    seconds = STORE_S if seconds is None else seconds
    began = asyncio.get_running_loop().time()
    try:
        return await within(seconds, _begun(work))
    except (RuntimeFault, JournalFault):
        raise
    except Exception as exc:
        if isinstance(exc, TimeoutError) and _passed(began, seconds):
            raise (late or kind)(f"{who} did not answer within {max(0.0, seconds):.3g} s") from exc
        raise kind(f"{who} failed: {type(exc).__name__}") from exc


async def _begun(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _passed(began: float, seconds: float) -> bool:
    return asyncio.get_running_loop().time() >= began + seconds


__all__ = ["STORE_S", "answered", "within"]
