"""Proofs from a prover service, checked before they are used: `zkagent run --service URL`."""

from collections.abc import Sequence

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.prover.client import ServiceClient, ServiceProver
from zkagent.prover.errors import ProofFalse
from zkagent.prover.verification import verify

FIRST_S = 5.0


class CheckedService(ServiceProver):
    """An OpenProver for one circuit, by the service at `url`.

    The service may be anyone's; a false proof would be noticed on the chain only, for a fee.
    """

    def __init__(self, url: str, circuit: Circuit) -> None:
        """Raises ServiceUnreachable when nobody answers within seconds: later, while proving, a
        restart is waited for longer."""
        with ServiceClient(url, patience_s=FIRST_S) as first:
            first.check_alive()
        super().__init__(url, circuit.digest)
        self.circuit = circuit

    def prove(self, x: Sequence[int]) -> Proof:
        proof = super().prove(x)
        if not (verdict := verify(proof, self.circuit)):
            raise ProofFalse(self.circuit.digest, verdict.reason, self.url)
        return proof


__all__ = ["CheckedService"]
