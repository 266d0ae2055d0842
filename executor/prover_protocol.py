"""What a run needs of a prover, and of whoever checks proofs; `prover.local` is the real one."""

from collections.abc import Callable, Sequence
from typing import Protocol

from eth_utils.crypto import keccak

from circuits.artifacts import Proof
from executor.packing import OUTPUT_BYTES, pack

#: Verdict on (x, y, proof). Raises when it cannot tell.
ProofCheck = Callable[[Sequence[int], Sequence[int], bytes], bool]


class DecisionProver(Protocol):
    """Proves one inference of the circuit that it was made for."""

    def prove(self, x: Sequence[int]) -> Proof:
        """The proof that y = f(x), verified. Raises prover.errors.ProverError."""


class MemoryProver:
    """The fake: a hash in place of a proof. Anyone can make one, so it proves nothing."""

    def __init__(self, infer: Callable[[Sequence[int]], Sequence[int]], circuit: str) -> None:
        self.infer, self.circuit = infer, circuit

    def prove(self, x: Sequence[int]) -> Proof:
        y = tuple(self.infer(x))
        return Proof(self.circuit, tuple(x), y, memory_proof(x, y))


def memory_proof(x: Sequence[int], y: Sequence[int]) -> bytes:
    return keccak(b"".join(v.to_bytes(8, "big", signed=True) for v in x) + pack(y, OUTPUT_BYTES))


def check_memory_proof(x: Sequence[int], y: Sequence[int], proof: bytes) -> bool:
    return proof == memory_proof(x, y)
