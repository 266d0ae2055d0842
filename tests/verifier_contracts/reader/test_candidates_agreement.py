"""Python and the contract find the same candidates for parameters of all types, refusals alike.

The slow one takes 2,000 random prompts of each type.
"""

import random
from collections import Counter
from collections.abc import Sequence
from copy import copy

import pytest

from tests.support.agreement import assert_same_refusal
from tests.support.encoding_chain import NOBODY, token_code
from tests.support.reader_chain import TEXTS, ReaderChain
from tests.support.reader_prompts import DIRECTORY, HOSTILE_PROMPTS, reader_prompt
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.reader.arguments import Directory
from zkagent.models.reader.candidates import Candidate, candidates
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.verifier_contracts.chain.local import Anvil

TABLE_PROMPT = (
    b"I would like to reserve a table for four people at Bourbon Steak in San Jose, CA on March "
    b"3rd at half past 7 in the evening"
)
PAY_PROMPT = (
    b"pay bob 500 usdc for the new garden and tell the others that it was paid at last, please, as "
    b"soon as it can be done"
)


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> ReaderChain:
    return ReaderChain(anvil, DIRECTORY)


def agreed(contracts: ReaderChain, prompts: Sequence[bytes], param_type: ParamType) -> Counter[str]:
    """Kinds of candidates, and names of refusals, the same on both sides."""
    came: Counter[str] = Counter()
    for prompt, outcome in zip(prompts, contracts.ask(prompts, param_type), strict=True):
        try:
            expected = candidates(prompt, param_type, contracts.directory.names())
        except RefusedText as exc:
            assert outcome.refusal is not None, prompt
            assert_same_refusal(exc, outcome.refusal, Context(prompt))
            came[type(exc).__name__] += 1
            continue
        assert outcome.refusal is None, (prompt, outcome.refusal)
        assert outcome.found == expected, prompt
        came.update(candidate.kind.name for candidate in expected)
    return came


@pytest.mark.parametrize("param_type", ParamType)
def test_random_prompts_have_the_same(contracts: ReaderChain, param_type: ParamType) -> None:
    rng = random.Random(param_type)
    came = agreed(contracts, [reader_prompt(rng) for _ in range(200)], param_type)
    assert sum(came[kind.name] for kind in Kind) > 20


@pytest.mark.parametrize("param_type", ParamType)
def test_hostile_prompts_have_the_same(contracts: ReaderChain, param_type: ParamType) -> None:
    assert agreed(contracts, HOSTILE_PROMPTS, param_type)["TooManyTokens"] > 1


LITERALS = [kind for kind in ParamType if kind not in TEXTS]


@pytest.mark.parametrize(
    "param_types",
    [list(TEXTS), LITERALS, [ParamType.UINT, ParamType.BOOL, ParamType.UINT], LITERALS[::-1]],
)
def test_types_that_are_looked_for_together_have_what_each_has(
    contracts: ReaderChain, param_types: list[ParamType]
) -> None:
    """A prompt that one of them refuses is refused for all."""
    rng = random.Random(len(param_types))
    prompts = [*(reader_prompt(rng) for _ in range(60)), *HOSTILE_PROMPTS]
    found = 0
    for prompt, (all_of, refusal) in zip(
        prompts, contracts.ask_all(prompts, param_types), strict=True
    ):
        assert (all_of, refusal) == in_python(prompt, param_types), prompt
        found += sum(map(len, all_of))
    assert found > 100


def in_python(
    prompt: bytes, param_types: Sequence[ParamType]
) -> tuple[list[tuple[Candidate, ...]], str]:
    try:
        found = [candidates(prompt, kind, DIRECTORY.names()) for kind in param_types]
    except RefusedText as exc:
        return [], type(exc).__name__
    return [tuple(each) for each in found], ""


@pytest.mark.parametrize(
    "param_types", [[*TEXTS, ParamType.BOOL], [ParamType.BOOL, ParamType.STRING]]
)
def test_types_that_the_contract_does_not_read_are_refused_among_others(
    contracts: ReaderChain, param_types: list[ParamType]
) -> None:
    (_, refusal), *_ = contracts.ask_all([b"pay"], param_types)
    assert refusal == "UnreadParamType"


def test_all_kinds_are_found(contracts: ReaderChain) -> None:
    rng = random.Random(1)
    prompts = [reader_prompt(rng) for _ in range(300)]
    came: Counter[str] = Counter()
    for param_type in (ParamType.STRING, ParamType.ADDRESS, ParamType.INT, ParamType.BOOL):
        came += agreed(contracts, prompts, param_type)
    came += agreed(contracts, prompts, ParamType.BYTES) + agreed(
        contracts, prompts, ParamType.STRING_ARRAY
    )
    assert set(came) >= {kind.name for kind in Kind}


def test_an_agent_without_books_names_tokens_by_address(contracts: ReaderChain) -> None:
    """Of two addresses one tells decimals, so it is a token's."""
    rng = random.Random(9)
    token, other = "0x" + "b1" * 20, "0x" + "b2" * 20
    contracts.chain.rpc("anvil_setCode", token, "0x" + token_code(token, 6).hex())
    agent = copy(contracts)
    agent.agent, agent.directory = NOBODY, Directory(tokens=frozenset({token}))
    prompts = [reader_prompt(rng)[:300] + f" {token} {other}".encode() for _ in range(100)]
    for param_type in (ParamType.ADDRESS, ParamType.UINT, ParamType.STRING):
        came = agreed(agent, prompts, param_type)
    assert came["CONTACT"] == 0
    came = agreed(agent, [f"send {token} to {other}".encode()], ParamType.ADDRESS)
    assert (came["SYMBOL"], came["ADDRESS"]) == (1, 1)


@pytest.mark.parametrize(
    ("prompt", "param_type", "first", "later"),
    [
        (TABLE_PROMPT, ParamType.STRING, 133_000, 121_000),
        (b"find me a cheap hotel", ParamType.STRING, 57_000, 45_000),
        (PAY_PROMPT, ParamType.UINT, 115_000, 102_000),
        (PAY_PROMPT, ParamType.ADDRESS, 127_000, 114_000),
        (b"turn the heating on and do not open any window today", ParamType.BOOL, 61_000, 48_000),
    ],
)
def test_gas(
    contracts: ReaderChain, prompt: bytes, param_type: ParamType, first: int, later: int
) -> None:
    """What docs/reader.md says, rounded up; with the long books of these tests."""
    measured = contracts.measure(prompt, param_type)
    assert measured[0] <= first
    assert measured[1] <= later


def test_two_types_together_cost_little_more_than_one(contracts: ReaderChain) -> None:
    """Looking at the prompt, which the caller does, included."""
    one = contracts.measure_all(PAY_PROMPT, [ParamType.ADDRESS])
    both = contracts.measure_all(PAY_PROMPT, [ParamType.ADDRESS, ParamType.UINT])
    print(f"accounts {one:,} gas, and numbers {both:,}")
    assert both <= 215_000
    assert both - one < 0.2 * contracts.measure(PAY_PROMPT, ParamType.UINT)[1]


@pytest.mark.slow
@pytest.mark.parametrize("param_type", ParamType)
def test_2000_random_prompts_have_the_same(contracts: ReaderChain, param_type: ParamType) -> None:
    rng = random.Random(100 + param_type)
    agreed(contracts, [reader_prompt(rng) for _ in range(2000)], param_type)
