"""Threads for stores: a forked process has its own."""

import subprocess
import sys

from tests.support.processes import environment

FORKS = """
import asyncio, os, threading
from zkagent.executor.runtime.core.threads import MOST, apart

async def all_threads():
    await asyncio.gather(*(apart(threading.Barrier(1).wait) for _ in range(MOST)))

asyncio.run(all_threads())
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(asyncio.run(apart(max, 3, 81)), flush=True)
os._exit(0)
"""


def test_a_process_that_was_forked_has_threads() -> None:
    words = [sys.executable, "-c", FORKS]
    done = subprocess.run(
        words, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "81\n"), done.stderr
