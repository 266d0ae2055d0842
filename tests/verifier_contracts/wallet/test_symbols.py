"""Solidity's symbol book and Python's rule refuse the same words, and numbers stay numbers."""

import random
import re
import string
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from zkagent.models.encoding.symbols import RESERVED, checked_symbol
from zkagent.models.errors import RefusedSymbol
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy
from zkagent.verifier_contracts.toolchain.compile import contract

SOURCE = Path(ROOT, "verifier_contracts/src/wallet/Symbols.sol")
FORMS = ["", "a", "A1", "e", "e1", "E18", "e18usdc", "ee18", "x2", "X10", "x2y2", "xdai", "1inch"]
FORMS += [
    "usdc.e",
    "us dc",
    "usd\u20ae",
    "abcdefghijk",
    "abcdefghijkl",
    "e\u0661",
    "a\n",
    "\u212aelvin",
]


def is_allowed(symbol: str) -> bool:
    try:
        checked_symbol(symbol)
    except RefusedSymbol:
        return False
    return True


def candidates() -> list[str]:
    """Reserved words and their neighbours, forms of all kinds, and random ones."""
    rng = random.Random(20261122)
    letters = "exEXabU" + string.digits
    made = ["".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(150)]
    words = sorted(RESERVED)
    near = [word + rng.choice("sx1") for word in rng.sample(words, 40)]
    return FORMS + [w.upper() if rng.random() < 0.3 else w for w in words] + near + made


def test_both_refuse_the_same_symbols(chain: Anvil) -> None:
    owner = chain.accounts[0]
    book = deploy(chain.web3, contract("SymbolBook"), owner, owner.address)
    token = deploy(chain.web3, contract("DemoToken"), owner, "USD Coin", "USDC", 6)
    for symbol in candidates():
        try:
            book.functions.list(symbol, token.address).call({"from": owner.address})
            listed = True
        except Exception:  # the kind of refusal is the forge tests' matter
            listed = False
        assert listed == is_allowed(symbol), symbol
    assert call(chain.web3, book.functions.owner()) == owner.address


def test_the_lists_of_words_are_one() -> None:
    text = SOURCE.read_text()
    literal = text[text.index("RESERVED =") :].split(";")[0]
    assert set(" ".join(re.findall(r'"([^"]*)"', literal)).split()) == RESERVED


@pytest.mark.parametrize("digits", ["1", "12", "3.5", "007"])
def test_no_symbol_makes_another_number_of_one(digits: str) -> None:
    """Whatever is a number as a whole, or a factor, must not be read as an amount and a token."""
    tails = ["e", "E", "x", "X", "d", "f", "n"]
    for tail in [t + n for t in tails for n in ("0", "1", "6", "18", "018", "100")]:
        try:
            float(digits + tail)
        except ValueError:
            if not re.fullmatch(r"[xX]\d+", tail):
                continue
        assert not is_allowed(tail), tail
