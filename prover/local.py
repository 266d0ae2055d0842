"""Proofs from a process of our own: warm, timed, verified, and gone when we are."""

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import EngineCrashed, InputRefused
from zkagent.circuits.networks.inputs import check_inputs
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.prover.errors import ProofFalse, ProofTimedOut, ProverCrashed, ProverTroubled


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
        self,
        circuit: Circuit,
        *,
        timeout_s: float = 300.0,
        threads: int | None = None,
        prover: str | None = None,
    ) -> None:
        """timeout_s: for one proof, starting the process included. threads: by default, all.
        prover: one of `systems.PROVERS` instead of the usual one."""
        self.circuit = circuit
        self.last: Measurement | None = None
        self.hidden_outputs: list[int] | None = None  # y of the last proof, where it hides it
        self._timeout_s = timeout_s
        self._prover = [prover] if prover else []
        self._environment = {"RAYON_NUM_THREADS": str(threads)} if threads else {}
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the child, if one runs."""
        return self._child.pid if self._child else None

    def prove(self, x: Sequence[int]) -> Proof:
        """Prove y = f(x) and verify the proof.

        InputRefused is certain: a fresh process that found every file of the circuit as it was
        built, and room to write, has refused them, too. Raises InputRefused, ProofFalse,
        ProverTroubled, ProverCrashed, ProofTimedOut.
        """
        inputs = check_inputs(self.circuit, x)
        with self._lock:
            reply = self._ask({"inputs": list(inputs)})
            if "refused" in reply:
                self.close()
                reply = self._ask({"inputs": list(inputs), "confirm": True})
            return self._result(reply)

    def close(self) -> None:
        """End the child; harmless when there is none."""
        if self._child:
            self._child.kill()
            self._child = None

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request and its reply; whatever goes wrong, no child is left in mid-request, and none
        that has seen trouble: what it read may have been damaged."""
        try:
            child, deadline = self._started(), time.monotonic() + self._timeout_s
            child.send(request, self._timeout_s)
            reply = child.receive(max(0.0, deadline - time.monotonic()))
            if "trouble" in reply or "false" in reply:
                self.close()
            return reply
        except EngineCrashed as exc:
            self.close()
            hidden = self.circuit.visibility.hides_values
            raise ProverCrashed(exc.ending, "" if hidden else exc.log) from exc
        except TimeoutError as exc:
            self.close()
            raise ProofTimedOut(self._timeout_s) from exc
        except OSError as exc:
            self.close()
            raise ProverTroubled("disk", f"{exc.strerror or exc} ({exc.filename})") from exc
        except BaseException:
            self.close()
            raise

    def _started(self) -> ChildProcess:
        if self._child is None:
            cache = self.circuit.directory.parent.parent
            arguments = [os.fspath(cache), self.circuit.digest, *self._prover]
            self._child = ChildProcess("zkagent.prover.child", arguments, self._environment)
        return self._child

    def _result(self, reply: dict[str, Any]) -> Proof:
        if "refused" in reply:
            raise InputRefused(reply["refused"])
        if "trouble" in reply:
            raise ProverTroubled(reply["trouble"], reply["detail"])
        if "false" in reply:
            raise ProofFalse(self.circuit.digest, reply["false"])
        self.last = Measurement(**reply["measurement"])
        self.hidden_outputs = reply.get("hidden_outputs")
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
