"""What Python says about a context, and whether a contract says the same, refusals included."""

from collections.abc import Sequence

import zkagent.models.errors
from tests.support.contexts import OUTSIDE
from tests.support.encoding_chain import EncodingChain, Outcome, Question
from tests.support.models import DRAFT
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, argmax, decode
from zkagent.models.encoding.encoder import Tables, encode, parse_context
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.errors import RefusedArgument, RefusedText
from zkagent.verifier_contracts.chain.reverts import Revert

DECIMALS = {token: known for token, known in OUTSIDE.items() if known is not None}
AMBIGUOUS = "ask for one instruction"
PARAM_CODES = {"address": 1, "int": 3, "uint": 4}
Expected = tuple[tuple[int, ...] | None, Decision | Exception]


def in_python(question: Question, manifest: Manifest, tables: Tables) -> Expected:
    """Features (None when refused), and the decision or the refusal."""
    context = question.context
    x = None
    try:
        known = tables.vocabulary
        parse = parse_context(context, manifest.prefixes, manifest.balance_index, known)
        x = encode(context, parse, tables, len(manifest.actions))
        return x, decode(
            question.output, context, parse, manifest, tools=question.tools, decimals=DECIMALS
        )
    except (RefusedText, RefusedArgument) as exc:
        return x, exc


def assert_agreement(
    contracts: EncodingChain, manifest: Manifest, tables: Tables, asked: Sequence[Question]
) -> list[str]:
    """What the questions came to, the same on both sides: kinds of decisions, names of refusals."""
    kinds = []
    for question, outcome in zip(asked, contracts.ask(asked), strict=True):
        x, expected = in_python(question, manifest, tables)
        assert outcome.features == x, question.context
        addresses = contracts.address_tools(question.tools)
        kinds.append(assert_same_outcome(expected, outcome, addresses, question))
    return kinds


def assert_same_refusal(expected: Exception, found: Revert, context: Context) -> None:
    """By name and by message, which tells every argument."""
    assert found.name == type(expected).__name__, found
    arguments = list(found.arguments.values())
    if found.name == "AddressChecksum":
        (position,) = arguments
        arguments.append(context.prompt[position : position + 42].decode())
    elif found.name == "UnknownDecimals":
        arguments = [arguments[0].lower()]
    assert str(getattr(zkagent.models.errors, found.name)(*arguments)) == str(expected)


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


def assert_same_outcome(
    expected: Decision | Exception, outcome: Outcome, addresses: Sequence[str], question: Question
) -> str:
    """Which kind of decision or refusal it is."""
    if not isinstance(expected, Decision):
        assert outcome.refusal is not None, (question, expected)
        assert_same_refusal(expected, outcome.refusal, question.context)
        return type(expected).__name__
    assert outcome.refusal is None, (question, outcome.refusal)
    assert_same_decision(expected, outcome, addresses, question)
    if any(a.source == "observation" for a in expected.arguments):
        return "call with an observed amount"
    if any(a.slot == "amount" for a in expected.arguments):
        return "call with an amount of the prompt"
    highest = argmax(question.output[: len(DRAFT.actions) + 3])
    asks_instead = expected.kind == "ask" and highest < len(DRAFT.actions)
    return AMBIGUOUS if asks_instead else expected.kind
