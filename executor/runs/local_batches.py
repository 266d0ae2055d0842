"""Proofs for several decisions of a model, by circuits of this machine: the real BatchProver."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.networks.batch import batch_file, fill
from zkagent.circuits.systems import HALO2, ProofSystem, cached_circuit
from zkagent.executor.chain.agent import BatchVerifier
from zkagent.executor.errors import OtherModel
from zkagent.executor.runs.provers import OpenProver, ProverOpener, open_prover
from zkagent.models.catalogue import Model
from zkagent.prover.local import LocalProver

Stage = Callable[[str], None]


class LocalBatches(ExitStack[None]):
    """A warm prover for each size that was asked for; use it in a `with` block.

    srs: the set-up of circuits that have to be built; a batch of the wallet's decisions is larger
    than 2^12 rows, so the small ceremony files do not do.
    """

    def __init__(
        self, model: Model, srs: Path | None, stage: Stage, opener: ProverOpener = LocalProver
    ) -> None:
        super().__init__()
        self._model, self._srs, self._stage, self._opener = model, srs, stage, opener
        self._provers: dict[str, OpenProver] = {}

    def prove_rows(self, batch: BatchVerifier, rows: Sequence[Sequence[int]]) -> Proof:
        digest = batch.circuit_hash.hex()
        if digest not in self._provers:
            opened = open_prover(self._circuit(batch.size, digest), self._opener)
            self._provers[digest] = self.enter_context(opened)
        return self._provers[digest].prove(fill(rows, batch.size))

    def _circuit(self, size: int, digest: str) -> Circuit:
        """Raises OtherModel when what is built here has another name."""
        circuit = cached_circuit(digest) or batch_circuit(self._model, size, self._srs, self._stage)
        circuit.require_open("an agent")
        if circuit.digest != digest:
            found = f"{digest[:16]} (another set-up: --srs)"
            raise OtherModel(f"circuit for {size} decisions", circuit.digest[:16], found)
        return circuit


def batch_circuit(
    model: Model, size: int, srs: Path | None, stage: Stage, system: ProofSystem = HALO2
) -> Circuit:
    """The model's circuit for `size` decisions, built or looked up. Raises CircuitError."""
    with batch_file(model.onnx_path, size) as onnx:
        return system.build(
            onnx,
            srs=srs,
            progress=lambda step: stage(f"circuit for {size} decisions: {step}"),
        )
