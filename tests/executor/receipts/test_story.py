"""What a receipt says that happened, in words."""

import pytest

from tests.executor.drain import AGENT, CHAIN_ID, REQUESTER, USDC
from zkagent.errors import plain
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.story import story, told


def test_each_call_its_observation_and_the_answer_are_told(receipt: Receipt) -> None:
    lines = list(story(receipt))
    run = receipt.runs[0]
    assert lines == [
        f"{REQUESTER.address.lower()} asked {AGENT} on chain {CHAIN_ID}:",
        '  "withdraw all my USDC"',
        "  1  ViewBalance(asset=USDC)",
        f"     {run.iterations[0].observation}",
        "  2  Withdraw(asset=USDC, amount=120.5)",
        f"     names 120.5 USDC (120500000 units of {USDC})",
        f"     {run.iterations[1].observation}",
        f"  answer: {run.answer}",
        f"  usdc is the token {USDC}",
        f"  decided by model drain, in block {run.transaction.block.number}, transaction",
        f"  {run.transaction.hash}",
    ]


def test_the_same_is_told_to_machines(receipt: Receipt) -> None:
    (run,) = told(receipt)
    assert [call["action"] for call in run["calls"]] == ["ViewBalance", "Withdraw"]
    assert run["calls"][1]["arguments"] == {"asset": "USDC", "amount": "120.5"}
    assert [call.get("names") for call in run["calls"]] == [
        None,
        f"120.5 USDC (120500000 units of {USDC})",
    ]
    assert run["tokens"] == {"usdc": USDC}
    assert run["transaction"] == receipt.runs[0].transaction.hash


def test_what_a_book_says_of_decimals_does_not_hide_how_many_units_move(
    receipt: Receipt,
) -> None:
    first, second, *others = receipt.runs[0].iterations
    book = tuple(x.model_copy(update={"decimals": 0}) for x in second.context.symbol_book)
    context = second.context.model_copy(update={"symbol_book": book})
    steps = (first, second.model_copy(update={"context": context}), *others)
    run = receipt.runs[0].model_copy(update={"iterations": steps})
    lines = list(story(receipt.model_copy(update={"runs": (run,)})))
    assert f"     names 120500000 USDC (120500000 units of {USDC})" in lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [("5 USDC", "5 USDC"), ("a\nb\x1b[2J", r"a\nb\x1b[2J"), ("\udcff", r"\udcff")],
)
def test_nothing_that_is_told_acts_on_a_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown
