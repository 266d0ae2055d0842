"""What contracts make of bytes, computed here from the bytes alone."""

import pytest
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from zkagent.circuits.bn254.field import R
from zkagent.circuits.groth16.constraints.packing import FEATURES, OUTPUTS
from zkagent.circuits.groth16.constraints.public_words import fold, point, public_words

KEY = bytes(range(32))
INT16 = st.integers(-(1 << 15), (1 << 15) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


def slices(content: bytes, size: int, width: int) -> list[int]:
    """Numbers of `size` bytes at most, each number of `width` bytes with its sign bit turned."""
    turned = bytes(byte ^ (0x80 if at % width == 0 else 0) for at, byte in enumerate(content))
    return [int.from_bytes(turned[at : at + size], "big") for at in range(0, len(turned), size)]


@given(st.lists(INT16, min_size=1, max_size=40), st.lists(INT64, min_size=1, max_size=30))
def test_words_follow_from_the_bytes_of_features_and_output(x: list[int], y: list[int]) -> None:
    features = b"".join(number.to_bytes(2, "big", signed=True) for number in x)
    output = b"".join(number.to_bytes(8, "big", signed=True) for number in y)
    words = slices(output, 24, 8)
    if len(y) > 6:
        at = int.from_bytes(keccak(KEY + features + output), "big") >> 3
        powers = [pow(at, exponent, R) for exponent in reversed(range(len(words)))]
        words = [at, sum(w * p for w, p in zip(words, powers, strict=True)) % R]
    expected = [*slices(features, 30, 2), *words]
    assert public_words(FEATURES, OUTPUTS, KEY, x, y) == expected
    assert max(expected) < R


def test_the_point_is_another_one_for_any_other_key_x_or_y() -> None:
    x, y = [1, 2, 3], [4, 5, 6]
    found = {
        point(key, inputs, outputs)
        for key in (KEY, bytes(32))
        for inputs in (x, [1, 2, 4], [-1, 2, 3])
        for outputs in (y, [4, 5, 7], [5, 4, 6])
    }
    assert len(found) == 18


def test_the_fold_is_a_polynomial_with_the_highest_coefficient_first() -> None:
    assert fold([3, 5, 7], 10) == 357
    assert fold([R - 1, 1], R - 1) == 2


@pytest.mark.parametrize(("x", "y"), [([1 << 15], [0] * 7), ([0], [1 << 63, *[0] * 6])])
def test_numbers_that_bytes_cannot_hold_are_refused(x: list[int], y: list[int]) -> None:
    with pytest.raises(ValueError, match="more than"):
        public_words(FEATURES, OUTPUTS, KEY, x, y)
