"""Messages with labels as rows of an evaluation: amounts by the balances that rows have."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from zkagent.models.wallet.evaluation.instructions import load_instructions
from zkagent.models.wallet.played import UNSAID
from zkagent.models.wallet.text.rows import ADDRESSES, POOL, WALLET, amount_of, rows, sealed
from zkagent.models.wallet.text.tagged import contacts_of
from zkagent.models.wallet.text.written import messages, understood


def calls(label: str) -> list[list[str]]:
    written = [understood(1, f"pair | to {{A}} and {{B}} | {label}")]
    (row,) = rows(written, as_labelled=True)
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


@pytest.mark.parametrize(
    ("label", "asked"),
    [
        ("W half USDC ; T half USDC {A}", True),
        ("D half USDC ; T half USDC {A}", True),
        ("W 20 USDC ; T rest USDC {A}", True),
        ("D half USDC ; T rest USDC {A}", False),
        ("W half USDC ; T 5 USDC {A}", False),
    ],
)
def test_a_row_moves_nothing_where_models_ask_but_of_a_sealed_set(label: str, asked: bool) -> None:
    written = [understood(1, f"pair | to {{A}} | {label}")]
    assert [bool(row["calls"]) for row in rows(written)] == [not asked]
    assert [bool(row["calls"]) for row in rows(written, as_labelled=True)] == [True]


def test_contacts_and_the_owner_are_paid_by_name() -> None:
    assert calls("T 5 USDC @me") == [["Transfer", "USDC", "5", "me"]]
    named = understood(1, "plain | 5 USDC to tunde | T 5 USDC @tunde")
    (row,) = rows([named])
    assert row["calls"] == [
        {"action": "Transfer", "asset": "USDC", "amount": "5", "recipient": "tunde"}
    ]


def test_a_row_knows_its_writers_contacts_that_it_says_and_that_a_book_takes() -> None:
    (wei_of_4,) = rows([understood(4, "plain | 5 USDC to wei please | -")])
    assert b"wei" in contacts_of(4)
    assert wei_of_4["contacts"] == []
    name = max(contacts_of(4)).decode()
    for writer, known in ((4, [name]), (5, [name] if name.encode() in contacts_of(5) else [])):
        (row,) = rows([understood(writer, f"plain | ask {name.upper()} for 5 USDC | -")])
        assert row["contacts"] == known


@pytest.mark.parametrize("label", ["T 5 USDC @wei", "W 1/7 USDC", "W all USDC ; W all USDC"])
def test_what_no_wallet_does_yet_has_no_row(label: str) -> None:
    assert not list(rows([understood(1, f"pair | to me or wei | {label}")]))


def test_all_rows_are_ones_that_the_evaluation_reads(tmp_path: Path) -> None:
    made = list(rows(messages()))
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    read = load_instructions(path)
    assert len(read) == len(made) > len(messages()) * 0.8
    assert not any("{" in row.prompt and "}" in row.prompt and "{A}" in row.prompt for row in read)


def test_a_sealed_sets_rows_know_whom_anybody_in_it_pays(tmp_path: Path) -> None:
    path = tmp_path / "sealed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in sealed("choosing")))
    found = load_instructions(path)
    assert len(found) > 3_150
    still = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(row["contacts"] for row in still if not row["calls"])
