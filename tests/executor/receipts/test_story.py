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
        f"     {run.iterations[1].observation}",
        f"  answer: {run.answer}",
        f"  USDC is the token {USDC}",
        f"  decided by model drain, in block {run.transaction.block.number}, transaction",
        f"  {run.transaction.hash}",
    ]


def test_the_same_is_told_to_machines(receipt: Receipt) -> None:
    (run,) = told(receipt)
    assert [call["action"] for call in run["calls"]] == ["ViewBalance", "Withdraw"]
    assert run["calls"][1]["arguments"] == {"asset": "USDC", "amount": "120.5"}
    assert run["tokens"] == {"USDC": USDC}
    assert run["transaction"] == receipt.runs[0].transaction.hash


@pytest.mark.parametrize(
    ("text", "shown"),
    [("5 USDC", "5 USDC"), ("a\nb\x1b[2J", r"a\nb\x1b[2J"), ("\udcff", r"\udcff")],
)
def test_nothing_that_is_told_acts_on_a_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown
