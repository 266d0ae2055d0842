"""What a run needs of a prover, and of whoever checks proofs; `prover.local` is the real one."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from eth_utils.crypto import keccak

from circuits.artifacts import Circuit, Proof
from circuits.batch import fill, rows_of
from executor.agent_chain import BatchVerifier
from executor.packing import OUTPUT_BYTES, pack

#: Verdict on (x, y, proof). Raises when it cannot tell.
ProofCheck = Callable[[Sequence[int], Sequence[int], bytes], bool]


class DecisionProver(Protocol):
    """Proves one inference of the circuit that it was made for."""

    def prove(self, x: Sequence[int]) -> Proof:
        """The proof that y = f(x), verified. Raises prover.errors.ProverError."""


class OpenProver(DecisionProver, Protocol):
    """A DecisionProver that holds something open; use it in a `with` block."""

    def close(self) -> None: ...

    def __enter__(self) -> "OpenProver": ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


#: prover.local.LocalProver, or a service: executor.service_prover.
ProverOpener = Callable[[Circuit], OpenProver]


class BatchProver(Protocol):
    """Proves several inferences of a model at once, by the circuit of one of its batch
    verifiers."""

    def prove_rows(self, batch: BatchVerifier, rows: Sequence[Sequence[int]]) -> Proof:
        """The proof for `rows`, filled up as `circuits.batch.fill` does, verified.

        Raises prover.errors.ProverError, OtherModel when the circuit here is another one.
        """


class MemoryProver:
    """The fake: a hash in place of a proof. Anyone can make one, so it proves nothing."""

    def __init__(self, infer: Callable[[Sequence[int]], Sequence[int]], circuit: str) -> None:
        self.infer, self.circuit = infer, circuit

    def prove(self, x: Sequence[int]) -> Proof:
        y = tuple(self.infer(x))
        return Proof(self.circuit, tuple(x), y, memory_proof(x, y))


class MemoryBatches:
    """The fake for batches, with the same hash over all rows."""

    def __init__(self, infer: Callable[[Sequence[int]], Sequence[int]]) -> None:
        self.infer = infer

    def prove_rows(self, batch: BatchVerifier, rows: Sequence[Sequence[int]]) -> Proof:
        x = fill(rows, batch.size)
        y = fill([self.infer(row) for row in rows_of(x, batch.size)], batch.size)
        return Proof(batch.circuit_hash.hex(), x, y, memory_proof(x, y))


def memory_proof(x: Sequence[int], y: Sequence[int]) -> bytes:
    return keccak(b"".join(v.to_bytes(8, "big", signed=True) for v in x) + pack(y, OUTPUT_BYTES))


def check_memory_proof(x: Sequence[int], y: Sequence[int], proof: bytes) -> bool:
    return proof == memory_proof(x, y)
