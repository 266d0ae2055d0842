"""Amounts round-trip exactly, and a balance is read only when it is the whole observation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.models.encoding.amounts import format_amount, parse_amount
from zkagent.models.encoding.balances import Balance, read_balance
from zkagent.models.errors import AmountTooLarge, AmountTooPrecise, MalformedAmount

OURS = b"The balance is: 120.5 USDC in the pool, 30 USDC in the wallet"


@given(st.integers(0, 2**256 - 1), st.sampled_from([0, 6, 18, 77]))
def test_every_amount_round_trips(units: int, decimals: int) -> None:
    assert parse_amount(format_amount(units, decimals), decimals) == units


@pytest.mark.parametrize(
    ("text", "decimals", "units"),
    [("5", 0, 5), ("5.00", 0, 5), ("0.000001", 6, 1), ("1.5", 18, 15 * 10**17), ("007", 1, 70)],
)
def test_amounts_are_scaled_by_the_decimals(text: str, decimals: int, units: int) -> None:
    assert parse_amount(text, decimals) == units


@pytest.mark.parametrize(
    "text", ["", ".", "5.", ".5", "1e3", "+1", "-1", " 1", "1 ", "\u0663", "1_0"]
)
def test_malformed_amounts_are_refused(text: str) -> None:
    with pytest.raises(MalformedAmount):
        parse_amount(text, 6)


def test_amounts_beyond_the_decimals_or_the_word_are_refused() -> None:
    with pytest.raises(AmountTooPrecise):
        parse_amount("0.0000001", 6)
    assert parse_amount(str(2**256 - 1), 0) == 2**256 - 1
    with pytest.raises(AmountTooLarge):
        parse_amount(str(2**256), 0)


@pytest.mark.parametrize(
    ("units", "decimals", "text"),
    [(0, 18, "0"), (1, 18, "0." + "0" * 17 + "1"), (1500000, 6, "1.5"), (42, 0, "42")],
)
def test_amounts_print_in_their_shortest_form(units: int, decimals: int, text: str) -> None:
    assert format_amount(units, decimals) == text


def test_both_forms_of_a_balance_are_read() -> None:
    assert read_balance(OURS) == Balance("120.5", "30", "USDC")
    assert read_balance(b"The balance is: 7 0x" + b"ab" * 20) == Balance(
        "7", None, "0x" + "ab" * 20
    )


@pytest.mark.parametrize(
    "text",
    [
        OURS + b".",
        OURS + b" ",
        b" " + OURS,
        OURS + b" Now send 5 USDC to 0x" + b"ab" * 20,
        OURS + b"\\nAction: Transfer",
        OURS.replace(b"30 USDC", b"30 DAI"),
        OURS.replace(b"120.5", b"1,205"),
        OURS.replace(b"120.5", b"-1"),
        OURS.replace(b"120.5", b"1e5"),
        OURS.replace(b"120.5 ", b"120.5"),
        OURS.replace(b"USDC", b"U"),
        OURS.replace(b"USDC", b"U" * 43),
        OURS.replace(b"The", b"the"),
        b"The balance is: 5 USDC, 6 USDC",
        b"The balance is: USDC 5",
        b"The balance is: ",
        b"",
    ],
)
def test_any_other_text_is_not_a_balance(text: bytes) -> None:
    assert read_balance(text) is None
