"""The bytes of a set-up file (halo2's `ParamsKZG` in raw form), read, checked and cut to size.

    u32 LE k | 2^k G1: tau^i G | 2^k G1: Lagrange basis L_i(tau) G | G2 | tau G2

G1 points are 64 bytes, G2 points 128, coordinates little-endian in Montgomery form.
"""

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zkagent.circuits.bn254 import curve as bn254
from zkagent.circuits.bn254.curve import Point
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import SrsUnreadable
from zkagent.models.files import open_regular

HEADER, G1_BYTES, G2_BYTES = 4, 64, 128
MOST_LOGROWS = 28  # the scalar field has no larger power-of-two subgroup
PART = 1 << 12  # points that are held at once
PTAU = b"ptau"  # how the files of snarkjs begin
PTAU_REMEDY = (
    "it is a .ptau file, of snarkjs, expected halo2's raw form: give the public KZG ceremony's "
    "file for halo2, whose usual name is kzg12.srs for 2^12 rows"
)
MONTGOMERY = (1 << 256) % bn254.Q
FROM_MONTGOMERY = pow(MONTGOMERY, -1, bn254.Q)
ROOT_OF_UNITY = pow(7, (R - 1) >> 28, R)  # of order 2^28; 7 generates the multiplicative group


def file_size(logrows: int) -> int:
    """Bytes of a set-up for 2^logrows rows."""
    return HEADER + 2 * G1_BYTES * (1 << logrows) + 2 * G2_BYTES


def read_logrows(path: Path) -> int:
    """k, after checking it against the file's size. Raises SrsUnreadable."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(HEADER)
    except OSError as exc:
        raise SrsUnreadable(path, f"it cannot be read ({exc.strerror})") from exc
    if header == PTAU:
        raise SrsUnreadable(path, PTAU_REMEDY)
    if len(header) < HEADER:
        raise SrsUnreadable(path, f"{size} bytes are less than its header")
    logrows = int(struct.unpack("<I", header)[0])
    if logrows > MOST_LOGROWS:
        raise SrsUnreadable(path, f"k = {logrows} in its header, expected at most {MOST_LOGROWS}")
    if size != file_size(logrows):
        expected = file_size(logrows)
        raise SrsUnreadable(path, f"{size} bytes, expected {expected} for k = {logrows}")
    return logrows


def check_generator(path: Path) -> None:
    """Refuse what does not begin as every set-up does, before anything else of it is read. Raises
    SrsUnreadable."""
    with _opened(path) as file:
        if _points(file.read(HEADER + G1_BYTES)[HEADER:]) != [bn254.GENERATOR]:
            raise SrsUnreadable(path, "its first point is not the generator of G1")


def check_points(path: Path) -> str:
    """Refuse damaged points: not a proof of a good set-up, which only a ceremony's digest can give.
    The SHA-256 of what was read, which was part by part.

    The generator must come first, every point must lie on the curve, and the Lagrange basis must
    sum to the generator. Raises SrsUnreadable.
    """
    check_generator(path)
    with _opened(path) as file:
        header = file.read(HEADER)
        count = 1 << struct.unpack("<I", header)[0]
        digest, total, part = hashlib.sha256(header), bn254.INFINITY, min(count, PART)
        for start in range(0, 2 * count, part):
            content = file.read(G1_BYTES * part)
            digest.update(content)
            points = _points(content)
            _check_on_curve(path, points, start, 2 * count)
            if start >= count:
                total = bn254.total([total, *points])
        digest.update(file.read(2 * G2_BYTES))
    if total != bn254.GENERATOR:
        raise SrsUnreadable(path, "its Lagrange points do not sum to the generator of G1")
    return digest.hexdigest()


def _check_on_curve(path: Path, points: list[Point], start: int, count: int) -> None:
    for index, point in enumerate(points, start):
        if not bn254.on_curve(point):
            raise SrsUnreadable(path, f"point {index} of {count} is not on the curve")


def cut(content: bytes, logrows: int) -> bytes:
    """The same set-up for fewer rows: a prefix of the powers, and their own Lagrange basis.

    L_i = 1/n sum_j w^(-ij) tau^j G, by a fast Fourier transform over points. Takes milliseconds per
    row; the result is the very file that the ceremony publishes for that k.
    """
    count = 1 << logrows
    powers = [bn254.to_jacobian(_point(content, index)) for index in range(count)]
    root = pow(ROOT_OF_UNITY, 1 << (28 - logrows), R)
    shrink = pow(count, -1, R)
    basis = [bn254.times(p, shrink) for p in _transform(powers, pow(root, -1, R))]
    lagrange = b"".join(_encode(point) for point in bn254.to_affine(basis))
    kept = content[HEADER : HEADER + G1_BYTES * count]
    return struct.pack("<I", logrows) + kept + lagrange + content[-2 * G2_BYTES :]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except OSError as exc:
        raise SrsUnreadable(path, f"it cannot be read ({exc.strerror})") from exc


def _points(content: bytes) -> list[Point]:
    """Of points alone, without a header."""
    whole = bytes(HEADER) + content
    return [_point(whole, index) for index in range(len(content) // G1_BYTES)]


def _point(content: bytes, index: int) -> Point:
    start = HEADER + G1_BYTES * index
    x, y = (
        int.from_bytes(content[at : at + 32], "little") * FROM_MONTGOMERY % bn254.Q
        for at in (start, start + 32)
    )
    return x, y


def _encode(point: Point) -> bytes:
    return b"".join((c * MONTGOMERY % bn254.Q).to_bytes(32, "little") for c in point)


def _transform(points: list[bn254.Jacobian], root: int) -> list[bn254.Jacobian]:
    """sum_j root^(ij) points[j] for each i."""
    if len(points) == 1:
        return points
    square = root * root % R
    even, odd = _transform(points[0::2], square), _transform(points[1::2], square)
    pairs = list(_butterflies(even, odd, root))
    return [one for one, _ in pairs] + [other for _, other in pairs]


def _butterflies(
    even: list[bn254.Jacobian], odd: list[bn254.Jacobian], root: int
) -> Iterator[tuple[bn254.Jacobian, bn254.Jacobian]]:
    twiddle = 1
    for one, other in zip(even, odd, strict=True):
        turned = _turn(other, twiddle)
        yield bn254.plus(one, turned), bn254.plus(one, bn254.negate(turned))
        twiddle = twiddle * root % R


def _turn(point: bn254.Jacobian, scalar: int) -> bn254.Jacobian:
    """scalar * point, by the shorter of scalar and R - scalar."""
    if scalar == 1:
        return point
    if scalar > R // 2:
        return bn254.negate(bn254.times(point, R - scalar))
    return bn254.times(point, scalar)


__all__ = ["check_generator", "check_points", "cut", "file_size", "read_logrows"]
