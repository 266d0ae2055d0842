"""Python's decoder of instructions and the contract say the same."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.support.decoder_chain import DecoderChain
from tests.support.encoding_chain import PARAM_TYPES
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
from tests.support.outputs import signed
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
    meant = [t for t in question.tools if t.name == wanted.action and t.parameter_types]
    assert [PARAM_TYPES[code] for code, _ in params] in [list(t.parameter_types) for t in meant]
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


@pytest.mark.parametrize(("margin", "kind"), [(96, "ask"), (97, "call Deploy")])
def test_an_agent_that_tells_no_caution_has_the_model_s(
    decoders: DecoderChain, margin: int, kind: str
) -> None:
    """150 hundredths of 64 are 96."""
    prompt = b"deposit 5 usdc"
    tokens, y = read_tokens(prompt), numbers(margin, 1, [Tag.NONE, Tag.DEPOSIT, Tag.ARGUMENT])
    for more in range(7):  # ways to tell nothing
        context = Context(prompt + b" " * more, (), BOOK, CONTACTS, None, None)
        assert assert_agrees(decoders, Asked(context, tokens, TOOLS_HELD, y)) == kind


def test_a_caution_that_is_rubbish_never_acts(decoders: DecoderChain) -> None:
    prompt = b"deposit 5 usdc"
    tokens, y = read_tokens(prompt), numbers(2**63 - 1, 1, [Tag.NONE, Tag.DEPOSIT, Tag.ARGUMENT])
    context = Context(prompt, (), BOOK, CONTACTS, None, 2**256 - 1)
    assert assert_agrees(decoders, Asked(context, tokens, TOOLS_HELD, y)) == "ask"


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        (b"120", "call Withdraw"),
        (b"0", "zero"),
        (b"120.5", "unreadable"),
        (b"120 ", "unreadable"),
        (b"", "unreadable"),
        (b"%d" % (2**255 - 1), "call Withdraw"),
        (b"%d" % 2**255, "doubtful"),
        (b"%d" % 2**256, "AmountTooLarge"),
    ],
)
def test_a_number_alone_counts_smallest_units_of_what_was_viewed(
    decoders: DecoderChain, told: bytes, kind: str
) -> None:
    """Withdrawn by a tool that takes an INT."""
    prompt = b"withdraw all usdc"
    tokens, y = read_tokens(prompt), numbers(500, 1, [Tag.NONE, Tag.WITHDRAW, Tag.ARGUMENT])
    for asset in (b"usdc", b"USDC", b"0x" + b"a1" * 20):
        seen = MANIFEST.prefixes[0] + b'{"asset":"%s"}\nObservation: The balance is: ' % asset
        context = Context(prompt, (seen + told + b"\n",), BOOK, CONTACTS, OWNER, 0)
        question = Asked(context, tokens, tuple(map(signed, TOOLS_HELD)), y)
        assert assert_agrees(decoders, question) == kind
    if kind == "call Withdraw":
        assert question.decided().values[1] == int(told)


@pytest.mark.parametrize("given", [b'{"asset":"dai"}', b"{}", b'{"asset": "usdc"}', b'usdc"}'])
def test_a_number_alone_is_of_nothing_else(decoders: DecoderChain, given: bytes) -> None:
    prompt = b"withdraw all usdc"
    tokens, y = read_tokens(prompt), numbers(500, 1, [Tag.NONE, Tag.WITHDRAW, Tag.ARGUMENT])
    seen = MANIFEST.prefixes[0] + given + b"\nObservation: The balance is: 120\n"
    context = Context(prompt, (seen,), BOOK, CONTACTS, OWNER, 0)
    assert assert_agrees(decoders, Asked(context, tokens, TOOLS_HELD, y)) == "unreadable"


def test_a_number_alone_is_not_the_wallet_s(decoders: DecoderChain) -> None:
    prompt = b"deposit all usdc"
    tokens, y = read_tokens(prompt), numbers(500, 1, [Tag.NONE, Tag.DEPOSIT, Tag.ARGUMENT])
    seen = MANIFEST.prefixes[0] + b'{"asset":"usdc"}\nObservation: The balance is: 120\n'
    context = Context(prompt, (seen,), BOOK, CONTACTS, OWNER, 0)
    assert assert_agrees(decoders, Asked(context, tokens, TOOLS_HELD, y)) == "unreadable"


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
