"""What a decision costs on chain beside its proof; docs/encoding.md tells the numbers.

Random tables cost what trained ones do. The bounds are a few percent above what was measured.
"""

import pytest

from tests.support.contexts import BOOKS, entry
from tests.support.encoding_chain import (
    EncodingChain,
    Question,
    made_up_tables,
)
from tests.support.models import DRAFT
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.verifier_contracts.chain.local import Anvil

LONG = (  # 125 characters, 21 tokens
    b"please withdraw 120.5 USDC from the pool and then send it to "
    b"0x86a2c86936b097A7c3d94C5ad0c1D0e533501854 as soon as it is, ok?"
)
SHORT = b"withdraw 250.75 USDC from the lending pool to my own wallet"  # 59, 11
BALANCE = "The balance is: 120.5 USDC in the pool, 30 USDC in the wallet"
HISTORY = (
    entry(DRAFT, "ViewBalance", BALANCE),
    entry(DRAFT, "Withdraw", "Successfully withdrawn"),
)
TOOLS = tuple(ToolSignature(a.name, tuple(p.type for p in a.parameters)) for a in DRAFT.actions)
WITHDRAW, TRANSFER = 2, 3


#: What models know: nearly all words.
KNOWN = (LONG + b" " + SHORT).decode().replace(",", "").replace("?", "").split()


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> EncodingChain:
    return EncodingChain(anvil, DRAFT, made_up_tables(4, [*KNOWN, "supply"]))


def question(prompt: bytes, history: tuple[bytes, ...], action: int) -> Question:
    """Number, symbol, address: amount, asset, recipient."""
    y = [0] * DRAFT.output_count
    y[action] = 1
    first = DRAFT.action_scores + 3
    y[first + 1] = y[first + 3] = y[first + 8] = 1
    return Question(Context(prompt, history, BOOKS[0]), TOOLS, tuple(y))


def test_a_long_request_in_its_third_iteration(contracts: EncodingChain) -> None:
    asked = question(LONG, HISTORY, TRANSFER)
    (outcome,) = contracts.ask([asked])
    assert outcome.decision.final is None, "a call, not an answer"
    first, later = contracts.measure(asked)
    assert first[0] < 97_000
    assert first[1] < 55_700
    assert later[0] < 74_000
    assert later[1] < 32_900


def test_a_short_request(contracts: EncodingChain) -> None:
    first, later = contracts.measure(question(SHORT, (), WITHDRAW))
    assert first[0] < 65_000
    assert first[1] < 51_600
    assert later[0] < 42_000
    assert later[1] < 28_900


def test_unknown_words_are_looked_up_and_counted(anvil: Anvil) -> None:
    """Of a short request: all but one word of three."""
    contracts = EncodingChain(anvil, DRAFT, made_up_tables(4, KNOWN[::3]))
    first, later = contracts.measure(question(SHORT, (), WITHDRAW))
    print(first, later)
    assert first[0] < 68_500
    assert later[0] < 45_500


def test_64_tokens_with_six_candidates_stay_affordable(contracts: EncodingChain) -> None:
    named = b"5 USDC usdc USDC usdc 0x86a2c86936b097A7c3d94C5ad0c1D0e533501854"
    asked = question(named + b" supply" * 58, HISTORY, WITHDRAW)
    (outcome,) = contracts.ask([asked])
    assert (outcome.refusal, outcome.decision.final) == (None, None), "a call, not an answer"
    first, _ = contracts.measure(asked)
    assert sum(first) < 245_000
