"""Halo2 proofs by ezkl, as a proof system: what `circuits/systems.py` lists.

Imports late: every process that proves loads this, and only those that build need onnx.
"""

from collections.abc import Sequence
from pathlib import Path

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.halo2.cached import NAME, describe_stored, open_stored
from zkagent.circuits.store import Stored
from zkagent.circuits.support.progress import Told, silent


class Halo2:
    """For any ONNX file that ezkl takes, with the standard settings."""

    name = NAME
    separate = True  # a proof holds the interpreter for its whole time
    repeatable = True

    def build(
        self,
        onnx: Path,
        *,
        srs: Path | None = None,
        cache: Path | None = None,
        progress: Told = silent,
    ) -> Circuit:
        """Raises like `build_circuit`."""
        from zkagent.circuits.halo2.build_process import build_isolated

        return build_isolated(
            onnx, srs=srs, cache=cache, progress=lambda stage: progress(stage.value)
        )

    def open(self, stored: Stored, cache: Path | None = None) -> Circuit:
        return open_stored(stored, cache)

    def describe(self, stored: Stored, cache: Path | None = None) -> Circuit:
        return describe_stored(stored, cache)

    def names(self, circuit: str, onnx: str) -> bool:
        return circuit != onnx

    def has_setup(self, circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
        from zkagent.circuits.halo2.srs import is_expected

        return is_expected(circuit.origin.srs, srs, circuit.logrows, cache)

    def check_prover(self) -> None:
        """Nothing is missing from any installation."""

    def prove(self, circuit: Circuit, x: Sequence[int]) -> Proof:
        from zkagent.circuits.halo2 import ezkl_engine

        return ezkl_engine.prove(circuit, x)

    def verify(self, circuit: Circuit, proof: Proof) -> bool:
        from zkagent.circuits.halo2 import ezkl_engine

        return ezkl_engine.verify(circuit, proof)


__all__ = ["Halo2"]
