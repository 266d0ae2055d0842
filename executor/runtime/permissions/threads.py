"""Threads in which stores of permissions are asked: of their own, so that tools which hold those of
the loop keep no step from being judged and no answer from being given."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
THREADS = ThreadPoolExecutor(4, "zkagent-permissions")


async def apart(do: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    return await asyncio.get_running_loop().run_in_executor(THREADS, lambda: do(*given, **named))


__all__ = ["apart"]
