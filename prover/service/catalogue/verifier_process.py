"""Verdicts from a child process: ezkl holds the interpreter lock while it verifies, and a service
has other things to answer meanwhile."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.prover.errors import ProverCrashed, ProverError, ProverTroubled
from zkagent.prover.service.errors import VerifierBusy
from zkagent.prover.verification import Verdict

TIMEOUT_S = 30.0


class VerifierProcess:
    """Verifies for any circuit of a cache, one proof at a time; started when first needed.

    timeout_s: for one verdict, and again for waiting until others have theirs.
    """

    def __init__(self, cache: Path, timeout_s: float = TIMEOUT_S) -> None:
        self._cache = cache
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._closed = False

    def verify(self, proof: Proof) -> Verdict:
        """Raises ProverError when it cannot be decided, or not in time."""
        with self._ours():
            try:
                child, deadline = self._started(), time.monotonic() + self._timeout_s
                child.send({"proof": proof.to_json()}, self._timeout_s)
                reply = child.receive(max(0.0, deadline - time.monotonic()))
                if reply.get("keys"):  # or what it keeps itself is gone: the next one is well again
                    self._end()
            except TimeoutError as exc:
                self._end()
                raise VerifierBusy(self._timeout_s) from exc
            except EngineCrashed as exc:
                self._end()
                raise ProverCrashed(exc.ending, "while verifying") from exc
            except OSError as exc:
                self._end()
                raise ProverTroubled("disk", f"{exc.strerror or exc}") from exc
            except BaseException:
                self._end()  # a reply may be on its way, which would be taken for the next one's
                raise
        if reply.get("keys"):
            raise ProverTroubled("keys", reply["error"])
        if "error" in reply:
            raise ProverError(reply["error"])
        return Verdict(reply["valid"], reply["reason"])

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._closed = True
        if child := self._child:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
        with self._lock:
            self._end()

    @contextmanager
    def _ours(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=self._timeout_s):
            raise VerifierBusy(self._timeout_s)
        try:
            if self._closed:
                raise VerifierBusy(0.0)
            yield
        finally:
            self._lock.release()

    def _started(self) -> ChildProcess:
        if self._child is None:
            self._child = ChildProcess(
                "zkagent.prover.service.catalogue.verify_child", [str(self._cache)]
            )
        return self._child

    def _end(self) -> None:
        if self._child:
            self._child.kill()
            self._child = None


__all__ = ["VerifierProcess"]
