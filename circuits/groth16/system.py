"""Groth16 proofs of integer networks, as a proof system: what `circuits/systems.py` lists.

Imports late: every process that proves loads this, and only those that build need onnx.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.artifacts import Circuit, Proof, Scale
from zkagent.circuits.errors import ArtifactCorrupted, KeysDamaged
from zkagent.circuits.groth16.cached import (
    NAME,
    PROVING_KEY,
    SOLVER,
    describe_stored,
    open_stored,
    read_key,
)
from zkagent.circuits.groth16.keys.setups import UsualSrs, is_chosen, named_key, unrepeatable
from zkagent.circuits.store import Stored, check_file
from zkagent.circuits.support.progress import Told, silent

if TYPE_CHECKING:
    from zkagent.circuits.groth16.constraints.solver import Solver
    from zkagent.circuits.groth16.proving.provers import Key

EXACT = Scale((0,), (0,))


@dataclass(frozen=True)
class Loaded:
    """What a process proves with. digest: of the verifying key's code."""

    solver: "Solver"
    key: "Key"
    digest: bytes


#: The keys of the circuit that this process proved with last, by folder, SHA-256 of its files and
#: prover.
_LOADED: dict[tuple[Path, str, str, str], Loaded] = {}


@dataclass(frozen=True)
class Groth16:
    """For integer networks. A set-up is made for one network, and is part of its circuit. prover:
    one of `provers.Prover`."""

    prover: str = "groth16py"

    name = NAME
    separate = True  # a library with a licence of its own, and memory that a process gives back
    repeatable = False  # a set-up is random, and kept nowhere but in the circuit's keys

    def build(
        self,
        onnx: Path,
        *,
        srs: Path | None = None,
        cache: Path | None = None,
        progress: Told = silent,
    ) -> Circuit:
        """Raises like `build_circuit`."""
        from zkagent.circuits.groth16.build import build_isolated

        srs = None if isinstance(srs, UsualSrs) else srs
        return build_isolated(onnx, srs=srs, cache=cache, progress=progress, prover=self.prover)

    def open(self, stored: Stored, cache: Path | None = None) -> Circuit:
        return open_stored(stored)

    def describe(self, stored: Stored, cache: Path | None = None) -> Circuit:
        return describe_stored(stored)

    def names(self, circuit: str, onnx: str) -> bool:
        return circuit != onnx

    def has_setup(self, circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
        """srs: a verifying key; no file of other systems is one. Without one, that a ceremony was
        verified here is not enough: its contributors may all be one."""
        if srs is None or isinstance(srs, UsualSrs):
            return is_chosen(circuit)
        return named_key(srs) == circuit.origin.srs

    def check_prover(self) -> None:
        """Raises EngineMissing, PackagesMissing, HomeRefused."""
        from zkagent.circuits.groth16.proving import engine
        from zkagent.circuits.snarkjs import install

        (engine if self.prover == engine.NAME else install).look()

    def prove(self, circuit: Circuit, x: Sequence[int]) -> Proof:
        """By keys that this process loads once. Raises InputRefused, KeysDamaged,
        EngineMissing, PackagesMissing, EngineError."""
        loaded = _LOADED.get(self._keys(circuit)) or self._load(circuit)
        witness = loaded.solver.witness(x, loaded.digest)
        y = loaded.solver.outputs_of(witness)
        proof = loaded.key.prove(witness.elements())
        return Proof(circuit.digest, tuple(x), tuple(y), proof, EXACT)

    def verify(self, circuit: Circuit, proof: Proof) -> bool:
        """By our own pairing, which needs no library; in a process that proves, by the library,
        which is there and quicker. Raises KeysDamaged."""
        from zkagent.circuits.groth16.proving.verdicts import holds

        code = read_key(circuit)
        try:
            words = code.public_words(proof.inputs, proof.outputs)
        except ValueError:
            return False  # numbers that have no words
        loaded = _LOADED.get(self._keys(circuit))
        if loaded and loaded.key.verify(proof.proof, words):
            return True  # what it does not take, points at infinity, a chain may
        try:
            return holds(code.key, proof.proof, words)
        except ValueError as exc:
            raise KeysDamaged(circuit.vk, str(exc)) from exc

    def _keys(self, circuit: Circuit) -> tuple[Path, str, str, str]:
        return circuit.directory, circuit.files[SOLVER], circuit.files[PROVING_KEY], self.prover

    @unrepeatable()
    def _load(self, circuit: Circuit) -> Loaded:
        """Raises KeysDamaged, EngineMissing, PackagesMissing, EngineError."""
        from zkagent.circuits.groth16.constraints.solver import Solver
        from zkagent.circuits.groth16.keys.zkey import read_verifying_key
        from zkagent.circuits.groth16.proving.provers import Prover, load_key

        code = read_key(circuit)
        solver, zkey = circuit.directory / SOLVER, circuit.directory / PROVING_KEY
        for path in (solver, zkey):
            check_file(path, circuit.files[path.name])
        if read_verifying_key(zkey) != code.key:
            raise ArtifactCorrupted(zkey, "its verifying key is another one than the circuit's")
        _LOADED.clear()
        key = load_key(zkey, code.key, Prover(self.prover))
        loaded = _LOADED[self._keys(circuit)] = Loaded(Solver.read(solver), key, code.digest)
        return loaded


__all__ = ["NAME", "Groth16"]
