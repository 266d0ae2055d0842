"""Constraints and witnesses as files: the binary formats of iden3, which Groth16 provers read.

Little-endian throughout; a field element is 32 bytes. Specification:
https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from zkagent.circuits.bn254.field import R
from zkagent.circuits.groth16.constraints.sums import Sum
from zkagent.circuits.groth16.constraints.wires import Constraint

ELEMENT_BYTES = 32
FIELD = struct.pack("<I", ELEMENT_BYTES) + R.to_bytes(ELEMENT_BYTES, "little")


def r1cs_file(constraints: Sequence[Constraint], wires: int, public: int) -> bytes:
    """An .r1cs file. Wire 0 is one, then come the public words; the rest is private."""
    counts = (wires, 0, public, 0, wires, len(constraints))
    header = FIELD + struct.pack("<IIIIQI", *counts)
    body = b"".join(part for row in constraints for part in _sides(row))
    labels = np.arange(wires, dtype="<u8").tobytes()
    return _file(b"r1cs", 1, [header, body, labels])


def witness_file(elements: Sequence[int]) -> bytes:
    """A .wtns file of one field element for each wire."""
    header = FIELD + struct.pack("<I", len(elements))
    return _file(b"wtns", 2, [header, b"".join(map(_element, elements))])


def _file(magic: bytes, version: int, sections: Sequence[bytes]) -> bytes:
    parts = [magic, struct.pack("<II", version, len(sections))]
    for number, section in enumerate(sections, 1):
        parts += [struct.pack("<IQ", number, len(section)), section]
    return b"".join(parts)


def _sides(row: Constraint) -> Iterator[bytes]:
    """Whatever is long was made once, and is written as it is shared."""
    for total in (row.a, row.b, row.c):
        yield _sum(total)


def _sum(total: Sum) -> bytes:
    terms = [
        struct.pack("<I", wire) + _coefficient(total[wire])
        for wire in sorted(total)
        if total[wire] % R
    ]
    return struct.pack("<I", len(terms)) + b"".join(terms)


def _element(value: int) -> bytes:
    return (value % R).to_bytes(ELEMENT_BYTES, "little")


_coefficient: Callable[[int], bytes] = lru_cache(maxsize=1 << 16)(_element)

__all__ = ["r1cs_file", "witness_file"]
