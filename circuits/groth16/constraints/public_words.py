"""The public words of a statement y = f(x): features, and outputs or their fold.

A contract makes them of the bytes that it derived and was told, `executor` of what a model says.
More than two words of outputs are folded: they are a polynomial's coefficients, of which the words
are a point and its value there. The point is a hash of the key, x and the claimed y, so whoever
chooses y does not choose it, and a witness cannot answer to it: x fixes y. docs/groth16.md has the
argument.
"""

from collections.abc import Sequence

from zkagent.circuits.bn254.field import R
from zkagent.circuits.groth16.constraints.packing import WORD_BITS, Form
from zkagent.models.encoding.hashing import keccak_int

MOST_PLAIN = 2  # words of outputs that are public as they are
KEY_BYTES = 32
#: For witnesses of no key in particular.
NO_KEY = bytes(KEY_BYTES)
FEATURE_BYTES, OUTPUT_BYTES = 2, 8  # as contracts have them, whatever the words' form


def output_words(outputs: Form, count: int) -> int:
    """How many public words so many outputs take."""
    return min(outputs.words(count), MOST_PLAIN)


def point(key: bytes, x: Sequence[int], y: Sequence[int]) -> int:
    """Where outputs are folded, below the field's order. key: the Keccak-256 of its code. Raises
    ValueError for numbers that a contract's bytes cannot hold."""
    content = _bytes(x, FEATURE_BYTES) + _bytes(y, OUTPUT_BYTES)
    return keccak_int(key + content) >> (256 - WORD_BITS)


def fold(words: Sequence[int], at: int) -> int:
    """The polynomial of these coefficients, the highest first, at a point."""
    value = 0
    for word in words:
        value = (value * at + word) % R
    return value


def public_words(
    features: Form, outputs: Form, key: bytes, x: Sequence[int], y: Sequence[int]
) -> list[int]:
    """Raises ValueError for numbers beyond their forms."""
    words = outputs.pack(y)
    if len(words) > MOST_PLAIN:
        at = point(key, x, y)
        words = [at, fold(words, at)]
    return [*features.pack(x), *words]


def _bytes(numbers: Sequence[int], size: int) -> bytes:
    try:
        return b"".join(number.to_bytes(size, "big", signed=True) for number in numbers)
    except OverflowError as exc:
        raise ValueError(f"a number has more than {8 * size} bits") from exc


__all__ = ["MOST_PLAIN", "NO_KEY", "fold", "output_words", "point", "public_words"]
