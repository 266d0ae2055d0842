"""Tools have threads of their own, so many and no more."""

import asyncio
import contextvars
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from tests.support.fleet import eventually
from tests.support.tool_calls import call
from zkagent.executor.runtime.tools.function import tool
from zkagent.executor.runtime.tools.threads import Threads, in_thread

NAME = contextvars.ContextVar("NAME", default="nobody")


def test_what_is_given_is_called_with_it_and_the_context_of_the_caller() -> None:
    def tell(first: int, *, second: int) -> tuple[int, str]:
        return first - second, NAME.get()

    async def asked() -> Any:
        NAME.set("somebody")
        return await in_thread(tell, 5, second=3)

    assert asyncio.run(asked()) == (2, "somebody")


@pytest.mark.parametrize(
    ("raised", "kind"), [(ValueError, ValueError), (StopIteration, RuntimeError)]
)
def test_what_is_raised_there_is_raised_here(
    raised: type[Exception], kind: type[Exception]
) -> None:
    def fails() -> None:
        raise raised("no")

    async def asked() -> None:
        await asyncio.wait_for(in_thread(fails), 120)

    with pytest.raises(kind, match="no"):
        asyncio.run(asked())


def test_there_are_no_more_threads_than_are_wanted_and_all_is_done() -> None:
    threads, seen, lock = Threads(3, "few"), list[str](), threading.Lock()
    all_there = threading.Barrier(3)

    def work() -> int:
        with lock:
            seen.append(threading.current_thread().name)
            is_first = len(seen) <= 3
        if is_first:
            all_there.wait(120)
        time.sleep(0.01)
        return len(seen)

    done = [threads.submit(work) for _ in range(20)]
    assert all(each.result(120) for each in done)
    assert (len(seen), set(seen)) == (20, {"few-1", "few-2", "few-3"})
    later = Threads(3, "one")
    for _ in range(5):
        later.submit(work).result(120)
        eventually(lambda: later._busy == 0)  # it says so a moment later
    assert set(seen[20:]) == {"one-1"}


def test_what_was_cancelled_before_it_began_is_not_done() -> None:
    threads, free, done = Threads(1, "single"), threading.Event(), list[int]()
    first = threads.submit(free.wait)
    waiting = threads.submit(lambda: done.append(1))
    assert waiting.cancel()
    free.set()
    assert first.result(120)
    threads.submit(lambda: done.append(2)).result(120)
    assert done == [2]


def test_tools_that_wait_leave_the_loop_s_own_threads_free() -> None:
    free = threading.Event()

    @tool
    def waits() -> bool:
        return free.wait(600)

    async def tried() -> list[Any]:
        from tests.support.tool_calls import CONTEXT

        calls = [asyncio.ensure_future(waits.run({}, CONTEXT)) for _ in range(20)]
        await asyncio.sleep(0.05)
        await asyncio.wait_for(asyncio.to_thread(free.set), 120)
        return [each.output for each in await asyncio.gather(*calls)]

    assert asyncio.run(tried()) == [True] * 20
    assert call(waits).output is True


def test_a_process_ends_though_a_tool_does_not() -> None:
    program = (
        "import asyncio, time\n"
        "from zkagent.executor.runtime.tools.threads import in_thread\n"
        "async def main():\n"
        "    try:\n"
        "        await asyncio.wait_for(in_thread(time.sleep, 600), 0.1)\n"
        "    except TimeoutError:\n"
        "        print('left')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=300, check=True
    )
    assert done.stdout == b"left\n"
