"""What a reader is compared with."""

import pytest

from zkagent.models.reader.baselines import TfIdf
from zkagent.models.reader.labelled import Parameter, Tool

TOOLS = (
    Tool(name="BookRoom", description="book a room in a hotel"),
    Tool(name="BookTable", description="book a table in a restaurant"),
    Tool(
        name="Send",
        description="send money",
        parameters=(Parameter(name="recipient", description="who gets it"),),
        examples=("wire some cash",),
    ),
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("book a room", 0),
        ("I want a table", 1),
        ("the recipient is bob", 2),  # by its parameter
        ("some cash please", 2),  # by its example
        ("book it", 0),  # two have the word: the first of equals, both have as many others
        ("hello", 0),  # nobody has it
        ("", 0),
    ],
)
def test_the_tool_with_the_rarest_words_of_the_prompt_is_chosen(prompt: str, expected: int) -> None:
    assert TfIdf(TOOLS).choose(prompt, (0, 1, 2)) == expected


def test_only_tools_at_the_places_are_chosen_among() -> None:
    assert TfIdf(TOOLS).choose("book a room", (2, 1)) == 1
    assert TfIdf(TOOLS).choose("send money", (1, 0)) == 0


def test_a_word_that_all_tools_have_counts_least() -> None:
    tools = [Tool(name="One", description="the one word"), Tool(name="Two", description="the the")]
    assert TfIdf(tools).choose("the word", (1, 0)) == 1
