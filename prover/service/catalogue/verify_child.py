"""The process behind VerifierProcess (arguments: WATCHED CACHE).

Reads {"proof": "..."} lines and answers each with a verdict, or says why there is none.
"""

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.child_process import ParentLink
from zkagent.circuits.support.usage import hold
from zkagent.circuits.systems import load_circuit
from zkagent.prover.verification import verify


@lru_cache(maxsize=8)
def opened(cache: str, digest: str) -> Circuit:
    """A checked circuit; checking reads its whole proving key, so once is enough."""
    circuit = load_circuit(digest, Path(cache))
    hold(circuit.directory)
    return circuit


def answer(cache: str, text: str) -> dict[str, Any]:
    """A reply as VerifierProcess expects it."""
    try:
        proof = Proof.from_json(text)
        verdict = verify(proof, opened(cache, proof.circuit))
    except CircuitError as exc:
        return {"error": str(exc)}
    return {"valid": verdict.valid, "reason": verdict.reason}


def main() -> None:
    watched, cache = sys.argv[1:]
    link = ParentLink(int(watched))
    for request in link.requests():
        link.send(answer(cache, request["proof"]))


if __name__ == "__main__":
    main()
