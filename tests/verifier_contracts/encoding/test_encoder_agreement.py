"""Python's encoder and decoder and the contracts say the same, about contexts of every kind.

ZKAGENT_CONTEXTS sets the number of contexts of the quick run; the slow one takes 2,500.
"""

import os
import random

import pytest

from tests.models.policies import DRAFT
from tests.support.agreement import assert_same_outcome, in_python
from tests.support.contexts import random_context
from tests.support.hostile_contexts import hostile_contexts
from tests.support.outputs import random_output, random_tools
from tests.verifier_contracts.encoding.encoding_chain import (
    EncodingChain,
    Question,
    made_up_tables,
)
from zkagent.models.encoding.encoder import Tables
from zkagent.models.encoding.manifest import Manifest
from zkagent.verifier_contracts.chain.local import Anvil

QUICK = int(os.environ.get("ZKAGENT_CONTEXTS", "300"))


def questions(seed: int, count: int, manifest: Manifest) -> list[Question]:
    """Four plain contexts to one hostile one, each with tools and an output."""
    rng = random.Random(seed)
    hostile = count // 5
    contexts = [random_context(rng, manifest) for _ in range(count - hostile)]
    contexts += hostile_contexts(rng, manifest, hostile)
    return [
        Question(c, random_tools(rng, manifest), random_output(rng, manifest)) for c in contexts
    ]


def assert_agreement(
    chain: Anvil, manifest: Manifest, tables: Tables, asked: list[Question]
) -> list[str]:
    """What the contexts came to: kinds of decisions, names of refusals."""
    contracts = EncodingChain(chain, manifest, tables)
    kinds = []
    for question, outcome in zip(asked, contracts.ask(asked), strict=True):
        x, expected = in_python(question, manifest, tables)
        assert outcome.features == x, question.context
        addresses = contracts.address_tools(question.tools)
        kinds.append(assert_same_outcome(expected, outcome, addresses, question))
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
