"""Threads in which the runtime asks its own stores: not those of the loop, so that tools which hold
these keep no step from being judged, no run from being kept and no answer from being given."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from zkagent.executor.runtime.core.foreign import contained

P = ParamSpec("P")
T = TypeVar("T")
MOST = 8


class _Pool:
    """Anew in a process that was forked, which has none of the threads."""

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.threads = ThreadPoolExecutor(MOST, "zkagent-stores")


_pool = _Pool()


async def apart(do: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Its result. Raises ExitRaised: a store of the host's tried to end the process."""

    def done() -> T:
        with contained():
            return do(*given, **named)

    return await asyncio.get_running_loop().run_in_executor(_pool.threads, done)


__all__ = ["apart"]
