"""Checks the numbers for a circuit before ezkl sees them.

ezkl ignores extra arrays, panics on empty ones and takes 1e30 without a word.
"""

import math
import numbers
from collections.abc import Sequence

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.bn254.field import INT64_MAX, INT64_MIN
from zkagent.circuits.errors import InputRefused


def check_inputs(circuit: Circuit, values: Sequence[object]) -> tuple[int, ...]:
    """`values` as the integers that the circuit takes. Raises InputRefused."""
    if len(values) != circuit.input_count:
        raise InputRefused(
            f"x has {len(values)} values, circuit {circuit.digest[:12]} takes "
            f"{circuit.input_count}, in one flat list"
        )
    wanted = "a finite number" if circuit.facts.input_scale_bits else "an integer"
    return tuple(_integer(index, value, wanted) for index, value in enumerate(values))


def quantise(circuit: Circuit, values: Sequence[object]) -> list[object]:
    """Real inputs of a circuit with fractions, as its integers: v * 2^bits, rounded.

    The identity for an exact circuit, so that a fraction given to one is still refused.
    """
    bits = circuit.facts.input_scale_bits
    return [_scaled(value, bits) if bits else value for value in values]


def _integer(index: int, value: object, wanted: str) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputRefused(f"x[{index}] is {value!r}, expected {wanted}")
    if not INT64_MIN <= int(value) <= INT64_MAX:
        raise InputRefused(f"x[{index}] is {_shown(value)}, expected {wanted} of at most 64 bits")
    return int(value)


def _shown(value: numbers.Integral) -> str:
    """Python refuses to print thousands of digits, and nobody reads them."""
    bits = int(value).bit_length()
    return str(value) if bits <= 128 else f"one of {bits} bits"


def _scaled(value: object, bits: int) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(value * (1 << bits))
    return value


__all__ = ["check_inputs", "quantise"]
