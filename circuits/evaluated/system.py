"""Evaluation by the chain (`evm-int-v1`), as a proof system: what `circuits/systems.py` lists."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.artifacts import Circuit, Facts, Origin, Proof, Scale
from zkagent.circuits.errors import ArtifactCorrupted, CircuitNotFound, NetworkRefused
from zkagent.circuits.networks.inputs import check_inputs
from zkagent.circuits.store import Stored, circuits_folder
from zkagent.circuits.support.progress import Told, silent

if TYPE_CHECKING:
    from zkagent.circuits.networks.network import Network

NAME = "evm-int-v1"
EXACT = Scale((0,), (0,))


class Evaluated:
    """For integer networks. What others call the circuit is the ONNX file; nothing is stored."""

    name = NAME
    separate = False
    repeatable = True

    def build(
        self,
        onnx: Path,
        *,
        srs: Path | None = None,
        cache: Path | None = None,
        progress: Told = silent,
    ) -> Circuit:
        """Raises NetworkRefused for what the chain cannot compute exactly."""
        from zkagent.circuits.networks.network import read_network

        network = read_network(onnx, any_integers=True)
        if not network.integer:
            raise NetworkRefused(onnx, "the chain evaluates networks over integers only")
        facts = Facts(
            input_count=network.input_count,
            output_count=network.output_count,
            input_scale_bits=0,
            exact=True,
            rows=0,
            logrows=0,
            proof_bytes=0,
        )
        origin = Origin(NAME, network.sha256, "", "", (("evaluated", "1"),))
        return Circuit(network.sha256, onnx.parent, onnx, Path(), False, origin, facts, {})

    def open(self, stored: Stored, cache: Path | None = None) -> Circuit:
        """Raises CircuitNotFound always: there is nothing to be kept."""
        raise CircuitNotFound(stored.directory.name, circuits_folder(cache))

    def describe(self, stored: Stored, cache: Path | None = None) -> Circuit:
        """Raises CircuitNotFound always."""
        return self.open(stored, cache)

    def names(self, circuit: str, onnx: str) -> bool:
        return circuit == onnx

    def has_setup(self, circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
        return True  # there is none

    def check_prover(self) -> None:
        """Nothing is missing from any installation."""

    def prove(self, circuit: Circuit, x: Sequence[int]) -> Proof:
        """y = f(x), with an empty proof. Raises InputRefused, NetworkRefused, ArtifactCorrupted."""
        from zkagent.circuits.networks.reference import infer

        inputs = check_inputs(circuit, x)
        return Proof(circuit.digest, inputs, infer(_network(circuit), inputs), b"", EXACT)

    def verify(self, circuit: Circuit, proof: Proof) -> bool:
        """The verdict that the contract gives: no proof, and y as the ONNX file has it."""
        from zkagent.circuits.networks.reference import infer

        return not proof.proof and infer(_network(circuit), proof.inputs) == proof.outputs


def _network(circuit: Circuit) -> "Network":
    """The very file that the circuit was made of. Raises ArtifactCorrupted for another one."""
    found = hashlib.sha256(circuit.onnx.read_bytes()).hexdigest()
    if found != circuit.digest:
        raise ArtifactCorrupted(circuit.onnx, f"sha256 {found[:12]}, not {circuit.digest[:12]}")
    return _read(circuit.onnx, found)


@lru_cache(maxsize=8)
def _read(onnx: Path, digest: str) -> "Network":
    from zkagent.circuits.networks.network import read_network

    return read_network(onnx, any_integers=True)


__all__ = ["NAME", "Evaluated"]
