"""Proofs without circuits: a hash in place of a proof, for runs in memory."""

from collections.abc import Callable, Sequence

from eth_utils.crypto import keccak

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import fill, rows_of
from zkagent.executor.chain.abi import OUTPUT_BYTES, pack
from zkagent.executor.chain.agent import BatchVerifier


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
