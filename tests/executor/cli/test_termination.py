"""How commands that have something to keep are ended."""

import subprocess
import sys

import pytest

WAITS = """
import signal, threading, time
from zkagent.executor.cli.termination import Ending
end = Ending()
def other():
    time.sleep(0.2)  # the main thread waits by then
    {what}
threading.Thread(target=other, daemon=True).start()
end.wait()
print("ended")
"""


@pytest.mark.parametrize(
    "what",
    [
        "signal.pthread_kill(threading.get_ident(), signal.SIGTERM)",
        "signal.pthread_kill(threading.get_ident(), signal.SIGINT)",
        "signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)",
        "end.begin()",
        "[end.begin() for _ in range(100_000)]",
    ],
)
def test_whichever_thread_a_signal_reaches_the_main_thread_ends(what: str) -> None:
    command = [sys.executable, "-c", WAITS.format(what=what)]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert (found.returncode, found.stdout, found.stderr) == (0, "ended\n", "")
