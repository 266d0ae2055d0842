"""A mistyped address is noticed by its checksum, wherever one is typed."""

import ast
from pathlib import Path

import click
import pytest

from zkagent.executor.cli.options import checked_address
from zkagent.verifier_contracts.chain.addresses import is_address

ROOT = Path(__file__).parents[3]
GOOD = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
WRONG = [GOOD.replace("5aA", "5aa"), "0x" + GOOD[2:].swapcase(), GOOD[:-1], GOOD + "0", GOOD[2:]]
WRONG += [GOOD + "\n", GOOD.replace("0x", "0X"), "", "0x"]


@pytest.mark.parametrize("text", [GOOD, GOOD.lower(), "0x" + GOOD[2:].upper(), "0x" + "12" * 20])
def test_an_address_is_one(text: str) -> None:
    assert is_address(text)
    assert checked_address(text) == text


@pytest.mark.parametrize("text", WRONG)
def test_a_mistyped_one_is_not(text: str) -> None:
    assert not is_address(text)
    with pytest.raises(click.BadParameter, match="is not an address, or its checksum is wrong"):
        checked_address(text)


def test_nobody_asks_the_library_which_compares_no_checksum() -> None:
    asking = [
        path.relative_to(ROOT)
        for part in ("circuits", "executor", "models", "prover", "verifier_contracts")
        for path in (ROOT / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eth_utils")
        if {"is_address", "is_hex_address"} & {alias.name for alias in node.names}
    ]
    assert asking == []
