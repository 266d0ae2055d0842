"""Whether a proof holds, by our own pairing: no prover's library is needed for it."""

from collections.abc import Sequence

from zkagent.circuits.bn254.curve import Point, Q, plus, times, to_affine, to_jacobian
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import INFINITY_G2
from zkagent.circuits.bn254.pairing import in_subgroup, pairings_cancel
from zkagent.circuits.errors import ProofMalformed
from zkagent.circuits.groth16.keys.zkey import VerifyingKey
from zkagent.circuits.groth16.proving.points import read_points


def holds(key: VerifyingKey, proof: bytes, words: Sequence[int]) -> bool:
    """Whether the 256 bytes of a proof hold for these public words; malformed bytes do not, and
    neither do words at or above the field's order. Raises ValueError for a key that is none."""
    if len(words) != len(key.ic) - 1 or any(not 0 <= word < R for word in words):
        return False
    try:
        points = read_points(proof)
    except ProofMalformed:
        return False
    if not (points.b == INFINITY_G2 or in_subgroup(points.b)):
        return False
    pairs = [
        (points.a, points.b),
        (_negated(key.alpha), key.beta),
        (_negated(_summed(key, words)), key.gamma),
        (_negated(points.c), key.delta),
    ]
    return pairings_cancel(pairs)


def _summed(key: VerifyingKey, words: Sequence[int]) -> Point:
    total = to_jacobian(key.ic[0])
    for word, point in zip(words, key.ic[1:], strict=True):
        total = plus(total, times(to_jacobian(point), word))
    return to_affine([total])[0]


def _negated(point: Point) -> Point:
    return point[0], -point[1] % Q


__all__ = ["holds"]
