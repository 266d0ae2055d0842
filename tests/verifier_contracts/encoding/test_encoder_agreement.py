"""Python's encoder and decoder and the contracts say the same, about contexts of every kind.

ZKAGENT_CONTEXTS sets the number of contexts of the quick run; the slow one takes 2,500.
"""

import os
import random
import re

import pytest

from tests.support.agreement import AMBIGUOUS, assert_agreement
from tests.support.contexts import BOOKS, random_context
from tests.support.encoding_chain import (
    EncodingChain,
    Question,
    made_up_tables,
)
from tests.support.hostile_contexts import hostile_contexts
from tests.support.models import DRAFT
from tests.support.outputs import random_output, random_tools
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.languages import word_filter
from zkagent.models.encoding.manifest import Manifest
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.compile import PACKAGE

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


def agreed(chain: Anvil, seed: int, count: int) -> list[str]:
    """What so many contexts came to."""
    tables = made_up_tables(seed)
    asked = questions(seed, count, DRAFT)
    return assert_agreement(EncodingChain(chain, DRAFT, tables), DRAFT, tables, asked)


def test_python_and_the_contracts_agree(chain: Anvil) -> None:
    kinds = agreed(chain, 1, QUICK)
    assert {"call", "missing", "no_tool", "report"} <= set(kinds)
    assert kinds.count(AMBIGUOUS) > QUICK // 20


def test_the_contracts_list_the_words_of_other_languages_that_python_lists() -> None:
    source = (PACKAGE / "src" / "encoding" / "Languages.sol").read_text()
    assert bytes.fromhex("".join(re.findall(r'hex"([0-9a-f]+)"', source))) == word_filter()


def test_prompts_in_other_languages_are_asked_about_alike(chain: Anvil) -> None:
    """Also where words are unknown, counted clause by clause."""
    rng = random.Random(4)
    tables = made_up_tables(4)
    pieces = (
        "envia",
        "Nicht",
        "withdraw",
        "deposit",
        "send",
        "grok",
        "zorb",
        "5",
        "USDC",
        '"',
        ".",
    )
    pieces += ("0x" + "11" * 20, "quux,", "is?", "nicht's", "e-mail")
    prompts = [" ".join(rng.choices(pieces, k=rng.randrange(1, 9))) for _ in range(200)]
    asked = [
        Question(
            Context(prompt.encode(), (), BOOKS[0]),
            random_tools(rng, DRAFT),
            random_output(rng, DRAFT),
        )
        for prompt in prompts
    ]
    kinds = assert_agreement(EncodingChain(chain, DRAFT, tables), DRAFT, tables, asked)
    assert kinds.count(AMBIGUOUS) > 10


@pytest.mark.slow
def test_python_and_the_contracts_agree_on_2500_contexts(chain: Anvil) -> None:
    kinds = agreed(chain, 2, 2500)
    refusals = {"EmptyPrompt", "PromptTooLong", "PromptNotAscii", "TooManyTokens"}
    refusals |= {"TooManyCandidates", "AddressChecksum", "UnknownDecimals", "DuplicateTool"}
    refusals |= {"AmountTooPrecise", "AmountTooLarge"}
    decisions = {"call", "report", "ask", "decline", "missing", "no_tool", "zero", "unreadable"}
    assert refusals | decisions <= set(kinds)
    assert kinds.count("call with an observed amount") > 20
    assert kinds.count("call with an amount of the prompt") > 20
    assert kinds.count(AMBIGUOUS) > 250
