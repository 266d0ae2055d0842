"""Codes to features and numbers to tags: what the contract does with bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.models.errors import OutputOutOfRange
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.codes import PRESENT
from zkagent.models.instructions.packing import TOKENS, Verdict, features_of, said

CODES = st.lists(st.integers(PRESENT, 2 * PRESENT - 1), min_size=1, max_size=TOKENS)
TAGS = st.lists(st.sampled_from(Tag), min_size=TOKENS, max_size=TOKENS)


def test_a_code_is_three_features_from_the_highest_bit_on() -> None:
    assert features_of([PRESENT])[:4] == (-32768, 0, 0, 0)
    assert features_of([0x8001_7FFF_FFFE, 0xFFFF_0000_0001])[:7] == (-32767, 32767, -2, -1, 0, 1, 0)


@given(CODES)
def test_features_have_the_codes_bits_in_order(codes: list[int]) -> None:
    x = features_of(codes)
    bits = "".join(f"{value % (1 << 16):016b}" for value in x)
    assert bits == "".join(f"{code:048b}" for code in codes).ljust(48 * TOKENS, "0")
    assert all(-(1 << 15) <= value < 1 << 15 for value in x)


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(0, 3), TAGS, st.integers(1, TOKENS))
def test_what_is_said_is_what_was_packed(
    margin: int, other: int, tags: list[Tag], tokens: int
) -> None:
    """As the network packs tags: three bits each, the first the highest, 15 to a number."""
    first, second = (
        sum(tag << 3 * (14 - i) for i, tag in enumerate(part)) for part in (tags[:15], tags[15:])
    )
    found = said([margin, other << 45 | first, second], tokens)
    assert (found.margin, found.other, list(found.tags)) == (margin, Verdict(other), tags[:tokens])


@pytest.mark.parametrize(
    "y", [(0, 4 << 45, 0), (0, -1, 0), (0, 0, -1), (0, 0, 1 << 45), (0, 6, 0), (0, 0, 7), (0, 0, 6)]
)
def test_numbers_that_no_network_gives_say_nothing(y: tuple[int, int, int]) -> None:
    """Of tokens behind the last as well."""
    with pytest.raises(OutputOutOfRange):
        said(y, 1)
