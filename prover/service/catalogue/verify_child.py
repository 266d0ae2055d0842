"""The process behind VerifierProcess (arguments: WATCHED CACHE).

Reads {"proof": "..."} lines and answers each with a verdict, or says why there is none.
"""

import sys
from functools import cache as once
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.errors import ArtifactCorrupted, CircuitError
from zkagent.circuits.support.child_process import ParentLink
from zkagent.circuits.support.usage import hold
from zkagent.circuits.systems import describe_circuit
from zkagent.prover.verification import verify

hold_once = once(hold)


def answer(cache: str, text: str) -> dict[str, Any]:
    """A reply as VerifierProcess expects it. No proving key is read; what a verdict rests on is
    checked for each one."""
    try:
        proof = Proof.from_json(text)
        circuit = describe_circuit(proof.circuit, Path(cache))
        hold_once(circuit.directory)
        verdict = verify(proof, circuit)
    except (ArtifactCorrupted, OSError) as exc:
        return {"error": str(exc), "keys": True}
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
