"""The process behind LocalProver: `python -m zkagent.prover.child WATCHED CACHE DIGEST`.

Reads {"inputs": [...]} lines, answers each with a verified proof, or says why there is none.
"""

import sys
import time
from pathlib import Path
from typing import Any

from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes
from zkagent.circuits.support.usage import hold
from zkagent.circuits.systems import load_circuit
from zkagent.prover.verification import verify


def answer(circuit: Circuit, inputs: list[int]) -> dict[str, Any]:
    """A reply as LocalProver expects it."""
    started = time.perf_counter()
    try:
        proof = systems.prove(circuit, inputs)
        proven = time.perf_counter()
        verdict = verify(proof, circuit)
    except CircuitError as exc:
        return {"failed": str(exc)}
    if not verdict:
        return {"false": verdict.reason}
    measurement = {
        "prove_s": proven - started,
        "verify_s": time.perf_counter() - proven,
        "peak_rss_bytes": peak_rss_bytes(),
    }
    return {"proof": proof.to_json(), "measurement": measurement}


def main() -> None:
    watched, cache, digest = sys.argv[1:]
    link = ParentLink(int(watched))
    try:
        circuit = load_circuit(digest, Path(cache))
    except CircuitError as exc:
        link.send({"failed": str(exc)})
        return
    hold(circuit.directory)
    for request in link.requests():
        link.send(answer(circuit, request["inputs"]))


if __name__ == "__main__":
    main()
