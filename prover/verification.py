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
from zkagent.circuits.store import checked


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
            return Verdict(False, "the proof does not hold for these inputs and outputs")
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


def _objections(proof: Proof, circuit: Circuit) -> Iterator[str]:
    """What is wrong before any cryptography."""
    facts = circuit.facts
    if proof.circuit != circuit.digest:
        made, expected = proof.circuit[:16], circuit.digest[:16]
        yield f"it was made for circuit {made}, not {expected}: another network, or another set-up"
    yield from count_objections(proof.inputs, proof.outputs, facts)
    if not fits_int64((*proof.inputs, *proof.outputs)):
        yield "a value needs more than 64 bits"
    if len(proof.proof) != facts.proof_bytes:
        yield f"the proof has {len(proof.proof)} bytes, expected {facts.proof_bytes}"
    if proof.scale not in (None, scale_of(circuit)):
        yield "it states another scale of its numbers than the circuit has"
    if proof.faces not in (None, circuit.faces):
        yield "it states other names of its numbers than the circuit has"


__all__ = ["Counts", "Verdict", "count_objections", "verify"]
