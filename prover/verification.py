"""Is this proof true? A verdict, not an exception.

Stricter than ezkl's `verify`, which accepts trailing bytes, and as strict as the contract: the
instances are built here from the integers, each of which has one form only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import fits_int64
from zkagent.circuits.halo2.scales import scale_of
from zkagent.circuits.hashes import written
from zkagent.circuits.store import checked
from zkagent.circuits.visibility import HASHED, PUBLIC


@dataclass(frozen=True)
class Verdict:
    """Whether a proof holds; `reason` says why not."""

    valid: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.valid


def verify(proof: Proof, circuit: Circuit) -> Verdict:
    """Check that proof.outputs = f(proof.inputs) for the circuit's network. What a file says of
    these numbers, `proof.about`, is not looked at.

    What the verdict rests on is checked each time: under another key a true proof would be called
    false, or a false one true. Raises EngineError when it cannot be decided, ArtifactCorrupted.
    """
    with checked(circuit):
        if reason := next(_objections(proof, circuit), ""):
            return Verdict(False, reason)
        if not systems.verify(circuit, proof):
            shown = "inputs and outputs" if circuit.visibility.open else "public values"
            return Verdict(False, f"the proof does not hold for these {shown}")
        return Verdict(True)


class Counts(Protocol):
    """How many numbers a circuit has."""

    @property
    def input_count(self) -> int: ...

    @property
    def output_count(self) -> int: ...


def count_objections(
    inputs: Sequence[int], outputs: Sequence[int], expected: Counts
) -> Iterator[str]:
    """What is wrong before any number is looked at."""
    if len(inputs) != expected.input_count:
        yield f"it has {len(inputs)} inputs, expected {expected.input_count}"
    if len(outputs) != expected.output_count:
        yield f"it has {len(outputs)} outputs, expected {expected.output_count}"


@dataclass(frozen=True)
class Shown:
    """How many numbers a circuit's proofs show."""

    input_count: int
    output_count: int


def _shown_objections(proof: Proof, circuit: Circuit) -> Iterator[str]:
    """Whether it shows and hides what the circuit's proofs do."""
    facts, faces, seen = circuit.facts, circuit.faces, circuit.visibility
    shown = Shown(
        facts.input_count if seen.inputs == PUBLIC else 0,
        facts.output_count if seen.outputs == PUBLIC else 0,
    )
    yield from count_objections(proof.inputs, proof.outputs, shown)
    sides = (
        ("inputs", proof.hashes.inputs, faces.inputs, seen.inputs),
        ("outputs", proof.hashes.outputs, faces.outputs, seen.outputs),
    )
    for name, hashes, tensors, how in sides:
        if len(hashes) != (expected := len(tensors) if how == HASHED else 0):
            yield f"it has {len(hashes)} hashes of {name}, expected {expected}"
    weights = proof.hashes.weights
    if (found := "" if weights is None else written(weights)) != facts.weights_hash:
        what = f"weights of hash {found[:18]}" if found else "no hash of its weights"
        expected_hash = facts.weights_hash[:18] or "none"
        yield f"it shows {what}, expected {expected_hash}: other weights"


def _objections(proof: Proof, circuit: Circuit) -> Iterator[str]:
    """What is wrong before any cryptography."""
    facts = circuit.facts
    if proof.circuit != circuit.digest:
        made, expected = proof.circuit[:16], circuit.digest[:16]
        yield f"it was made for circuit {made}, not {expected}: another network, or another set-up"
    yield from _shown_objections(proof, circuit)
    if not fits_int64((*proof.inputs, *proof.outputs)):
        yield "a value needs more than 64 bits"
    if len(proof.proof) != facts.proof_bytes:
        yield f"the proof has {len(proof.proof)} bytes, expected {facts.proof_bytes}"
    if proof.scale not in (None, scale_of(circuit)):
        yield "it states another scale of its numbers than the circuit has"
    if proof.faces not in (None, circuit.faces):
        yield "it states other names of its numbers than the circuit has"


__all__ = ["Counts", "Verdict", "count_objections", "verify"]
