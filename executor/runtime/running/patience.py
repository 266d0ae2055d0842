"""Waiting for what others do, no longer than they were given."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")
#: For what is cancelled to end. What does not is left behind: nobody can end it.
GRACE_S = 1.0


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Its result. Raises TimeoutError; whoever is cancelled while waiting cancels the work."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=max(0.0, seconds))
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE_S)
        if task.done() and not task.cancelled():
            task.exception()  # seen, so that nobody is told that it was not


__all__ = ["within"]
