"""The process behind LocalProver: `python -m prover.child WATCHED CACHE DIGEST`.

Reads {"inputs": [...]} lines, answers each with a verified proof, or says why there is none.
"""

import sys
import time
from pathlib import Path
from typing import Any

from circuits import ezkl_engine
from circuits.artifacts import Circuit
from circuits.child_process import ParentLink, peak_rss_bytes
from circuits.errors import CircuitError
from circuits.store import load_circuit
from prover.verification import verify


def answer(circuit: Circuit, inputs: list[int]) -> dict[str, Any]:
    """A reply as LocalProver expects it."""
    started = time.perf_counter()
    try:
        proof = ezkl_engine.prove(circuit, inputs)
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
    for request in link.requests():
        link.send(answer(circuit, request["inputs"]))


if __name__ == "__main__":
    main()
