"""Whether numbers that somebody shows are those that a proof hides behind hashes.

A hash binds: nobody finds other numbers for it. It does not hide numbers of which there are few.
"""

from collections.abc import Iterable, Sequence

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import fits_int64
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.visibility import HASHED, PRIVATE


def inputs_match(proof: Proof, circuit: Circuit, x: Sequence[int]) -> bool:
    """Whether the proof is of these inputs, the circuit's integers. It must be one of the circuit,
    and true. Raises InputRefused where it says nothing of its inputs, or for another count;
    EngineError."""
    if circuit.visibility.inputs == PRIVATE:
        raise InputRefused("the proof's inputs are private: nothing in it says which they are")
    return _match(
        x,
        circuit.faces.split_inputs(x),
        proof.inputs,
        proof.hashes.inputs if circuit.visibility.inputs == HASHED else None,
    )


def outputs_match(proof: Proof, circuit: Circuit, y: Sequence[int]) -> bool:
    """The same of its outputs."""
    return _match(
        y,
        circuit.faces.split_outputs(y),
        proof.outputs,
        proof.hashes.outputs if circuit.visibility.outputs == HASHED else None,
    )


def _match(
    given: Sequence[int],
    tensors: Iterable[Sequence[float]],
    shown: Sequence[int],
    hashes: Sequence[int] | None,
) -> bool:
    from zkagent.circuits.halo2.ezkl_engine import poseidon_hash

    if hashes is None:
        return tuple(given) == tuple(shown)
    if not fits_int64(given):
        return False
    return [poseidon_hash([int(v) for v in each]) for each in tensors] == list(hashes)


__all__ = ["inputs_match", "outputs_match"]
