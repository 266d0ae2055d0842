"""Code that others wrote may try to end the process that calls it: that is a fault of its own.

SystemExit and KeyboardInterrupt go through asyncio's tasks into the loop that runs them, and end it
under all other runs. So wherever tools, planners, rules, sinks, clients and stores are called, what
they raise of the kind becomes an error like others, before a task sees it.
"""

import inspect
import threading
from collections.abc import Awaitable
from typing import TypeVar

from zkagent.errors import in_line

T = TypeVar("T")


class ExitRaised(RuntimeError):
    """What was called raised SystemExit, as sys.exit and argparse do, or KeyboardInterrupt."""


class _Contained:
    """Entered a hundred times in a run's step: it has no state, and there is one."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, exc: BaseException | None, trace: object) -> None:
        if exc is not None and (ending := _ending(exc)) is not None:
            said = in_line(f"it raised {type(ending).__name__}: {ending}", 200)
            raise ExitRaised(said) from exc


_CONTAINED = _Contained()


def contained() -> _Contained:
    """Within it ExitRaised is raised for SystemExit, for KeyboardInterrupt outside of the main
    thread, where it is nobody's Ctrl-C, and for groups with one of them. Cancellations pass."""
    return _CONTAINED


async def held(work: Awaitable[T]) -> T:
    """The same of what is awaited as a task of its own. Whoever makes the task and gives it up
    calls `unbegun`."""
    with contained():
        return await work


def unbegun(work: object) -> None:
    """Closes a coroutine that nobody began, and of which nobody is told then."""
    if inspect.iscoroutine(work) and inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
        work.close()


def _ending(exc: BaseException) -> BaseException | None:
    if isinstance(exc, BaseExceptionGroup):
        return next((found for one in exc.exceptions if (found := _ending(one))), None)
    if isinstance(exc, KeyboardInterrupt):
        return None if threading.current_thread() is threading.main_thread() else exc
    return exc if isinstance(exc, SystemExit) else None


__all__ = ["ExitRaised", "contained", "held", "unbegun"]
