"""The set-up's polynomials, by their definitions, and the file it is written into."""

import struct
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from tests.support.integer_networks import mlp
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.keys.development import (
    Secrets,
    drawn,
    lagrange,
    make_keys,
    polynomials,
)
from zkagent.circuits.groth16.keys.zkey import ProvingKey, read_verifying_key, zkey_file
from zkagent.circuits.program.reader import read_program

SECRETS = Secrets(11, 22, 33, 44)


def small() -> Compiled:
    return compile_program(read_program(mlp(inputs=2, hidden=1, outputs=1), 4))


def test_the_basis_is_one_at_its_own_place_and_interpolates() -> None:
    """The sum of all is 1, and a polynomial is what its values say."""
    size, tau = 16, 123456789
    basis = lagrange(tau, size)
    root = pow(5, (R - 1) // size, R)
    assert sum(basis) % R == 1
    cubes = [pow(root, 3 * i, R) for i in range(size)]
    assert sum(b * v for b, v in zip(basis, cubes, strict=True)) % R == pow(tau, 3, R)


def remainder(compiled: Compiled, witness: list[int], point: int) -> int:
    """a b - c of a witness's polynomials at a point outside of the domain."""
    basis = lagrange(point, compiled.domain)
    sides = polynomials(compiled.constraints, compiled.wires, compiled.public, basis)
    a, b, c = (sum(w * s for w, s in zip(witness, side, strict=True)) for side in sides)
    return (a * b - c) % R


@pytest.mark.parametrize("wrong", [False, True])
def test_what_satisfied_constraints_leave_is_known_from_the_odd_powers(wrong: bool) -> None:
    """It vanishes on all rows, so its values on the odd powers of a root of twice the order say
    what it is anywhere; of a false witness they do not."""
    compiled, tau = small(), 987654321
    domain = compiled.domain
    witness = compiled.witness([3, -2]).elements()
    witness[-1] += wrong
    root = pow(5, (R - 1) // (2 * domain), R)
    odd = [remainder(compiled, witness, pow(root, 2 * i + 1, R)) for i in range(domain)]
    basis = lagrange(tau, 2 * domain)[1::2]
    expected = sum(value * b for value, b in zip(odd, basis, strict=True)) % R
    assert (remainder(compiled, witness, tau) == expected) is not wrong


def test_secrets_are_drawn_anew() -> None:
    assert drawn() != drawn()
    assert make_keys(small(), lambda: SECRETS) == make_keys(small(), lambda: SECRETS)


def test_a_key_file_has_a_point_for_each_wire_and_row() -> None:
    compiled = small()
    key = make_keys(compiled, lambda: SECRETS)
    content = zkey_file(key)
    assert content[:12] == b"zkey" + struct.pack("<II", 1, 10)
    at, sizes = 12, {}
    while at < len(content):
        number, size = struct.unpack("<IQ", content[at : at + 12])
        sizes[number] = size
        at += 12 + size
    public, wires = compiled.public, compiled.wires
    assert sizes[3] == 64 * (public + 1)
    assert [sizes[n] for n in (5, 6, 7)] == [64 * wires, 64 * wires, 128 * wires]
    assert sizes[8] == 64 * (wires - public - 1)
    assert sizes[9] == 64 * key.domain


@lru_cache
def small_key() -> ProvingKey:
    return make_keys(small(), lambda: SECRETS)


def test_the_verifying_key_is_read_back_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "small.zkey").write_bytes(zkey_file(small_key()))
    assert read_verifying_key(tmp_path / "small.zkey") == small_key().verifying


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (0, b"yekz", "first bytes are"),
        (24, b"\2", "another proof system"),
        (40, b"\0", "another curve"),
        (116, b"\3", "another curve"),
        (124, b"\1\1", "not on its curve"),
        (124, b"\xff" * 32, "not below the order"),
        (252, b"\1\1", "not on its curve"),
    ],
)
def test_a_damaged_key_is_refused(tmp_path: Path, at: int, value: bytes, reason: str) -> None:
    content = bytearray(zkey_file(small_key()))
    content[at : at + len(value)] = value
    (tmp_path / "bad.zkey").write_bytes(content)
    with pytest.raises(ArtifactCorrupted, match=reason):
        read_verifying_key(tmp_path / "bad.zkey")


@pytest.mark.parametrize("size", [0, 11, 40, 300])
def test_a_key_that_was_cut_is_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "cut.zkey").write_bytes(zkey_file(small_key())[:size])
    with pytest.raises(ArtifactCorrupted, match="no Groth16 key"):
        read_verifying_key(tmp_path / "cut.zkey")


Parts = list[tuple[int, bytes]]


def sections(content: bytes) -> Parts:
    found, at = [], 12
    while at < len(content):
        number, size = struct.unpack("<IQ", content[at : at + 12])
        found.append((number, content[at + 12 : at + 12 + size]))
        at += 12 + size
    return found


def joined(parts: list[tuple[int, bytes]], count: int | None = None) -> bytes:
    head = b"zkey" + struct.pack("<II", 1, len(parts) if count is None else count)
    body = (struct.pack("<IQ", number, len(part)) + part for number, part in parts)
    return head + b"".join(body)


def one_byte_more(part: tuple[int, bytes]) -> tuple[int, bytes]:
    return part[0], part[1] + b"\0"


TWO_FACES: dict[str, Callable[[Parts], Parts]] = {
    f"section {number} twice, {place}": lambda parts, n=number, at=at: [  # type: ignore[misc]
        *parts[:at],
        parts[n - 1],
        *parts[at:],
    ]
    for number in range(1, 11)
    for place, at in (("first", 0), ("last", 10))
}
TWO_FACES |= {
    f"no section {number}": lambda parts, n=number: [  # type: ignore[misc]
        each for each in parts if each[0] != n
    ]
    for number in range(1, 11)
}
TWO_FACES |= {
    f"a longer section {number}": lambda parts, n=number: [  # type: ignore[misc]
        one_byte_more(each) if each[0] == n else each for each in parts
    ]
    for number in range(1, 10)  # what the last one holds, contributions, may be of any length
}
TWO_FACES["a section that nobody knows"] = lambda parts: [*parts, (11, b"")]


@pytest.mark.parametrize("name", TWO_FACES)
def test_a_key_that_two_readers_could_read_in_two_ways_is_refused(
    name: str, tmp_path: Path
) -> None:
    parts = sections(zkey_file(small_key()))
    (path := tmp_path / "circuit.zkey").write_bytes(joined(parts))
    assert read_verifying_key(path) == small_key().verifying
    path.write_bytes(joined(TWO_FACES[name](parts)))
    with pytest.raises(ArtifactCorrupted, match="no Groth16 key"):
        read_verifying_key(path)


@pytest.mark.parametrize("count", [9, 11])
@pytest.mark.parametrize("more", [b"", b"more"])
def test_a_key_has_as_many_sections_as_it_says_and_nothing_else(
    count: int, more: bytes, tmp_path: Path
) -> None:
    parts = sections(zkey_file(small_key()))
    (path := tmp_path / "circuit.zkey").write_bytes(joined(parts, count) + more)
    with pytest.raises(ArtifactCorrupted, match="no Groth16 key"):
        read_verifying_key(path)
