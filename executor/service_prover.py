"""Proofs from a prover service, checked before they are used: `zkagent run --service URL`."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from circuits.artifacts import Circuit, Proof
from prover.client import ServiceProver
from prover.errors import ProofFalse
from prover.verification import verify


class CheckedService:
    """An OpenProver for one circuit, by the service at `url`.

    The service may be anyone's; a false proof would be noticed on the chain only, for a fee.
    """

    def __init__(self, url: str, circuit: Circuit) -> None:
        self._circuit = circuit
        self._service = ServiceProver(url, circuit.digest)

    def prove(self, x: Sequence[int]) -> Proof:
        proof = self._service.prove(x)
        if not (verdict := verify(proof, self._circuit)):
            raise ProofFalse(self._circuit.digest, verdict.reason)
        return proof

    def close(self) -> None:
        self._service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


__all__ = ["CheckedService"]
