"""A verifying key as a contract's code: what verifiers read, and by whose hash proofs name a key.

Its first byte is INVALID: whoever calls it fails. Then come the format's name, a mark, the model's
numbers of inputs and outputs (two bytes each), and points as the pairing takes them, 32 bytes a
coordinate, of G2 the imaginary part first: -alpha, beta, -gamma, -delta, and one for 1 and for each
public word. So e(A, B) e(-alpha, beta) e(L, -gamma) e(C, -delta) = 1 for a true proof A, B, C and
the words' sum L. The mark is 1 for a development set-up, plus twice the width of inputs where that
is less than 16 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from zkagent.circuits.bn254.curve import Q, on_curve
from zkagent.circuits.bn254.multiples import PointG1, PointG2, on_curve_g2
from zkagent.circuits.groth16.constraints.packing import FEATURES, OUTPUTS, Form
from zkagent.circuits.groth16.constraints.public_words import output_words, public_words
from zkagent.circuits.groth16.keys.zkey import VerifyingKey
from zkagent.models.encoding.hashing import keccak_int

HEAD = b"\xfegroth16 v1"
HEADER_BYTES = len(HEAD) + 5
MOST_NUMBERS = (1 << 16) - 1  # inputs or outputs, whose count has two bytes
PAIRED_BYTES = 64 + 3 * 128


@dataclass(frozen=True)
class KeyCode:
    """A key for a model of so many inputs, of input_bits bits each, and outputs."""

    inputs: int
    outputs: int
    development: bool
    key: VerifyingKey
    input_bits: int = FEATURES.bits

    @property
    def features(self) -> Form:
        """How inputs are packed."""
        return Form(self.input_bits)

    @property
    def words(self) -> int:
        """How many public words there are."""
        return self.features.words(self.inputs) + output_words(OUTPUTS, self.outputs)

    @property
    def digest(self) -> bytes:
        """The code's hash, as a chain has it."""
        return keccak_int(self.to_bytes()).to_bytes(32, "big")

    def public_words(self, x: Sequence[int], y: Sequence[int]) -> list[int]:
        """What a proof of y = f(x) has to hold for. Raises ValueError for numbers of other sizes
        or counts."""
        if (len(x), len(y)) != (self.inputs, self.outputs):
            raise ValueError(f"{len(x)} inputs and {len(y)} outputs")
        return public_words(self.features, OUTPUTS, self.digest, x, y)

    def to_bytes(self) -> bytes:
        """The contract's code."""
        key = self.key
        counts = self.inputs.to_bytes(2, "big") + self.outputs.to_bytes(2, "big")
        points = [_g1(_negated(key.alpha)), _g2(key.beta)]
        points += [_g2(_negated_g2(key.gamma)), _g2(_negated_g2(key.delta)), *map(_g1, key.ic)]
        return HEAD + bytes([_mark(self.development, self.input_bits)]) + counts + b"".join(points)

    @classmethod
    def from_bytes(cls, code: bytes) -> Self:
        """Raises ValueError for what `to_bytes` does not make; whether points of G2 are in its
        subgroup is for a pairing to say."""
        mark, *counts = code[len(HEAD) : HEADER_BYTES] or [NO_MARK]
        if not code.startswith(HEAD) or len(counts) != 4 or mark not in MARKS:
            raise ValueError("its first bytes are others")
        development, bits = MARKS[mark]
        inputs, outputs = (int.from_bytes(counts[at : at + 2], "big") for at in (0, 2))
        empty = cls(inputs, outputs, development, _NO_KEY, bits)
        size = HEADER_BYTES + PAIRED_BYTES + 64 * (empty.words + 1)
        if not inputs or not outputs or len(code) != size:
            raise ValueError(f"{len(code)} bytes for {inputs} inputs and {outputs} outputs")
        places = range(HEADER_BYTES, size, 32)
        numbers = [int.from_bytes(code[at : at + 32], "big") for at in places]
        key = VerifyingKey(
            _negated(_known(numbers[:2])),
            _known_g2(numbers[2:6]),
            _negated_g2(_known_g2(numbers[6:10])),
            _negated_g2(_known_g2(numbers[10:14])),
            tuple(_known(numbers[at : at + 2]) for at in range(14, len(numbers), 2)),
        )
        return replace(empty, key=key)


def _mark(development: bool, input_bits: int) -> int:
    return development + 2 * (input_bits % FEATURES.bits)


#: What each mark says.
MARKS = {
    _mark(development, bits): (development, bits)
    for development in (False, True)
    for bits in range(2, FEATURES.bits + 1)
}
NO_MARK = 2


def key_code(key: VerifyingKey, inputs: int, outputs: int, *, development: bool) -> bytes:
    """The code of a key's contract."""
    return KeyCode(inputs, outputs, development, key).to_bytes()


_NO_KEY = VerifyingKey((0, 0), ((0, 0), (0, 0)), ((0, 0), (0, 0)), ((0, 0), (0, 0)), ())


def _known(numbers: Sequence[int]) -> PointG1:
    x, y = numbers
    if max(numbers) >= Q or not on_curve((x, y)):
        raise ValueError("a point is not on its curve")
    return x, y


def _known_g2(numbers: Sequence[int]) -> PointG2:
    x1, x0, y1, y0 = numbers
    if max(numbers) >= Q or not on_curve_g2(((x0, x1), (y0, y1))):
        raise ValueError("a point is not on its curve")
    return (x0, x1), (y0, y1)


def _negated(point: PointG1) -> PointG1:
    return point[0], -point[1] % Q


def _negated_g2(point: PointG2) -> PointG2:
    x, (y0, y1) = point
    return x, (-y0 % Q, -y1 % Q)


def _g1(point: PointG1) -> bytes:
    return b"".join(number.to_bytes(32, "big") for number in point)


def _g2(point: PointG2) -> bytes:
    (x0, x1), (y0, y1) = point
    return b"".join(number.to_bytes(32, "big") for number in (x1, x0, y1, y0))


__all__ = ["HEAD", "MOST_NUMBERS", "KeyCode", "key_code"]
