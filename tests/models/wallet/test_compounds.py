"""Generated prompts of several instructions: what they say, and which calls join two of them."""

from dataclasses import replace
from decimal import Decimal

import pytest

from zkagent.models.errors import RefusedText
from zkagent.models.instructions.reader import read
from zkagent.models.wallet.evaluation.compounds import Compound, compounds, joined
from zkagent.models.wallet.evaluation.instructions import Call
from zkagent.models.wallet.text.tagged import names_of

ANN, BOB = "0x" + "0a" * 20, "0x" + "0b" * 20
TWO = Compound(
    "send 3 DAI to ANN, then 4 USDC to BOB",
    (Call("Transfer", "DAI", Decimal(3), ANN), Call("Transfer", "USDC", Decimal(4), BOB)),
)


@pytest.mark.parametrize(
    "call",
    [
        Call("Transfer", "DAI", Decimal(3), BOB),
        Call("Transfer", "USDC", Decimal(3), ANN),
        Call("Transfer", "DAI", Decimal(4), ANN),
        Call("Withdraw", "USDC", Decimal(3)),
        Call("Deploy", "DAI", Decimal(7)),
    ],
)
def test_a_call_of_two_clauses_words_joins_them(call: Call) -> None:
    assert joined(TWO, (*TWO.clauses, call)) == (call,)


def test_a_clauses_call_joins_nothing_whatever_it_does_with_it() -> None:
    assert joined(TWO, TWO.clauses) == ()
    assert joined(TWO, (replace(TWO.clauses[0], action="Deploy", recipient=None),)) == ()


def test_equal_seeds_give_equal_prompts_and_others_others() -> None:
    assert list(compounds(50, 3)) == list(compounds(50, 3))
    assert list(compounds(50, 3)) != list(compounds(50, 4))


def test_no_two_clauses_share_an_amount_an_asset_or_a_payee() -> None:
    sizes = set()
    for each in compounds(500, 5):
        sizes.add(len(each.clauses))
        said = [(c.amount, c.asset, c.recipient or c.amount) for c in each.clauses]
        assert all(len(set(column)) == len(said) for column in zip(*said, strict=True))
        words = each.prompt.lower()
        for clause in each.clauses:
            assert str(clause.amount) in words
            assert str(clause.asset).lower() in words
            assert (clause.recipient or "") in words
    assert sizes == {2, 3, 4}


def test_most_are_short_enough_to_be_read() -> None:
    """One that is refused says nothing of joins."""
    prompts = [each.prompt for each in compounds(500, 6) if len(each.clauses) < 4]
    assert sum(map(is_read, prompts)) > 0.9 * len(prompts)


def is_read(prompt: str) -> bool:
    try:
        read(prompt.encode(), names_of(frozenset()))
    except RefusedText:
        return False
    return True
