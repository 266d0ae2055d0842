"""What an observation adds to a prompt's candidates, and what it must not."""

import pytest

from zkagent.models.errors import PromptNotAscii
from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.candidates import MOST_CANDIDATES, candidates
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.observations import candidates_with

ANN = "0x" + "12" * 20
NAMES = Names({b"usdc"}.__contains__, {b"bob"}.__contains__, {ANN.encode()}.__contains__)


def observed(observation: str, param_type: ParamType, prompt: str = "do it") -> list[str]:
    found = candidates_with(prompt.encode(), observation.encode(), param_type, NAMES)
    return [observation[c.start : c.end] for c in found if c.observed]


def test_numbers_addresses_and_quoted_text_are_read() -> None:
    assert observed("-5 of 7.5 USDC", ParamType.INT) == ["5", "7.5"]
    assert observed(f"paid by {ANN}", ParamType.ADDRESS) == [ANN]
    assert observed("hash 0xabcd", ParamType.BYTES) == ["0xabcd"]
    assert observed("named 'the one'", ParamType.STRING) == ["the one"]
    assert observed("1, 2 and 3", ParamType.UINT_ARRAY) == ["1, 2 and 3"]


@pytest.mark.parametrize(
    ("observation", "param_type"),
    [
        ("pay bob, usdc or me", ParamType.ADDRESS),
        ("five, half, 50%, $5 or all", ParamType.UINT),
        ("Say Hello on March 3rd", ParamType.STRING),
        ("yes, approve it", ParamType.BOOL),
        ("1, five", ParamType.UINT_ARRAY),
        ("Ann and Bob", ParamType.STRING_ARRAY),
    ],
)
def test_words_of_an_observation_are_nobodys_wish(observation: str, param_type: ParamType) -> None:
    assert not observed(observation, param_type)


@pytest.mark.parametrize(
    "observation",
    ["5" + "é", "5\n", "5 " * 65, "5 " + "a" * 511, "5 0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
)
def test_no_observation_refuses_a_decision(observation: str) -> None:
    assert candidates_with(b"do 7", observation.encode(), ParamType.UINT) == candidates(
        b"do 7", ParamType.UINT
    )


def test_the_prompt_is_refused_as_ever() -> None:
    with pytest.raises(PromptNotAscii):
        candidates_with(b"\n", b"5", ParamType.UINT)


def test_the_prompts_candidates_come_first_and_are_eight_with_the_others() -> None:
    prompt = b"1 a 2 a 3 a 4 a 5 a 6 a 7"
    found = candidates_with(prompt, b"8 a 9", ParamType.UINT)
    assert [c.observed for c in found] == [False] * 7 + [True]
    assert len(candidates_with(prompt + b" a 8", b"9", ParamType.UINT)) == MOST_CANDIDATES
