"""Checks the numbers for a circuit before ezkl sees them.

ezkl ignores extra arrays, panics on empty ones and takes 1e30 without a word.
"""

import numbers
from collections.abc import Iterator, Mapping, Sequence

from zkagent.circuits.artifacts import Circuit, Face
from zkagent.circuits.bn254.field import INT64_MAX, INT64_MIN, fits_int64
from zkagent.circuits.errors import InputRefused
from zkagent.circuits.visibility import PUBLIC

EZKL = "input_data"  # where ezkl's own files have a list for each input


def check_inputs(circuit: Circuit, values: Sequence[object]) -> tuple[int, ...]:
    """`values` as the integers that the circuit takes. Raises InputRefused."""
    if len(values) != circuit.input_count:
        raise InputRefused(
            f"x has {len(values)} values, circuit {circuit.digest[:12]} takes "
            f"{circuit.input_count}, in one flat list"
        )
    wanted = "a finite number" if circuit.facts.input_scale_bits else "an integer"
    told = circuit.visibility.inputs == PUBLIC
    return tuple(_integer(index, value, wanted, told=told) for index, value in enumerate(values))


def check_outputs(circuit: Circuit, values: object) -> tuple[int, ...]:
    """A list of the circuit's integers that somebody says it gave. Raises InputRefused."""
    count = circuit.output_count
    if not isinstance(values, list) or len(values) != count:
        raise InputRefused(f"y is no list of {count} integers, as many as the circuit gives")
    if any(type(value) is not int or not fits_int64([value]) for value in values):
        raise InputRefused("y holds something else than integers of at most 64 bits")
    return tuple(values)


def flattened(circuit: Circuit, given: object) -> list[object]:
    """What a user writes for x in one flat list: a list, nested or not, of all numbers in the order
    of the network's inputs, an object with a list for each of them by its name, or ezkl's
    `{"input_data": [...]}`. Raises InputRefused."""
    faces = circuit.faces.inputs
    if isinstance(given, Mapping) and set(given) == {EZKL} != {face.name for face in faces}:
        given = given[EZKL]
    if not isinstance(given, Mapping):
        return list(_leaves(given))
    if set(given) != (names := {face.name for face in faces}):
        expected = ", ".join(sorted(names))
        found = ", ".join(sorted(map(str, given))) or "nothing"
        raise InputRefused(f"x has {found}, circuit {circuit.digest[:12]} takes {expected}")
    return [value for face in faces for value in _part(face, given[face.name])]


def _leaves(given: object) -> Iterator[object]:
    if isinstance(given, list):
        for each in given:
            yield from _leaves(each)
    else:
        yield given


def _part(face: Face, given: object) -> list[object]:
    found = list(_leaves(given))
    if len(found) != face.size:
        raise InputRefused(f"x has {len(found)} values for {face.name!r}, which takes {face.size}")
    return found


def _integer(index: int, value: object, wanted: str, *, told: bool) -> int:
    """told: whether an error may say what the value is."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        found = repr(value) if told else "another value"
        raise InputRefused(f"x[{index}] is {found}, expected {wanted}")
    if not INT64_MIN <= int(value) <= INT64_MAX:
        found = _shown(value) if told else "a larger one"
        raise InputRefused(f"x[{index}] is {found}, expected {wanted} of at most 64 bits")
    return int(value)


def _shown(value: numbers.Integral) -> str:
    """Python refuses to print thousands of digits, and nobody reads them."""
    bits = int(value).bit_length()
    return str(value) if bits <= 128 else f"one of {bits} bits"


__all__ = ["check_inputs", "check_outputs", "flattened"]
