"""The proof systems, by the four bytes that a registry names them by.

A proof system is one folder here, one entry in SYSTEMS, and one backing in
`verifier_contracts/deployment/backing.py`. Everybody else works with circuits and proofs and does
not ask which system they are of; where an id comes from a chain or a file, `find_system` looks it
up.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitElsewhere,
    CircuitNotFound,
    CircuitOutdated,
    EngineError,
    ProofSystemUnknown,
    SetupDiffers,
)
from zkagent.circuits.evaluated.system import Evaluated
from zkagent.circuits.groth16.keys.setups import UsualSrs, forget
from zkagent.circuits.groth16.system import Groth16
from zkagent.circuits.halo2.system import Halo2
from zkagent.circuits.store import Stored, circuits_folder, read_stored
from zkagent.circuits.support.progress import Told, silent
from zkagent.models.encoding.hashing import keccak_int


class ProofSystem(Protocol):
    """How circuits of one kind are made and used.

    name: what a registry's id is the hash of. separate: proving takes long or may crash, so that it
    belongs into a process of its own. repeatable: the same file with the same set-up gives the same
    circuit on any machine.
    """

    @property
    def name(self) -> str: ...

    @property
    def separate(self) -> bool: ...

    @property
    def repeatable(self) -> bool: ...

    def build(
        self,
        onnx: Path,
        *,
        srs: Path | None = None,
        cache: Path | None = None,
        progress: Told = silent,
    ) -> Circuit:
        """The network's circuit with the standard settings, built or looked up.

        In a process of its own, so that Ctrl-C works and memory has an end. srs: a set-up file, for
        systems that need one. progress: called with each stage. Raises CircuitError.
        """
        ...

    def open(self, stored: Stored, cache: Path | None = None) -> Circuit:
        """What lies in the cache, every file checked. Raises CircuitOutdated, ArtifactCorrupted."""
        ...

    def describe(self, stored: Stored, cache: Path | None = None) -> Circuit:
        """As `open`, but as the manifest says: no other file is read, so none is checked. Raises
        CircuitOutdated, ArtifactCorrupted."""
        ...

    def names(self, circuit: str, onnx: str) -> bool:
        """Whether a circuit of the ONNX file with this SHA-256 can have this digest."""
        ...

    def has_setup(self, circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
        """Whether the circuit's set-up is that of the file `srs`; without one, or where it is not
        for this system, a ceremony's or this machine's own, and may stand for a model. Under
        another one its maker can forge proofs. Raises SrsError."""
        ...

    def check_prover(self) -> None:
        """Whether what it proves with is on this machine; nothing is loaded. Raises
        EngineMissing, PackagesMissing, HomeRefused."""
        ...

    def prove(self, circuit: Circuit, x: Sequence[int]) -> Proof:
        """That y = f(x). Raises InputRefused, EngineError."""
        ...

    def verify(self, circuit: Circuit, proof: Proof) -> bool:
        """Whether the proof holds; counts and lengths have been checked. Raises EngineError."""
        ...


def system_id(name: str) -> bytes:
    """The four bytes of a proof system's name: the first of its Keccak-256."""
    return keccak_int(name.encode()).to_bytes(32, "big")[:4]


HALO2, EVALUATED, GROTH16 = Halo2(), Evaluated(), Groth16()
SYSTEMS: dict[bytes, ProofSystem] = {
    system_id(system.name): system for system in (HALO2, EVALUATED, GROTH16)
}
#: What users call those that prove; the first one where they do not say.
PROVING: dict[str, ProofSystem] = {"ezkl": HALO2, "groth16": GROTH16}
#: Provers that are not the only one of their system, as users call them.
PROVERS: dict[str, ProofSystem] = {name: Groth16(name) for name in ("groth16py", "snarkjs")}


def find_system(proof_system_id: bytes) -> ProofSystem:
    """The system that a registry or receipt names. Raises ProofSystemUnknown."""
    if (system := SYSTEMS.get(bytes(proof_system_id))) is None:
        known = ", ".join(f"0x{found.hex()} {entry.name}" for found, entry in SYSTEMS.items())
        raise ProofSystemUnknown(f"0x{proof_system_id.hex()}", known)
    return system


def system_of(circuit: Circuit) -> ProofSystem:
    """Raises ProofSystemUnknown."""
    return find_system(system_id(circuit.origin.system))


def load_circuit(digest: str, cache: Path | None = None) -> Circuit:
    """The circuit of this name from the cache, every file checked.

    Raises CircuitNotFound, CircuitOutdated, ArtifactCorrupted, ProofSystemUnknown.
    """
    stored = read_stored(digest, cache)
    return find_system(system_id(stored.origin.system)).open(stored, cache)


def describe_circuit(digest: str, cache: Path | None = None) -> Circuit:
    """The circuit of this name as its manifest says, at no cost: its files may be damaged, and
    whoever reads one has to check it.

    Raises CircuitNotFound, CircuitOutdated, ArtifactCorrupted, ProofSystemUnknown.
    """
    stored = read_stored(digest, cache)
    return find_system(system_id(stored.origin.system)).describe(stored, cache)


def check_repeatable(system: ProofSystem, digest: str, cache: Path | None = None) -> None:
    """For a circuit that is not in the cache: whether building can give it. Raises
    CircuitElsewhere."""
    if not system.repeatable:
        raise CircuitElsewhere(digest, circuits_folder(cache))


def has_setup(circuit: Circuit, srs: Path | None, cache: Path | None = None) -> bool:
    """As its proof system tells. Raises SrsError, ProofSystemUnknown."""
    return system_of(circuit).has_setup(circuit, srs, cache)


def check_setup(circuit: Circuit, srs: Path | None, cache: Path | None = None) -> None:
    """Refuse a circuit, named by its digest, whose set-up is not the one that was named, too. One
    that is configured for all is not named for a circuit with a set-up of its own.
    Raises SetupDiffers, SrsUnreadable, SrsTooSmall."""
    if srs is None:
        return
    shared = system_of(circuit).repeatable
    usual = isinstance(srs, UsualSrs) and not shared
    if not usual and not has_setup(circuit, srs, cache):
        raise SetupDiffers(circuit.digest, srs, shared=shared)


def lost_circuits(circuit: Circuit, cache: Path | None = None) -> list[str]:
    """Digests of circuits that were made here, and in whose place this one stands for its network
    because their folders are gone. Raises KeysDamaged."""
    if system_of(circuit).repeatable:
        return []
    from zkagent.circuits.groth16 import build

    return build.lost_circuits(circuit, cache)


def cached_circuit(digest: str, cache: Path | None = None) -> Circuit | None:
    """Like `load_circuit`; None when it is not there, outdated or damaged: build it then."""
    try:
        return load_circuit(digest, cache)
    except (CircuitNotFound, CircuitOutdated, ArtifactCorrupted):
        return None


def prove(circuit: Circuit, x: Sequence[int], prover: str | None = None) -> Proof:
    """Prove y = f(x) in this process. prover: one of PROVERS, instead of the system's usual one.
    Raises InputRefused, EngineError."""
    return prover_of(circuit, prover).prove(circuit, x)


def prover_of(circuit: Circuit, prover: str | None = None) -> ProofSystem:
    """The system of a circuit, with this prover. Raises ProofSystemUnknown, EngineError where it
    is one for other systems."""
    system = system_of(circuit)
    if prover is None:
        return system
    if (chosen := PROVERS[prover]).name != system.name:
        raise EngineError("prove", f"this circuit's proofs are of {system.name}", prover)
    return chosen


def own_prover(system: str, prover: str | None) -> str | None:
    """The prover, where it is one of the system with this name."""
    return prover if prover and PROVERS[prover].name == system else None


def verify(circuit: Circuit, proof: Proof) -> bool:
    """Whether the proof holds for the circuit; `prover.verification` checks its form first."""
    return system_of(circuit).verify(circuit, proof)


__all__ = [
    "EVALUATED",
    "GROTH16",
    "HALO2",
    "PROVERS",
    "PROVING",
    "SYSTEMS",
    "ProofSystem",
    "cached_circuit",
    "check_repeatable",
    "check_setup",
    "describe_circuit",
    "find_system",
    "forget",
    "has_setup",
    "load_circuit",
    "lost_circuits",
    "own_prover",
    "prove",
    "prover_of",
    "system_id",
    "system_of",
    "verify",
]
