"""What reading an instruction costs on chain; the bounds are a few percent above what was measured.

A made-up vocabulary costs what a model's own does: here it is in two contracts. Of the first call
in a transaction, 15,000 are for what it reads for the first time: itself, those two, books.
"""

import pytest

from tests.support.instruction_chain import InstructionChain
from tests.support.instruction_prompts import BOOKS, table_of_writers
from zkagent.verifier_contracts.chain.local import Anvil

LONG = (  # 127 characters, 21 tokens
    b"please withdraw 120.5 USDC from the pool and then send it to "
    b"0x86a2c86936b097A7c3d94C5ad0c1D0e533501854 as soon as you can, ok?"
)
WORDY = (  # 122 characters, 25 tokens
    b"take two hundred and fifty dai out of the pool, send half of it to bob now, "
    b"keep the rest there until sunday comes, please"
)
SHORT = b"withdraw 250.75 USDC from the lending pool to my own wallet"  # 59, 11


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> InstructionChain:
    return InstructionChain(anvil, table_of_writers(1), BOOKS)


@pytest.mark.parametrize(
    ("prompt", "first", "later"),
    [(LONG, 68_000, 53_000), (WORDY, 75_000, 60_000), (SHORT, 50_500, 35_500)],
)
def test_encoding_stays_affordable(
    contracts: InstructionChain, prompt: bytes, first: int, later: int
) -> None:
    (outcome,) = contracts.ask([prompt])
    assert outcome.refusal is None
    measured = contracts.measure(prompt)
    assert measured[0] < first, measured
    assert measured[1] < later, measured
