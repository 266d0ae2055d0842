"""Reads .r1cs files by their specification and checks witnesses against them: shares no code with
what writes them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
Terms = list[tuple[int, int]]  # wire, coefficient


@dataclass(frozen=True)
class File:
    """What an .r1cs file says."""

    wires: int
    public_outputs: int
    public_inputs: int
    private_inputs: int
    constraints: list[tuple[Terms, Terms, Terms]]


def read_r1cs(content: bytes) -> File:
    header, body, labels = _sections(content, b"r1cs", 1)
    assert _number(header[:4]) == 32
    assert _number(header[4:36]) == ORDER
    wires, outputs, inputs, private = (_number(header[at : at + 4]) for at in range(36, 52, 4))
    count = _number(header[60:64])
    assert len(header) == 64
    assert [_number(labels[at : at + 8]) for at in range(0, len(labels), 8)] == list(range(wires))
    sides = list(_sums(body))
    assert len(sides) == 3 * count
    assert all(wire < wires for side in sides for wire, _ in side)
    triples = [(sides[at], sides[at + 1], sides[at + 2]) for at in range(0, len(sides), 3)]
    return File(wires, outputs, inputs, private, triples)


def read_witness(content: bytes) -> list[int]:
    header, body = _sections(content, b"wtns", 2)
    assert _number(header[:4]) == 32
    assert _number(header[4:36]) == ORDER
    assert len(body) == 32 * _number(header[36:])
    return [_number(body[at : at + 32]) for at in range(0, len(body), 32)]


def broken(file: File, witnesses: Sequence[Sequence[int]]) -> list[int]:
    """The numbers of the constraints that some witness does not satisfy."""
    table = np.array([list(witness) for witness in witnesses], dtype=object).T
    assert table.shape == (file.wires, len(witnesses))
    assert all(value == 1 for value in table[0])
    assert all(0 <= value < ORDER for value in table.ravel())
    found = []
    for number, (a, b, c) in enumerate(file.constraints):
        left, right, made = (_value(side, table) for side in (a, b, c))
        if ((left * right - made) % ORDER).any():
            found.append(number)
    return found


def free_wires(file: File, witness: Sequence[int]) -> set[int]:
    """Wires that could change a little while all constraints hold, to first order: those that the
    derivatives at a witness do not determine."""
    rows = []
    for a, b, c in file.constraints:
        left, right = (sum(k * witness[w] for w, k in side) for side in (a, b))
        row: dict[int, int] = {}
        for factor, side in ((right, a), (left, b), (-1, c)):
            for wire, coefficient in side:
                if wire:
                    row[wire] = (row.get(wire, 0) + factor * coefficient) % ORDER
        rows.append({wire: value for wire, value in row.items() if value})
    return set(range(1, file.wires)) - _determined(rows)


def _determined(rows: list[dict[int, int]]) -> set[int]:
    """Unknowns that must be 0 where all rows are, by elimination: those whose rows reach no unknown
    without a row of its own."""
    pivots: dict[int, dict[int, int]] = {}
    for row in sorted(rows, key=len):
        rest = dict(row)
        while known := rest.keys() & pivots.keys():
            wire = min(known)
            factor = rest[wire]
            for other, value in pivots[wire].items():
                rest[other] = (rest.get(other, 0) - factor * value) % ORDER
            rest = {other: value for other, value in rest.items() if value}
        if rest:
            pivot = min(rest)
            inverse = pow(rest[pivot], -1, ORDER)
            pivots[pivot] = {wire: value * inverse % ORDER for wire, value in rest.items()}
    free = {wire for row in pivots.values() for wire in row} - pivots.keys()
    return {wire for wire, row in pivots.items() if not _reaches(row, wire, free, pivots)}


def _reaches(
    row: dict[int, int], pivot: int, free: set[int], pivots: dict[int, dict[int, int]]
) -> bool:
    """Whether an unknown depends on free ones."""
    seen, open_ = {pivot}, [wire for wire in row if wire != pivot]
    while open_:
        wire = open_.pop()
        if wire in free:
            return True
        if wire not in seen:
            seen.add(wire)
            open_ += pivots[wire]
    return False


def _value(side: Terms, table: "np.ndarray[tuple[int, ...], np.dtype[np.object_]]") -> object:
    total = np.zeros(table.shape[1], dtype=object)
    for wire, coefficient in side:
        total = total + coefficient * table[wire]
    return total


def _sections(content: bytes, magic: bytes, version: int) -> list[bytes]:
    assert content[:4] == magic
    assert _number(content[4:8]) == version
    at, found = 12, []
    for number in range(1, _number(content[8:12]) + 1):
        assert _number(content[at : at + 4]) == number
        size = _number(content[at + 4 : at + 12])
        found.append(content[at + 12 : at + 12 + size])
        at += 12 + size
    assert at == len(content)
    return found


def _sums(body: bytes) -> Iterator[Terms]:
    at = 0
    while at < len(body):
        count, at = _number(body[at : at + 4]), at + 4
        terms = []
        for _ in range(count):
            terms.append((_number(body[at : at + 4]), _number(body[at + 4 : at + 36])))
            at += 36
        assert [wire for wire, _ in terms] == sorted({wire for wire, _ in terms})
        yield terms


def _number(part: bytes) -> int:
    return int.from_bytes(part, "little")


__all__ = ["ORDER", "File", "broken", "free_wires", "read_r1cs", "read_witness"]
