"""Integers as elements of BN254's scalar field, the way ezkl and the verifier write them.

A negative number v is R - |v|. ezkl's JSON holds 32 bytes little-endian as hex.
"""

from collections.abc import Iterable

from zkagent.circuits.errors import EngineError

R = 21888242871839275222246405745257275088548364400416034343698204186575808495617
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


def to_field(value: int) -> int:
    """The canonical element of a signed integer of at most 64 bits."""
    return value % R


def from_field(element: int) -> int:
    """The signed integer nearest to zero that `element` stands for."""
    return element - R if element > R // 2 else element


def to_hex(value: int) -> str:
    return to_field(value).to_bytes(32, "little").hex()


def from_hex(text: str) -> int:
    """The signed integer of one of ezkl's field elements. Raises EngineError."""
    try:
        return from_field(int.from_bytes(bytes.fromhex(text), "little"))
    except ValueError as exc:
        raise EngineError("read a field element", f"{text!r} is not hexadecimal") from exc


def fits_int64(values: Iterable[int]) -> bool:
    return all(INT64_MIN <= value <= INT64_MAX for value in values)


__all__ = [
    "INT64_MAX",
    "INT64_MIN",
    "R",
    "fits_int64",
    "from_field",
    "from_hex",
    "to_field",
    "to_hex",
]
