"""What prompts ask for, each beside a neighbour that asks for less."""

import pytest

from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.mood import Mood, mood_of
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
    "no, send 5 instantly",
    "please do it, 5 to bob",
    "i wish to send 5",
    "may i please send 5",
    "that works and can you send 5",
    "a table for two people",
    "a car for bob until the 5th",
    "lend me 5 until friday",
    "send 5 as soon as possible",
    "the dragon must die",
    "the dragon hits 5 of us, strike it",
    "my 5 tickets to Rome, please",
    "the company needs to deposit 5",
    "feed dogs 200 grams",
    "have a break for 5",
    "have the pool take 5",
    "attack wounded goblins",
    "it is late, send 5",
    "Rex should eat 5",
    'write "do not send 5 usdc to bob"',
)
QUESTIONS = (
    "could i send 5 usdc to bob?",
    "that works can i send 5",
    "could you tell me what a table costs?",
    "send 5 usdc to bob?",
    "should i send 5 usdc to bob",
    "ok so is it done",
    "please, does bob take usdc",
    "how do i attack the goblin",
    "how much does Rex weigh?",
    "the price of 5 usdc?",
    "tell me if bob is in",
    "when does it end",
    "did bob get 5",
    "she wants 5 usdc",
    "withdraw Tom's tickets",
    "show me what bob already paid",
    'is "Rex" here',
    "what is 5 usdc",
    "people send 5 to bob",
    "might i send 5, please",
    "have you got 5",
    "have the dogs got 5?",
)
OTHERS = (
    "",
    "?!",
    "yes, please",
    "no, thanks",
    "no. so no",
    "don't send 5 usdc to bob",
    "don't tell me what 5 usdc is",
    "please never send 5 usdc to bob.",
    "isn't bob here?",
    "i wonder if three steps north help",
    "if it rains, send 5 usdc to bob",
    "when it rains, send 5",
    "send 5 as soon as it rains",
    "send 5 until it rains",
    "send 5 usdc to bob once it rains",
    "what if i send 5",
    "i deposited 5 usdc",
    "you transferred 5 usdc",
    "thanks for sending 5",
    "thank you for sending 5",
    "i could send 5",
    "i wish it were 5",
    "yesterday bob got 5",
    "bob said send it",
    '"send 5 usdc to bob"',
    'bob said "send 5 usdc"',
    'do not check in "Rex"',
    "5 usdc to bob, or not",
    "maybe send 5",
    "no on proposal 12",
    "no 5 to bob",
    "vote, no on proposal 12",
    "pay no grant to bob",
    "let's stop here",
    "stop the payment of 5",
    "forget about what it costs?",
    "the company deposits 5",
    "my neighbour asked me to send 5",
    "the old dragon hits me",
    "a voice answered: send 5",
    "the two of them are sending 5",
    "Tom is about to send 5",
    "carol voted no on proposal 9",
    "it is 3 steps north",
    "hey, ETH has dropped by 5",
)


@pytest.mark.parametrize("text", ACTS)
def test_who_asks_for_an_act_is_heard(text: str) -> None:
    assert mood_of(View(text.encode(), NOBODY)) is Mood.ACT


@pytest.mark.parametrize("text", QUESTIONS)
def test_who_asks_a_question_is_told_from_both(text: str) -> None:
    assert mood_of(View(text.encode(), NOBODY)) is Mood.QUESTION


@pytest.mark.parametrize("text", OTHERS)
def test_whoever_does_not_ask_is_not_heard(text: str) -> None:
    assert mood_of(View(text.encode(), NOBODY)) is Mood.NOTHING
