"""Whether what a proof system proves with is on this machine, looked up beside everything else.

Looking may start a program, and that may hang: heartbeats and claims ask all the time, for each
circuit, and get what was found last.
"""

import logging
import threading
import time
from collections.abc import Callable

from zkagent.circuits.errors import CircuitError, PackagesMissing

log = logging.getLogger(__name__)

LOOK_EVERY_S = 10.0  # while it is not there
UNKNOWN = "whether what proves is installed is not known yet: looking for it takes long"
FAILED = "whether what proves is installed could not be found out"
FIRST_S = 2.0  # the first who asks waits so long at most


class ProverLook:
    """One prover's. check: raises CircuitError while it cannot be used; once it can, it is asked no
    more. Any thread."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._look_up = check
        self._lock = threading.Lock()
        self._found = threading.Event()
        self._problem: CircuitError | None = None
        self._thread: threading.Thread | None = None
        self._began = -LOOK_EVERY_S

    def check(self) -> None:
        """Raises what was found last."""
        with self._lock:
            first = self._thread is None
            sought = self._problem or not self._found.is_set()
            if first or (sought and self._is_due()):
                self._began = time.monotonic()
                self._thread = threading.Thread(target=self._look, name="prover", daemon=True)
                self._start(self._thread)
        if first:
            self._found.wait(FIRST_S)
        if not self._found.is_set():
            raise PackagesMissing(UNKNOWN)
        if problem := self._problem:
            raise problem.with_traceback(None)

    def _is_due(self) -> bool:
        assert self._thread
        return not self._thread.is_alive() and time.monotonic() - self._began >= LOOK_EVERY_S

    def _start(self, thread: threading.Thread) -> None:
        """Where no thread can be started, the next look is as far away as ever."""
        try:
            thread.start()
        except RuntimeError as exc:
            self._problem = PackagesMissing(f"{FAILED} ({exc})")
            self._found.set()

    def _look(self) -> None:
        problem: CircuitError | None = None
        try:
            self._look_up()
        except CircuitError as exc:
            problem = exc
        except Exception as exc:  # another user's folder, a disk that fails
            log.exception("looking for what proves failed")
            problem = PackagesMissing(f"{FAILED} ({exc})")
        self._problem = problem
        self._found.set()


__all__ = ["ProverLook"]
