"""Proofs from a process that has loaded a key once: `Prover` asks it, and ends it.

`python -m` on this module is its other half, which has no network and no constraints: a solver
makes the witness, and whether a proof holds is up to the key.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.groth16.keys.zkey import read_verifying_key
from zkagent.circuits.groth16.proving.engine import NAME, Key
from zkagent.circuits.groth16.proving.points import Points, read_points
from zkagent.circuits.support.child_process import ChildProcess, ParentLink, peak_rss_bytes
from zkagent.circuits.support.isolation import same_error
from zkagent.circuits.support.memory import limit_memory

MODULE = "zkagent.circuits.groth16.proving.prover"


@dataclass(frozen=True)
class Proven:
    """y = f(x), with what shows it: points, and the public words they hold for.

    witness_s, prove_s: seconds. peak_rss_bytes: of the process so far.
    """

    y: tuple[int, ...]
    words: tuple[int, ...]
    points: Points
    witness_s: float
    prove_s: float
    peak_rss_bytes: int


class Prover:
    """Proves for one key, one proof at a time; use it in a `with` block."""

    def __init__(
        self,
        solver: Path,
        zkey: Path,
        *,
        timeout_s: float = 300.0,
    ) -> None:
        """Files as `development.write_files` makes them. timeout_s: for each request."""
        self._timeout_s = timeout_s
        self._child = ChildProcess(MODULE, [os.fspath(solver), os.fspath(zkey)], engine=NAME)

    def prove(self, x: Sequence[int]) -> Proven:
        """Prove y = f(x) and verify the proof. Raises InputRefused, ArtifactCorrupted,
        EngineMissing, EngineError, TimeoutError."""
        answer = self._ask({"x": list(x)})
        points = read_points(bytes.fromhex(answer.pop("proof")))
        y, words = (tuple(answer.pop(name)) for name in ("y", "words"))
        return Proven(y, words, points, **answer)

    def verify(self, points: Points, words: Sequence[int]) -> bool:
        """Whether these points hold for these public words. Raises EngineError, TimeoutError."""
        request = {"proof": points.to_bytes().hex(), "words": list(words)}
        return bool(self._ask(request)["holds"])

    def close(self) -> None:
        """End the process; harmless when done before."""
        self._child.kill()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + self._timeout_s
        self._child.send(request, self._timeout_s)
        answer = self._child.receive(max(0.0, deadline - time.monotonic()))
        if "error" in answer:
            raise same_error(answer["type"], answer["error"])
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _answer(solver: Solver, key: Key, request: dict[str, Any]) -> dict[str, Any]:
    if "words" in request:
        return {"holds": key.verify(bytes.fromhex(request["proof"]), request["words"])}
    began = time.perf_counter()
    witness = solver.witness(request["x"])
    elements = witness.elements()
    computed = time.perf_counter()
    proof = key.prove(elements)
    proven = time.perf_counter()
    y = solver.outputs_of(witness)
    words = solver.words(request["x"], y)
    if not key.verify(proof, words):
        raise EngineError("prove", "its own proof is false: is the key of this network?", NAME)
    return {
        "y": y,
        "words": words,
        "proof": proof.hex(),
        "witness_s": computed - began,
        "prove_s": proven - computed,
        "peak_rss_bytes": peak_rss_bytes(),
    }


def _answered(solver: Solver, key: Key, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return _answer(solver, key, request)
    except (CircuitError, OSError) as exc:
        return _error(exc)


def _error(exc: CircuitError | OSError) -> dict[str, Any]:
    if isinstance(exc, OSError):
        exc = EngineError("work", f"{exc.strerror or exc} ({exc.filename})", NAME)
    return {"type": type(exc).__name__, "error": str(exc)}


def main() -> None:
    watched, stored, zkey = sys.argv[1:]
    limit_memory()
    link = ParentLink(int(watched))
    try:
        solver, key = Solver.read(Path(stored)), Key(Path(zkey), read_verifying_key(Path(zkey)))
    except (CircuitError, OSError) as exc:
        link.send(_error(exc))
        return
    for request in link.requests():
        link.send(_answered(solver, key, request))


if __name__ == "__main__":
    main()


__all__ = ["Proven", "Prover"]
