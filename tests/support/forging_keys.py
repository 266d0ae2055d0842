"""Keys of ceremonies with a point in them that forges proofs, as whoever makes the first key can
write them, and the forgeries."""

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.support.ceremonies import sections
from zkagent.circuits.bn254.curve import Point, Q, add, multiply, total
from zkagent.circuits.bn254.field import R
from zkagent.circuits.groth16.constraints import solver
from zkagent.circuits.groth16.constraints.compiler import Compiled
from zkagent.circuits.groth16.keys.development import ROOT
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.keys.zkey import read_verifying_key
from zkagent.circuits.groth16.proving.points import Points, read_points
from zkagent.circuits.groth16.proving.provers import Prover, load_key

MONTGOMERY = (1 << 256) % Q
Parts = dict[int, bytes]
Change = Callable[[Parts], Mapping[int, bytes]]


def parts(path: Path) -> Parts:
    """The content of each section."""
    content = path.read_bytes()
    return {number: content[at : at + size] for number, at, size in sections(content)}


def key_of(found: Mapping[int, bytes]) -> bytes:
    """The file of these sections."""
    content = b"zkey" + struct.pack("<II", 1, len(found))
    for number in sorted(found):
        content += struct.pack("<IQ", number, len(found[number])) + found[number]
    return content


def points(content: bytes) -> list[Point]:
    inverse = pow(MONTGOMERY, -1, Q)
    numbers = [
        int.from_bytes(content[at : at + 32], "little") * inverse % Q
        for at in range(0, len(content), 32)
    ]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def raw(found: Sequence[Point]) -> bytes:
    return b"".join(
        (number * MONTGOMERY % Q).to_bytes(32, "little") for point in found for number in point
    )


def top(section: bytes) -> Point:
    """The sum of x_j^(n - 1) H_j, x_j being the odd powers of a root of order 2n: the direction
    that `snarkjs zkey verify` leaves out."""
    found, root = points(section), odd_root(len(section) // 64)
    powers = [pow(root, (2 * j + 1) * (len(found) - 1), R) for j in range(len(found))]
    return total([multiply(h, power) for h, power in zip(found, powers, strict=True)])


def odd_root(domain: int) -> int:
    return pow(ROOT, (1 << 28) // (2 * domain), R)


def hiding(found: Parts) -> Mapping[int, bytes]:
    """H_j + x_j P', such that the last word's point is the sum in the direction left out."""
    x, y = points(found[3])[-1]
    h = points(found[9])
    shift = multiply(add(top(found[9]), (x, -y % Q)), pow(len(h), -1, R))  # x_j^n is -1
    root = odd_root(len(h))
    moved = [add(each, multiply(shift, pow(root, 2 * j + 1, R))) for j, each in enumerate(h)]
    return found | {9: raw(moved)}


def longer(found: Parts) -> Mapping[int, bytes]:
    """As many wires more as there are public words and one, whose points are those of the words."""
    wires, public, domain = struct.unpack("<III", found[2][72:84])
    header = found[2][:72] + struct.pack("<III", wires + public + 1, public, domain)
    more = {number: found[number] + bytes(len(found[3])) for number in (5, 6)}
    more |= {7: found[7] + bytes(2 * len(found[3])), 8: found[8] + found[3]}
    return found | more | {2: header + found[2][84:]}


def cut(found: Parts, honest: Parts) -> tuple[Parts, list[Point]]:
    """A key without what `longer` added to the honest one, and what that has become."""
    sizes = {number: len(honest[number]) for number in (5, 6, 7, 8)}
    shorter = {number: found[number][:size] for number, size in sizes.items()}
    header = found[2][:72] + honest[2][72:84] + found[2][84:]
    return found | shorter | {2: header}, points(found[8][sizes[8] :])


def forged_by_top(
    zkey: Path, compiled: Compiled, x: Sequence[int], false: Sequence[int]
) -> tuple[KeyCode, bytes]:
    """A proof that y is this, in which only the last word's outputs are others."""
    code = KeyCode(compiled.inputs, compiled.output_count, False, read_verifying_key(zkey))
    words = code.public_words(x, false)
    true, solver.point = solver.point, lambda *_: words[-2]  # a true witness with the lie's c
    try:
        elements = compiled.witness(x, code.digest).elements()
    finally:
        solver.point = true
    honest = [int(each) % R for each in elements[1 : 1 + len(words)]]
    assert honest[:-1] == words[:-1]
    assert honest[-1] != words[-1]
    proof = read_points(load_key(zkey, code.key, Prover.GROTH16PY).prove(elements))
    over = top(parts(zkey)[9])
    c = add(proof.c, multiply(over, (honest[-1] - words[-1]) % R))
    return code, Points(proof.a, proof.b, c).to_bytes()


def forged_by_words(code: KeyCode, over: Sequence[Point], words: Sequence[int]) -> bytes:
    """A proof of anything, from the points of one and of the words over delta."""
    key = code.key
    c = total([multiply(each, -word % R) for word, each in zip([1, *words], over, strict=True)])
    return Points(key.alpha, key.beta, c).to_bytes()
