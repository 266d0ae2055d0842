"""Python and the contract read the same of a prompt: codes, amounts to the last digit, refusals.

The slow one takes 8,000 random prompts.
"""

import operator
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.support.agreement import assert_same_refusal
from tests.support.contexts import OUTSIDE
from tests.support.encoding_chain import WAYS
from tests.support.instruction_chain import Books, InstructionChain, Outcome
from tests.support.instruction_prompts import (
    FOREIGN,
    HOSTILE,
    hostile_prompts,
    made_up_table,
    random_prompt,
    random_words,
)
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.instructions.codes import word_of
from zkagent.models.instructions.packing import features_of
from zkagent.models.instructions.parse import parse_words
from zkagent.models.instructions.reader import Kind, read
from zkagent.models.wallet.text.rows import ADDRESSES
from zkagent.models.wallet.text.written import messages
from zkagent.verifier_contracts.chain.local import Anvil

TABLE = made_up_table(1)


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> InstructionChain:
    return InstructionChain(anvil, TABLE, FOREIGN)


def in_python(prompt: bytes, contracts: InstructionChain) -> tuple[bytes, bytes]:
    table = contracts.table
    tokens = read(prompt, contracts.books.names(), table.meaning, table.lists)
    x = features_of([table.code(token.kind, word_of(prompt, token)) for token in tokens])
    features = b"".join(value.to_bytes(2, "big", signed=True) for value in x)
    return features, parse_words(tokens, contracts.symbols, contracts.contacts)


def assert_same(prompt: bytes, outcome: Outcome, contracts: InstructionChain) -> str:
    """What it came to: read, or the refusal's name."""
    try:
        features, parse = in_python(prompt, contracts)
    except RefusedText as exc:
        assert outcome.refusal is not None, prompt
        assert_same_refusal(exc, outcome.refusal, Context(prompt))
        return type(exc).__name__
    assert outcome.refusal is None, (prompt, outcome.refusal)
    assert outcome.parse.hex() == parse.hex(), prompt
    assert outcome.features.hex() == features.hex(), prompt
    return "read"


def assert_agreement(contracts: InstructionChain, prompts: Sequence[bytes]) -> Counter[str]:
    outcomes = contracts.ask(prompts)
    together = zip(prompts, outcomes, strict=True)
    return Counter(assert_same(*both, contracts) for both in together)


def read_alike(chain: Anvil, seed: int, prompts: int) -> Counter[str]:
    """What so many random prompts and as many hostile ones come to, all alike, with a vocabulary of
    their own."""
    rng = random.Random(seed)
    contracts = InstructionChain(chain, made_up_table(seed), FOREIGN)
    asked = [random_prompt(rng) for _ in range(prompts)]
    return assert_agreement(contracts, [*asked, *rng.choices(hostile_prompts(), k=prompts)])


def test_what_writers_wrote_is_read_alike(contracts: InstructionChain) -> None:
    texts = [message.text for message in random.Random(1).sample(messages(), 400)]
    for mark, address in ADDRESSES.items():
        texts = [text.replace(mark, address) for text in texts]
    found = assert_agreement(contracts, [text.encode() for text in texts])
    assert found["read"] > 350


@pytest.mark.parametrize(("words", "chunks"), [(3400, 2), (4500, 3), (9000, 5), (12_000, 7)])
def test_words_of_several_contracts_are_read_alike(anvil: Anvil, words: int, chunks: int) -> None:
    table, rng = made_up_table(words, words), random.Random(words)
    assert len(table.chunks) == chunks
    contracts = InstructionChain(anvil, table, FOREIGN)
    listed = sorted(random_words(random.Random(words), words))
    asked = [" ".join(rng.choices(listed, k=20)).encode() for _ in range(60)]
    assert assert_agreement(contracts, asked)["read"] > 50


def test_random_prompts_are_read_alike(contracts: InstructionChain) -> None:
    rng = random.Random(2)
    found = assert_agreement(contracts, [random_prompt(rng) for _ in range(2000)])
    assert found["read"] > 1000
    assert set(found) == {
        "read",
        "EmptyPrompt",
        "PromptTooLong",
        "PromptNotAscii",
        "TooManyTokens",
        "AddressChecksum",
    }


def test_hostile_prompts_are_read_alike(contracts: InstructionChain) -> None:
    assert assert_agreement(contracts, HOSTILE)["read"] > 30


def test_amounts_and_what_is_nearly_one_are_read_alike_in_every_place(
    contracts: InstructionChain,
) -> None:
    prompts = hostile_prompts()
    found = random.Random(5).sample(prompts, 1000)
    assert assert_agreement(contracts, found)["read"] > 900


def test_words_of_other_languages_are_in_doubt_alike(contracts: InstructionChain) -> None:
    rng = random.Random(8)
    pieces = ("envia", "Nicht", "to nicht's", "send", "deposit", "grok", "zorb", "5", "usdc", "bob")
    pieces += (
        ".",
        "quux,",
        "all",
        "a hundred",
        "an",
        "ten",
        "5usdc",
        "bob's",
        "to bob's",
        "e-mail",
    )
    prompts = [" ".join(rng.choices(pieces, k=rng.randrange(1, 9))).encode() for _ in range(400)]
    assert assert_agreement(contracts, prompts) == {"read": 400}
    found = [read(p, contracts.books.names(), TABLE.meaning, TABLE.lists) for p in prompts]
    untold = [read(p, contracts.books.names(), TABLE.meaning) for p in prompts]
    assert 100 < sum(map(operator.ne, found, untold)) < 390


def test_an_agent_without_contacts(chain: Anvil) -> None:
    books = Books(FOREIGN.symbols)
    contracts = InstructionChain(chain, TABLE, books)
    assert contracts.contacts == bytes(20)
    assert_agreement(contracts, [b"send 5 usdc to bob", *HOSTILE])


def test_an_agent_without_books_names_tokens_by_address(contracts: InstructionChain) -> None:
    rng = random.Random(7)
    addresses = [*OUTSIDE, *OUTSIDE, *(f"0x{rng.randbytes(20).hex()}" for _ in range(5))]
    for way in range(WAYS + 1):
        agent = contracts.bookless(way, OUTSIDE)
        prompts = [
            b"%s %s" % (random_prompt(rng), rng.choice(addresses).encode()) for _ in range(60)
        ]
        prompts += [f"send 5 {a} to {b}".encode() for a, b in pairwise(addresses)]
        assert assert_agreement(agent, [*prompts, *HOSTILE])["read"] > 60
    token, *_, other = OUTSIDE
    kinds = [t.kind for t in read(f"send 5 {token} to {other}".encode(), agent.books.names())]
    assert kinds == [Kind.WORD, Kind.DIGITS, Kind.SYMBOL, Kind.WORD, Kind.ADDRESS]


@pytest.mark.slow
def test_all_amounts_are_read_alike_in_every_place(contracts: InstructionChain) -> None:
    assert_agreement(contracts, hostile_prompts())


@pytest.mark.slow
def test_8000_random_prompts_are_read_alike(contracts: InstructionChain) -> None:
    rng = random.Random(3)
    assert_agreement(contracts, [random_prompt(rng) for _ in range(8_000)])
