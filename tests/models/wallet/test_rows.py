"""Messages with labels as rows of an evaluation: amounts by the balances that rows have."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from zkagent.models.wallet.evaluation.instructions import load_instructions
from zkagent.models.wallet.played import UNSAID
from zkagent.models.wallet.text.rows import ADDRESSES, POOL, WALLET, amount_of, rows
from zkagent.models.wallet.text.written import messages, understood


def calls(label: str) -> list[list[str]]:
    (row,) = rows([understood(1, f"pair | to {{A}} and {{B}} | {label}")])
    found = row["calls"]
    assert isinstance(found, list)
    return [list(call.values()) for call in found]


def test_labels_amounts_are_of_what_is_there() -> None:
    there = Fraction(120)
    wanted = {"all": 120, "rest": 120, "half": 60, "1/3": 40, "50%": 60, "all-10": 110, "2.5": 2.5}
    assert {label: amount_of(label, there) for label in wanted} == wanted
    assert (Fraction(UNSAID.pool), Fraction(UNSAID.wallet)) == (POOL, WALLET)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("-", []),
        ("V all", []),
        ("W all USDC", [["Withdraw", "USDC", "120.5"]]),
        ("D half DAI", [["Deploy", "DAI", "15"]]),
        (
            "W 20 USDC ; T rest USDC {A} ; V USDC",
            [["Withdraw", "USDC", "20"], ["Transfer", "USDC", "50", ADDRESSES["{A}"]]],
        ),
        (
            "T 10 USDC {B} ; D rest USDC",
            [["Transfer", "USDC", "10", ADDRESSES["{B}"]], ["Deploy", "USDC", "20"]],
        ),
        ("D 10 USDC ; W all USDC", [["Deploy", "USDC", "10"], ["Withdraw", "USDC", "130.5"]]),
    ],
)
def test_a_call_counts_for_those_behind_it(label: str, expected: list[list[str]]) -> None:
    assert calls(label) == expected


@pytest.mark.parametrize("label", ["T 5 USDC @me", "W 1/7 USDC", "W all USDC ; W all USDC"])
def test_what_no_wallet_does_yet_has_no_row(label: str) -> None:
    assert not list(rows([understood(1, f"pair | to me | {label}")]))


def test_all_rows_are_ones_that_the_evaluation_reads(tmp_path: Path) -> None:
    made = list(rows(messages()))
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    read = load_instructions(path)
    assert len(read) == len(made) > len(messages()) * 0.8
    assert not any("{" in row.prompt and "}" in row.prompt and "{A}" in row.prompt for row in read)
