"""Directions of texts, against other ways to compute them."""

from math import isqrt

import numpy as np
import pytest

from zkagent.models.reader.labelled import Parameter, Tool
from zkagent.models.reader.rows import SIZE, rows_of
from zkagent.models.reader.vectors import direction, features, of_prompt, of_text, of_tool

WORDS = ["send", "money", "table", "book", "to", "a", "friend", "restaurant"]
ROWS = rows_of(WORDS, np.random.default_rng(5).normal(0, 1, (8, SIZE)), np.zeros((2, SIZE)))
SHARES = (90, 100, 40, 80)
SEND = Tool(name="sendMoney", description="Send money to a friend.")


def test_a_direction_is_truncated_towards_zero() -> None:
    vector = np.array([3, -4, *[0] * 62])
    assert direction(vector, 1024)[:2].tolist() == [614, -819]
    assert not direction(np.zeros(SIZE, dtype=np.int64), 1024).any()


def test_a_text_is_the_sum_of_its_words_in_length_1024() -> None:
    total = sum(ROWS.of(word) for word in (b"send", b"money", b"money"))
    size = isqrt(int((total * total).sum()))
    expected = [int(value * 1024 / size) for value in total.tolist()]
    assert of_text(ROWS, "send money, MONEY!").tolist() == expected


def test_the_order_of_words_and_their_case_say_nothing() -> None:
    assert of_prompt(ROWS, "send money").tolist() == of_prompt(ROWS, "Money: SEND").tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"name": "bookTable"},
        {"description": "Book a table"},
        {"parameters": (Parameter(name="restaurant"),)},
        {"examples": ("a table to book",)},
    ],
)
def test_each_part_of_a_tool_moves_its_direction(change: dict[str, object]) -> None:
    changed = SEND.model_copy(update=change)
    assert of_tool(ROWS, changed, SHARES).tolist() != of_tool(ROWS, SEND, SHARES).tolist()


def test_more_than_eight_examples_are_not_read() -> None:
    eight, nine = (SEND.model_copy(update={"examples": ("book",) * n + ("a",) * m})
                   for n, m in ((8, 0), (8, 1)))  # fmt: skip
    assert of_tool(ROWS, eight, SHARES).tolist() == of_tool(ROWS, nine, SHARES).tolist()


@pytest.mark.parametrize(
    "text", ["", "?!", "\N{SNOWMAN}" * 50, "\0\n\t", "x" * 100_000, "send " * 9000]
)
def test_any_text_has_a_direction_of_int8(text: str) -> None:
    tool = Tool(name=text, description=text, parameters=(Parameter(name=text),) * 6)
    for found in (of_prompt(ROWS, text), of_tool(ROWS, tool, SHARES)):
        assert found.shape == (SIZE,)
        assert abs(found).max() <= 127


def test_features_hold_two_numbers_each_the_first_one_higher() -> None:
    prompt, tool = np.arange(64) - 100, np.full(64, 127)
    x = features(prompt, [tool, -tool], 8)
    assert len(x) == 289
    assert x[0] == -100 * 256 + (-99 & 0xFF)
    assert x[32] == 127 * 256 + 127
    assert x[64] == -127 * 256 + 129
    assert not any(x[96:288])
    assert x[288] == 0b11
    assert all(-(1 << 15) <= each < 1 << 15 for each in x)
