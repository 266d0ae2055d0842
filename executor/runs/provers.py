"""What a run needs of a prover, and of whoever checks proofs; prover/local.py is the real one."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Protocol

from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.executor.chain.agent import BatchVerifier

#: Verdict on (x, y, proof). Raises when it cannot tell.
ProofCheck = Callable[[Sequence[int], Sequence[int], bytes], bool]


class DecisionProver(Protocol):
    """Proves one inference of the circuit that it was made for."""

    def prove(self, x: Sequence[int]) -> Proof:
        """The proof that y = f(x), verified. Raises zkagent.prover.errors.ProverError."""


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


#: prover.local.LocalProver, or a service: runs/service_prover.py.
ProverOpener = Callable[[Circuit], OpenProver]


class InlineProver(ExitStack[None]):
    """Proves in this process, for proof systems that need no other."""

    def __init__(self, circuit: Circuit) -> None:
        super().__init__()
        self.circuit = circuit

    def prove(self, x: Sequence[int]) -> Proof:
        return systems.prove(self.circuit, x)


def open_prover(circuit: Circuit, opener: ProverOpener) -> OpenProver:
    """A prover for the circuit: by `opener`, unless its proof system needs no help."""
    return opener(circuit) if systems.system_of(circuit).separate else InlineProver(circuit)


class BatchProver(Protocol):
    """Proves several inferences of a model at once, by the circuit of one of its batch
    verifiers."""

    def prove_rows(self, batch: BatchVerifier, rows: Sequence[Sequence[int]]) -> Proof:
        """The proof for `rows`, filled up as `zkagent.circuits.networks.batch.fill` does, verified.

        Raises zkagent.prover.errors.ProverError, OtherModel when the circuit here is another one.
        """
