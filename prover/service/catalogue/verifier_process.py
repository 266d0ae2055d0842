"""Verdicts from a child process: ezkl holds the interpreter lock while it verifies, and a service
has other things to answer meanwhile."""

import threading
from pathlib import Path

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.prover.errors import ProverCrashed, ProverError
from zkagent.prover.verification import Verdict

TIMEOUT_S = 30.0


class VerifierProcess:
    """Verifies for any circuit of a cache, one proof at a time; started when first needed."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None

    def verify(self, proof: Proof) -> Verdict:
        """Raises ProverError when it cannot be decided."""
        with self._lock:
            try:
                child = self._started()
                child.send({"proof": proof.to_json()})
                reply = child.receive(TIMEOUT_S)
            except (EngineCrashed, TimeoutError) as exc:
                self._end()
                ending = exc.ending if isinstance(exc, EngineCrashed) else "a time-out"
                raise ProverCrashed(ending, "while verifying") from exc
        if "error" in reply:
            raise ProverError(reply["error"])
        return Verdict(reply["valid"], reply["reason"])

    def close(self) -> None:
        with self._lock:
            self._end()

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
