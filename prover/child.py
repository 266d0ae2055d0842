"""The process behind LocalProver: `python -m zkagent.prover.child WATCHED CACHE DIGEST [PROVER]`.

Reads {"inputs": [...]} lines, answers each with a verified proof, or says why there is none:
`refused` is the circuit's verdict on these inputs, anything else is trouble of this machine. With
"confirm" it makes sure before that it can work; a circuit's files are checked whenever such a
process starts.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import (
    CircuitError,
    EngineMissing,
    HomeRefused,
    InputRefused,
    PackagesMissing,
)
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes
from zkagent.circuits.support.usage import hold
from zkagent.circuits.systems import load_circuit
from zkagent.circuits.visibility import PUBLIC
from zkagent.prover.verification import verify

PROBE_BYTES = 4 << 20  # about what a proof's temporary files take


def answer(
    circuit: Circuit, inputs: list[int], prover: str | None = None, *, confirm: bool = False
) -> dict[str, Any]:
    """A reply as LocalProver expects it."""
    if confirm and (found := disk_trouble()):
        return found
    started = time.perf_counter()
    try:
        proof = systems.prove(circuit, inputs, prover)
        proven = time.perf_counter()
        verdict = verify(proof, circuit)
        hidden = _hidden_outputs(circuit, inputs)
    except InputRefused as exc:
        return {"refused": str(exc)}
    except (EngineMissing, PackagesMissing, HomeRefused) as exc:
        return _trouble("prover", exc)
    except (CircuitError, OSError, ValueError) as exc:
        return disk_trouble() or keys_trouble(circuit) or _trouble("engine", exc)
    if not verdict:
        return keys_trouble(circuit) or {"false": verdict.reason}
    measurement = {
        "prove_s": proven - started,
        "verify_s": time.perf_counter() - proven,
        "peak_rss_bytes": peak_rss_bytes(),
    }
    return {"proof": proof.to_json(), "measurement": measurement, **hidden}


def _hidden_outputs(circuit: Circuit, inputs: list[int]) -> dict[str, Any]:
    """y, for who made the proof, where the proof does not tell it. Raises EngineError."""
    if circuit.visibility.outputs == PUBLIC:
        return {}
    from zkagent.circuits.halo2 import ezkl_engine

    return {"hidden_outputs": list(ezkl_engine.witness(circuit, inputs))}


def disk_trouble() -> dict[str, Any] | None:
    """A reply, if temporary files cannot be written."""
    try:
        with tempfile.TemporaryFile() as probe:
            probe.write(b"\0" * PROBE_BYTES)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as exc:
        return _trouble("disk", exc)
    return None


def keys_trouble(circuit: Circuit) -> dict[str, Any] | None:
    """A reply, if the circuit's files are not what was built."""
    try:
        load_circuit(circuit.digest, circuit.directory.parent.parent)
    except (CircuitError, OSError) as exc:
        return _trouble("keys", exc)
    return None


def _trouble(cause: str, exc: Exception) -> dict[str, Any]:
    return {"trouble": cause, "detail": f"{exc}" or type(exc).__name__}


def main() -> None:
    watched, cache, digest, *chosen = sys.argv[1:]
    link = ParentLink(int(watched))
    try:
        circuit = load_circuit(digest, Path(cache))
    except (CircuitError, OSError) as exc:
        link.send(_trouble("keys", exc))
        return
    hold(circuit.directory)
    for request in link.requests():
        prover = chosen[0] if chosen else None
        confirm = request.get("confirm", False)
        link.send(answer(circuit, request["inputs"], prover, confirm=confirm))


if __name__ == "__main__":
    main()
