"""Public words: what a chain has in its bytes, and each row of numbers in one way only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.circuits.bn254.field import R
from zkagent.circuits.groth16.constraints.packing import FEATURES, OUTPUTS, Form

INT16 = st.integers(-(1 << 15), (1 << 15) - 1)


@given(st.lists(INT16, min_size=1, max_size=40))
def test_words_are_slices_of_the_bytes_with_their_signs_turned(numbers: list[int]) -> None:
    content = b"".join(number.to_bytes(2, "big", signed=True) for number in numbers)
    turned = bytes(byte ^ (0x80 if at % 2 == 0 else 0) for at, byte in enumerate(content))
    slices = [turned[at : at + 30] for at in range(0, len(turned), 30)]
    assert FEATURES.pack(numbers) == [int.from_bytes(part, "big") for part in slices]


@pytest.mark.parametrize("bits", [1, 8, 11, 16, 64, 100])
@given(st.data())
def test_unpacking_gives_the_numbers_back(bits: int, data: st.DataObject) -> None:
    form = Form(bits)
    number = st.integers(-form.half, form.half - 1)
    numbers = data.draw(st.lists(number, min_size=1, max_size=30))
    words = form.pack(numbers)
    assert len(words) == form.words(len(numbers))
    assert max(words) < R
    assert form.unpack(words, len(numbers)) == numbers


def test_fifteen_features_and_three_outputs_make_a_word() -> None:
    assert (FEATURES.per_word, OUTPUTS.per_word) == (15, 3)
    assert [FEATURES.words(count) for count in (1, 15, 16, 137)] == [1, 1, 2, 10]


@pytest.mark.parametrize("number", [1 << 15, -(1 << 15) - 1, 1 << 70])
def test_a_number_beyond_the_width_is_not_packed(number: int) -> None:
    with pytest.raises(ValueError, match="more than 16 bits"):
        FEATURES.pack([0, number])


@pytest.mark.parametrize("word", [1 << 48, R - 1, R, -1])
def test_a_word_that_three_numbers_cannot_make_up_is_not_unpacked(word: int) -> None:
    with pytest.raises(ValueError, match="larger than"):
        FEATURES.unpack([word], 3)
