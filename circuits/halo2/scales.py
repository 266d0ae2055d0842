"""What the integers of a proof stand for.

ezkl gives each output a scale of its own: products add the bits of their factors, and a network
whose input has 7 bits of fraction may well have outputs of 14. Who divides by the input's scale
reads other numbers than the network computes.
"""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from zkagent.circuits.artifacts import Circuit, Face, Proof, Scale
from zkagent.circuits.errors import ProofMalformed


def scale_of(circuit: Circuit) -> Scale:
    """What the integers of the circuit's proofs stand for."""
    if circuit.facts.exact:
        return Scale((0,), (0,))
    return Scale.of(input_scale_bits(circuit), output_scale_bits(circuit))


def input_scale_bits(circuit: Circuit) -> tuple[int, ...]:
    """Of each input value, in the order of a proof's inputs: v stands for v / 2^bits. Integers and
    truth values have none."""
    scales = _settings(circuit)["model_input_scales"]
    if len(circuit.faces.inputs) != len(scales):  # of before circuits had names for theirs
        return (circuit.facts.input_scale_bits,) * circuit.input_count
    return tuple(_spread(scales, circuit.faces.inputs))


def output_scale_bits(circuit: Circuit) -> tuple[int, ...]:
    """Of each output value, in the order of a proof's outputs: v stands for v / 2^bits."""
    settings, outputs = _settings(circuit), circuit.faces.outputs
    scales: list[int] = settings["model_output_scales"]
    if len(outputs) != len(scales):  # of before circuits had names for theirs
        shapes = settings["model_instance_shapes"][-len(scales) :]
        outputs = tuple(Face("", "", tuple(shape)) for shape in shapes)
    return tuple(_spread(scales, outputs))


def quantise(circuit: Circuit, values: Sequence[object]) -> list[object]:
    """Real inputs of a circuit with fractions, as its integers: v * 2^bits, rounded.

    The identity for integers, so that a fraction given for one is still refused; a truth value is 0
    or 1.
    """
    if circuit.facts.exact or len(values) != circuit.input_count:
        return list(values)  # which `check_inputs` refuses
    kinds = (face.type for face in circuit.faces.inputs for _ in range(face.size))
    return [
        int(value) if isinstance(value, bool) and kind == "bool" else _scaled(value, bits)
        for value, bits, kind in zip(values, input_scale_bits(circuit), kinds, strict=True)
    ]


def _scaled(value: object, bits: int) -> object:
    if not bits:
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(value * (1 << bits))
    return value


def _settings(circuit: Circuit) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(circuit.settings.read_bytes())
    return found


def read_outputs(proof: Proof, circuit: Circuit) -> tuple[float, ...]:
    """The outputs of a proof as the network's own numbers, flat; an exact circuit's integers as
    they are.

        >>> zkagent.read_outputs(proof, circuit)
        (0.98828125, 0.01171875)

    It says nothing about whether the proof is true. Raises ProofMalformed for a proof of another
    circuit, whose outputs may have other scales, and for one that hides its outputs.
    """
    if proof.hashes.outputs:
        raise ProofMalformed("it shows a hash of its outputs, and not the outputs")
    if proof.circuit != circuit.digest or len(proof.outputs) != circuit.output_count:
        raise ProofMalformed(
            f"it was made for circuit {proof.circuit[:16]}, not {circuit.digest[:16]}"
        )
    return scale_of(circuit).read(proof.outputs)


def _spread(scales: Sequence[int], faces: Sequence[Face]) -> Iterator[int]:
    for bits, face in zip(scales, faces, strict=True):
        yield from [bits] * face.size


__all__ = ["input_scale_bits", "output_scale_bits", "quantise", "read_outputs", "scale_of"]
