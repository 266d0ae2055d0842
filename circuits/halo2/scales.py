"""What the integers of a proof stand for.

ezkl gives each output a scale of its own: products add the bits of their factors, and a network
whose input has 7 bits of fraction may well have outputs of 14. Who divides by the input's scale
reads other numbers than the network computes.
"""

import json
import math
from collections.abc import Iterator, Sequence

from zkagent.circuits.artifacts import Circuit, Proof, Scale
from zkagent.circuits.errors import ProofMalformed


def scale_of(circuit: Circuit) -> Scale:
    """What the integers of the circuit's proofs stand for."""
    if circuit.facts.exact:
        return Scale(0, (0,))
    bits = output_scale_bits(circuit)
    alike = len(set(bits)) == 1
    return Scale(circuit.facts.input_scale_bits, bits[:1] if alike else bits)


def output_scale_bits(circuit: Circuit) -> tuple[int, ...]:
    """Of each output value, in the order of a proof's outputs: v stands for v / 2^bits."""
    settings = json.loads(circuit.settings.read_bytes())
    scales: list[int] = settings["model_output_scales"]
    shapes: list[list[int]] = settings["model_instance_shapes"][-len(scales) :]
    return tuple(_spread(scales, shapes))


def read_outputs(proof: Proof, circuit: Circuit) -> tuple[float, ...]:
    """The outputs of a proof as the network's own numbers, flat; an exact circuit's integers as
    they are.

        >>> zkagent.read_outputs(proof, circuit)
        (0.98828125, 0.01171875)

    It says nothing about whether the proof is true. Raises ProofMalformed for a proof of another
    circuit, whose outputs may have other scales.
    """
    if proof.circuit != circuit.digest or len(proof.outputs) != circuit.output_count:
        raise ProofMalformed(
            f"it was made for circuit {proof.circuit[:16]}, not {circuit.digest[:16]}"
        )
    return scale_of(circuit).read(proof.outputs)


def _spread(scales: Sequence[int], shapes: Sequence[Sequence[int]]) -> Iterator[int]:
    for bits, shape in zip(scales, shapes, strict=True):
        yield from [bits] * math.prod(shape)


__all__ = ["output_scale_bits", "read_outputs", "scale_of"]
