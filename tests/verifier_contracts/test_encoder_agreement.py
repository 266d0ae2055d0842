"""Python's encoder and decoder and the contracts say the same, about contexts of every kind.

ZKAGENT_CONTEXTS sets the number of contexts of the quick run; the slow one takes 2,500.
"""

import os
import random
from collections.abc import Sequence

import pytest

import models.errors
from models.context import Context
from models.decoder import Decision, decode
from models.encoder import Tables, encode, parse_context
from models.errors import RefusedArgument, RefusedText
from models.manifest import Manifest
from tests.contexts import OUTSIDE, adversarial_contexts, random_context
from tests.models.policies import DRAFT
from tests.outputs import random_output, random_tools
from tests.verifier_contracts.encoding_chain import (
    EncodingChain,
    Outcome,
    Question,
    made_up_tables,
)
from verifier_contracts.chain import Anvil
from verifier_contracts.reverts import Revert

QUICK = int(os.environ.get("ZKAGENT_CONTEXTS", "300"))
DECIMALS = {token: known for token, known in OUTSIDE.items() if known is not None}
PARAM_CODES = {"address": 1, "uint": 4}
Expected = tuple[tuple[int, ...] | None, Decision | Exception]


def questions(seed: int, count: int, manifest: Manifest) -> list[Question]:
    """Four plain contexts to one hostile one, each with tools and an output."""
    rng = random.Random(seed)
    hostile = count // 5
    contexts = [random_context(rng, manifest) for _ in range(count - hostile)]
    contexts += adversarial_contexts(rng, manifest, hostile)
    return [
        Question(c, random_tools(rng, manifest), random_output(rng, manifest)) for c in contexts
    ]


def in_python(question: Question, manifest: Manifest, tables: Tables) -> Expected:
    """Features (None when refused), and the decision or the refusal."""
    context = question.context
    x = None
    try:
        parse = parse_context(context, manifest.prefixes, manifest.balance_index)
        x = encode(context, parse, tables, len(manifest.actions))
        return x, decode(
            question.output, context, parse, manifest, tools=question.tools, decimals=DECIMALS
        )
    except (RefusedText, RefusedArgument) as exc:
        return x, exc


def assert_same_refusal(expected: Exception, found: Revert, context: Context) -> None:
    """By name and by message, which tells every argument."""
    assert found.name == type(expected).__name__, found
    arguments = list(found.arguments.values())
    if found.name == "AddressChecksum":
        (position,) = arguments
        arguments.append(context.prompt[position : position + 42].decode())
    elif found.name == "UnknownDecimals":
        arguments = [arguments[0].lower()]
    assert str(getattr(models.errors, found.name)(*arguments)) == str(expected)


def assert_same_decision(
    expected: Decision, outcome: Outcome, addresses: Sequence[str], question: Question
) -> None:
    found = outcome.decision
    if expected.kind != "call":
        assert found.final == expected.answer.encode("utf-8", "surrogateescape")
        return
    tool = next(t for t in question.tools if t.name == expected.action)
    assert found.final is None
    assert found.tool == addresses[question.tools.index(tool)].lower()
    words = [value.to_bytes(32, "big") for value in expected.values]
    codes = [PARAM_CODES[kind] for kind in tool.parameter_types]
    assert found.values == tuple(zip(codes, words, strict=True))
    assert found.encoded == b"".join(words)
    assert found.reasoning == expected.reasoning.encode()


def assert_agreement(
    chain: Anvil, manifest: Manifest, tables: Tables, asked: list[Question]
) -> list[str]:
    """What the contexts came to: kinds of decisions, names of refusals."""
    contracts = EncodingChain(chain, manifest, tables)
    kinds = []
    for question, outcome in zip(asked, contracts.ask(asked), strict=True):
        x, expected = in_python(question, manifest, tables)
        assert outcome.features == x, question.context
        if isinstance(expected, Decision):
            assert outcome.refusal is None, (question, outcome.refusal)
            addresses = contracts.address_tools(question.tools)
            assert_same_decision(expected, outcome, addresses, question)
            observed = any(a.source == "observation" for a in expected.arguments)
            kinds.append("call with an observed amount" if observed else expected.kind)
        else:
            assert outcome.refusal is not None, (question, expected)
            assert_same_refusal(expected, outcome.refusal, question.context)
            kinds.append(type(expected).__name__)
    return kinds


def test_python_and_the_contracts_agree(chain: Anvil) -> None:
    kinds = assert_agreement(chain, DRAFT, made_up_tables(1), questions(1, QUICK, DRAFT))
    assert {"call", "missing", "no_tool", "report"} <= set(kinds)


@pytest.mark.slow
def test_python_and_the_contracts_agree_on_2500_contexts(chain: Anvil) -> None:
    kinds = assert_agreement(chain, DRAFT, made_up_tables(2), questions(2, 2500, DRAFT))
    refusals = {"EmptyPrompt", "PromptTooLong", "PromptNotAscii", "TooManyTokens"}
    refusals |= {"TooManyCandidates", "AddressChecksum", "UnknownDecimals", "DuplicateTool"}
    refusals |= {"AmountTooPrecise", "AmountTooLarge"}
    decisions = {"call", "report", "ask", "decline", "missing", "no_tool", "zero", "unreadable"}
    assert refusals | decisions <= set(kinds)
    assert kinds.count("call with an observed amount") > 20
