"""Which prompts ask for an act, each beside a neighbour that does not."""

import pytest

from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.mood import asks_for_act
from zkagent.models.reader.view import View

NOBODY = Names(lambda _: False, lambda word: word == b"bob", lambda _: False)
ACTS = (
    "send 5 usdc to bob",
    "Please send 5 usdc to bob.",
    "could you send 5 usdc to bob?",
    "hey, would you please book a table for two?",
    "ok so can u do it? thanks",
    "I want to attack the goblin",
    "i'd like you to move three steps north!",
    "i need 40 usdc out of the pool",
    "send it to Tom's account",
    "bob gets 5",
    "Two tickets; the cheap ones, please",
    "vote yes on proposal 12",
    "let's send 5",
    "send 5 to the bus stop",
    'check in "Rex"',
    "vote no, and close proposal 12",
    "on 12 vote no",
    "call it 'should we stop?' please",
    'write "do not send 5 usdc to bob"',
)
OTHERS = (
    "",
    "?!",
    "don't send 5 usdc to bob",
    "please never send 5 usdc to bob.",
    "could i send 5 usdc to bob?",
    "could you tell me what a table costs?",
    "send 5 usdc to bob?",
    "should i send 5 usdc to bob",
    "ok so is it done",
    "please, does bob take usdc",
    "how do i attack the goblin",
    "i wonder if three steps north help",
    "if it rains, send 5 usdc to bob",
    "send 5 usdc to bob once it rains",
    "i deposited 5 usdc",
    "you transferred 5 usdc",
    "yesterday bob got 5",
    "she wants 5 usdc",
    "withdraw Tom's tickets",
    "bob said send it",
    '"send 5 usdc to bob"',
    'bob said "send 5 usdc"',
    'do not check in "Rex"',
    'is "Rex" here',
    "what is 5 usdc",
    "5 usdc to bob, or not",
    "maybe send 5",
    "no on proposal 12",
    "vote, no on proposal 12",
    "pay no grant to bob",
    "let's stop here",
    "stop the payment of 5",
)


@pytest.mark.parametrize("text", ACTS)
def test_who_asks_is_heard(text: str) -> None:
    assert asks_for_act(View(text.encode(), NOBODY))


@pytest.mark.parametrize("text", OTHERS)
def test_whoever_does_not_ask_is_not(text: str) -> None:
    assert not asks_for_act(View(text.encode(), NOBODY))
