"""Python and the contract agree on what prompts ask for, refusals alike."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.models.reader.test_mood import ACTS, OTHERS, QUESTIONS
from tests.support.agreement import assert_same_refusal
from tests.support.reader_chain import ReaderChain
from tests.support.reader_prompts import DIRECTORY, HOSTILE_PROMPTS, reader_prompt
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.reader.lexicon import CLASSES, Class
from zkagent.models.reader.mood import Mood, mood_of
from zkagent.models.reader.view import View
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.chain.reverts import Revert

LONGEST = (
    b"could you please send five hundred usdc of mine over to bob as the rent of the garden for "
    b"all of june and july and thanks"
)


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> ReaderChain:
    return ReaderChain(anvil, DIRECTORY)


def agreed(contracts: ReaderChain, prompts: Sequence[bytes]) -> Counter[str]:
    came: Counter[str] = Counter()
    for prompt, said in zip(prompts, contracts.asks(prompts), strict=True):
        try:
            expected = mood_of(View(prompt, contracts.directory.names()))
        except RefusedText as exc:
            assert isinstance(said, Revert), prompt
            assert_same_refusal(exc, said, Context(prompt))
            came[type(exc).__name__] += 1
            continue
        assert said == expected, prompt
        came[expected.name] += 1
    return came


def test_prompts_with_known_moods_have_the_same(contracts: ReaderChain) -> None:
    came = agreed(contracts, [text.encode() for text in (*ACTS, *QUESTIONS, *OTHERS)])
    assert (came["ACT"], came["QUESTION"]) == (len(ACTS), len(QUESTIONS))


def test_random_and_hostile_prompts_have_the_same(contracts: ReaderChain) -> None:
    rng = random.Random(1)
    of_moods = Class.MODAL | Class.QUESTION | Class.LEAD | Class.HALT | Class.WHOSE | Class.DUE
    told = [w.decode() for w, c in CLASSES.items() if c & (Class.DID | Class.DOES | Class.VERB)]
    moods = [w.decode() for w, c in CLASSES.items() if c & of_moods]
    words = [
        *moods,
        "you",
        "u",
        "i",
        "we",
        "send",
        "paid",
        "Tom's",
        "to",
        "5",
        "?",
        "?!",
        "...",
        ",",
        "-",
    ]
    words += ['"', "'x'", "a:b", "'s", "ed", "s", "need", "fed.", "thanks", "for", "ing", "going"]
    words += ["no", "when", "if", "see", "soon", "as", "possible", "until", "people", "wish", "it"]
    words += ["deposits", "voted", "alice", "two", ":", "not", "said", "how"]
    short = [" ".join(rng.choices(words, k=rng.randint(0, 6))).encode() for _ in range(6000)]
    subjects = ["i", "we", "i'm", "i am", "i have", "you", "it", "there", "Rex", "Rex and Tom", "5"]
    subjects += [
        "Rex just",
        "Rex and Tom just",
        "it just",
        "just just",
        "5 coins",
        "two",
        "2 euros",
        "the dog",
        "Tom'll",
        "'ll",
        "x 'll",
        "d ed",
        "'s",
        "",
    ]
    verbs = [*told, "paying", "ing", "voted", "ed", "are", "am", "got to", "once", "at once", ":"]
    for _ in range(6000):
        parts = rng.choice(subjects), rng.choice(verbs), *rng.choices(words, k=rng.randint(0, 3))
        short.append(" ".join(parts).encode())
    came = agreed(contracts, short) + agreed(contracts, HOSTILE_PROMPTS)
    came += agreed(contracts, [reader_prompt(rng) for _ in range(300)])
    assert min(came[mood.name] for mood in Mood) > 100
    assert came["TooManyTokens"] > 1


def test_gas_of_asking(contracts: ReaderChain) -> None:
    first, later = contracts.measure_asking(LONGEST)
    print(f"{len(LONGEST)} characters: {first:,} gas first, {later:,} later")
    assert first < 77_000
