"""Python's decoder of instructions and the contract say the same."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.support.decoder_chain import DecoderChain
from tests.support.instructions import (
    BOOK,
    CONTACTS,
    MANIFEST,
    OWNER,
    TOOLS_HELD,
    Asked,
    asked,
    numbers,
    read_tokens,
)
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import ModelError
from zkagent.models.instructions.calls import Tag
from zkagent.verifier_contracts.chain.local import Anvil

QUICK = 300


@pytest.fixture
def decoders(chain: Anvil) -> DecoderChain:
    return DecoderChain(chain)


def expected(question: Asked) -> Decision | str:
    try:
        return question.decided()
    except ModelError as error:
        return type(error).__name__


def assert_agrees(decoders: DecoderChain, question: Asked) -> str:
    """What they agree on: a kind of decision, or an error's name."""
    wanted, found = expected(question), decoders.said(question)
    if isinstance(wanted, str):
        assert found == wanted, question
        return wanted
    assert not isinstance(found, str), (question, wanted, found)
    final, answer, tool, (params, encoded), reasoning = found  # type: ignore[misc]
    if wanted.kind != "call":
        assert (final, answer) == (True, wanted.answer.encode()), (question, wanted)
        return wanted.kind
    assert not final, (question, wanted, answer)
    assert tool == decoders.tool_named(wanted.action, question.tools), (question, wanted)
    values = b"".join(value.to_bytes(32, "big") for value in wanted.values)
    assert (encoded, reasoning) == (values, wanted.reasoning.encode()), (question, wanted)
    assert b"".join(value for _, value in params) == values
    return f"call {wanted.action}"


def decided_alike(chain: Anvil, seed: int, questions: int) -> Counter[str]:
    """What so many random questions come to, all alike."""
    rng, decoders = random.Random(seed), DecoderChain(chain)
    return Counter(assert_agrees(decoders, asked(rng)) for _ in range(questions))


def test_python_and_the_contract_decide_alike(chain: Anvil) -> None:
    kinds = decided_alike(chain, 1, QUICK)
    calls = {"call ViewBalance", "call Deploy", "call Withdraw", "call Transfer"}
    assert calls | {"done", "ask", "decline", "doubtful", "help"} <= set(kinds), kinds


@pytest.mark.parametrize("kept", ["29.999999", "30", "30.000001", "0.0000001"])
def test_what_is_to_be_left_may_be_all_there_is(decoders: DecoderChain, kept: str) -> None:
    prompt = f"withdraw all usdc but {kept}".encode()
    tokens = read_tokens(prompt)
    tags = [Tag.NONE, Tag.WITHDRAW, Tag.ARGUMENT, *[Tag.NONE] * (len(tokens) - 3)]
    told = b"The balance is: 30 usdc in the pool, 1 usdc in the wallet"
    entry = MANIFEST.prefixes[0] + b'{"asset":"usdc"}\nObservation: ' + told + b"\n"
    context = Context(prompt, (entry,), BOOK, CONTACTS, OWNER, 0)
    kinds = {"30": "zero", "30.000001": "short", "0.0000001": "doubtful"}
    question = Asked(context, tokens, TOOLS_HELD, numbers(1, 0, tags))
    assert assert_agrees(decoders, question) == kinds.get(kept, "call Withdraw")


def test_numbers_of_no_network_are_refused(decoders: DecoderChain) -> None:
    prompt = b"show usdc"
    context = Context(prompt, (), BOOK, CONTACTS, OWNER, 0)
    refused = [4 << 45, -1, 1 << 62, *(n << 3 * place for n in (6, 7) for place in range(15))]
    numbers_ = [(-1, first, 0) for first in refused]
    numbers_ += [(-1, 0, second) for second in (1 << 45, -1, *refused[3:])]
    for y in numbers_:
        question = Asked(context, read_tokens(prompt), TOOLS_HELD, y)
        assert expected(question) == "OutputOutOfRange"
        assert decoders.said(question) == "NotTags"
    assert decoders.said(replace(question, y=(-1, 0, 0)))


@pytest.mark.slow
def test_python_and_the_contract_decide_3000_questions_alike(chain: Anvil) -> None:
    kinds = decided_alike(chain, 2, 3000)
    others = {"report", "zero", "unreadable", "no_tool", "short", "DuplicateTool", "NobodyToPay"}
    assert others <= set(kinds), kinds
