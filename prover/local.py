"""Proofs from a process of our own: warm, timed, verified, and gone when we are."""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.networks.inputs import check_inputs
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.prover.errors import ProofFailed, ProofFalse, ProofTimedOut, ProverCrashed


@dataclass(frozen=True)
class Measurement:
    """What the last proof took: seconds for witness and proof, seconds to verify, peak memory."""

    prove_s: float
    verify_s: float
    peak_rss_bytes: int


class LocalProver:
    """Proves for one circuit, one proof at a time; use it in a `with` block.

    After a crash or a time-out the next call starts a fresh process. Threads may share it.
    """

    def __init__(
        self, circuit: Circuit, *, timeout_s: float = 300.0, threads: int | None = None
    ) -> None:
        """timeout_s: for one proof, starting the process included. threads: by default, all."""
        self.circuit = circuit
        self.last: Measurement | None = None
        self._timeout_s = timeout_s
        self._environment = {"RAYON_NUM_THREADS": str(threads)} if threads else {}
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the child, if one runs."""
        return self._child.pid if self._child else None

    def prove(self, x: Sequence[int]) -> Proof:
        """Prove y = f(x) and verify the proof.

        Raises InputRefused, ProofFailed, ProofFalse, ProverCrashed, ProofTimedOut.
        """
        inputs = check_inputs(self.circuit, x)
        with self._lock:
            return self._result(self._ask(inputs))

    def close(self) -> None:
        """End the child; harmless when there is none."""
        if self._child:
            self._child.kill()
            self._child = None

    def _ask(self, inputs: Sequence[int]) -> dict[str, Any]:
        """One request and its reply; whatever goes wrong, no child is left in mid-request."""
        try:
            child = self._started()
            child.send({"inputs": list(inputs)})
            return child.receive(self._timeout_s)
        except EngineCrashed as exc:
            self.close()
            raise ProverCrashed(exc.ending, exc.log) from exc
        except TimeoutError as exc:
            self.close()
            raise ProofTimedOut(self._timeout_s) from exc
        except BaseException:
            self.close()
            raise

    def _started(self) -> ChildProcess:
        if self._child is None:
            cache = self.circuit.directory.parent.parent
            arguments = [os.fspath(cache), self.circuit.digest]
            self._child = ChildProcess("zkagent.prover.child", arguments, self._environment)
        return self._child

    def _result(self, reply: dict[str, Any]) -> Proof:
        if "failed" in reply:
            raise ProofFailed(reply["failed"])
        if "false" in reply:
            raise ProofFalse(self.circuit.digest, reply["false"])
        self.last = Measurement(**reply["measurement"])
        return Proof.from_json(reply["proof"])

    def __enter__(self) -> Self:
        with self._lock:
            self._started()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


__all__ = ["LocalProver", "Measurement"]
