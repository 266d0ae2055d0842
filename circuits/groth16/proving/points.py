"""A proof as points, and as the 256 bytes that the EVM's pairing takes: A, B, C, each coordinate 32
bytes big-endian, those of B with the imaginary part first."""

from dataclasses import dataclass

from zkagent.circuits.bn254.curve import INFINITY, Q, on_curve
from zkagent.circuits.bn254.multiples import INFINITY_G2, PointG1, PointG2, on_curve_g2
from zkagent.circuits.errors import ProofMalformed

PROOF_BYTES = 256


@dataclass(frozen=True)
class Points:
    """Affine, on their curves; whether B is in the subgroup is for the pairing to say. Zeros are
    infinity, as the EVM's precompiles have it."""

    a: PointG1
    b: PointG2
    c: PointG1

    def to_bytes(self) -> bytes:
        (x0, x1), (y0, y1) = self.b
        numbers = (*self.a, x1, x0, y1, y0, *self.c)
        return b"".join(number.to_bytes(32, "big") for number in numbers)


def read_points(proof: bytes) -> Points:
    """Raises ProofMalformed for other bytes than `to_bytes` gives."""
    if len(proof) != PROOF_BYTES:
        raise ProofMalformed(f"the proof has {len(proof)} bytes, expected {PROOF_BYTES}")
    numbers = [int.from_bytes(proof[at : at + 32], "big") for at in range(0, PROOF_BYTES, 32)]
    if max(numbers) >= Q:
        raise ProofMalformed("a coordinate is not below the order of its field")
    ax, ay, x1, x0, y1, y0, cx, cy = numbers
    points = Points((ax, ay), ((x0, x1), (y0, y1)), (cx, cy))
    is_known = all(point == INFINITY or on_curve(point) for point in (points.a, points.c))
    if not is_known or not (points.b == INFINITY_G2 or on_curve_g2(points.b)):
        raise ProofMalformed("a point is not on its curve")
    return points


__all__ = ["PROOF_BYTES", "Points", "read_points"]
