"""What the integers of a proof stand for.

ezkl gives each output a scale of its own: products add the bits of their factors, and a network
whose input has 7 bits of fraction may well have outputs of 14. Who divides by the input's scale
reads other numbers than the network computes.
"""

import json
import math
from collections.abc import Iterator, Sequence

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import ProofMalformed


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
    if circuit.facts.exact:
        return proof.outputs
    pairs = zip(proof.outputs, output_scale_bits(circuit), strict=True)
    return tuple(value / (1 << bits) for value, bits in pairs)


def _spread(scales: Sequence[int], shapes: Sequence[Sequence[int]]) -> Iterator[int]:
    for bits, shape in zip(scales, shapes, strict=True):
        yield from [bits] * math.prod(shape)


__all__ = ["output_scale_bits", "read_outputs"]
