"""What reading and deciding an instruction costs on chain: a few percent above what was seen.

With the shipped vocabulary, which is in two contracts, and a made-up one of the writers' 2,000 most
frequent words. Of the first call in a transaction, 15,000 are for what it reads for the first time:
itself, those two, books; 12,500 where all words are in the first.
"""

import pytest

from tests.support.decoder_chain import DecoderChain
from tests.support.instruction_chain import InstructionChain
from tests.support.instruction_prompts import BOOKS, table_of_writers
from tests.support.instructions import run_of
from tests.support.whole_chain import WholeChain
from zkagent.models.agents.instructions import InstructionModel
from zkagent.models.catalogue import load_model
from zkagent.models.instructions.calls import Tag
from zkagent.verifier_contracts.chain.local import Anvil

LONG = (  # 127 characters, 21 tokens
    b"please withdraw 120.5 USDC from the pool and then send it to "
    b"0x86a2c86936b097A7c3d94C5ad0c1D0e533501854 as soon as you can, ok?"
)
WORDY = (  # 122 characters, 25 tokens
    b"take two hundred and fifty dai out of the pool, send half of it to bob now, "
    b"keep the rest there until sunday comes, please"
)
UNKNOWN = b"grok zorb quux fnord blip " * 5  # 125, 25 words of which none is known
SHORT = b"withdraw 250.75 USDC from the lending pool to my own wallet"  # 59, 11


@pytest.fixture(scope="module")
def contracts(anvil: Anvil) -> InstructionChain:
    return InstructionChain(anvil, load_model("wallet-text", InstructionModel).table, BOOKS)


@pytest.mark.parametrize(
    ("prompt", "first", "later"),
    [
        (LONG, 50_300, 35_300),
        (WORDY, 58_600, 43_600),
        (UNKNOWN, 116_600, 101_600),
        (b"zorb " * 30, 123_700, 111_200),
        (SHORT, 37_600, 22_600),
    ],
)
def test_encoding_stays_affordable(
    contracts: InstructionChain, prompt: bytes, first: int, later: int
) -> None:
    (outcome,) = contracts.ask([prompt])
    assert outcome.refusal is None
    measured = contracts.measure(prompt)
    assert measured[0] < first, measured
    assert measured[1] < later, measured


T, A = Tag, Tag.ARGUMENT
ONE = (
    "please send exactly 10.5 usdc from my wallet over to my good old friend carol as soon as you "
    "can, that would be so very kind"
)
FOUR = "withdraw half of usdc and all of my dai, deposit 7 gusd, send 5 unit to bob"
FOUR_TAGS = {"half": T.WITHDRAW, "usdc": A, "all": T.WITHDRAW, "dai": A}
FOUR_TAGS |= {"7": T.DEPOSIT, "gusd": A, "5": T.TRANSFER, "unit": A, "bob": A}


@pytest.mark.parametrize(
    ("prompt", "tags", "first", "later"),
    [
        (ONE, {"10.5": T.TRANSFER, "usdc": A, "carol": A}, 34_100, 19_000),
        ("withdraw all my usdc", {"all": T.WITHDRAW, "usdc": A}, 41_100, 28_600),
        (FOUR, FOUR_TAGS, 65_500, 38_500),
    ],
)
def test_deciding_stays_affordable(
    chain: Anvil, prompt: str, tags: dict[str, Tag], first: int, later: int
) -> None:
    """The dearest step of each run; of the first call, 15,000 are for contracts read anew,
    27,500 where all four tools are needed."""
    decoders = DecoderChain(chain)
    told = "The balance is: 120.5 usdc in the pool, 30 usdc in the wallet"
    measured = [decoders.measure(question) for question in run_of(prompt, tags, told)]
    assert len(measured) > 1
    assert max(cold for cold, _ in measured) < first, measured
    assert max(warm for _, warm in measured) < later, measured


TRANSFER = (  # 120 characters, 23 tokens
    "please send 10.5 usdc from my wallet to my friend carol today because the dinner yesterday "
    "was great and she paid for it"
)
DEPOSIT = (  # 119, 21
    "could you please deposit 1,200 dai from my wallet into the lending pool today so that it "
    "makes something until tomorrow"
)
COMPOUND = (  # 122, 23
    "withdraw 300 gusd from the pool now please and send exactly 150 of it to bob because he "
    "needs money before friday evening"
)
TRANSFER_TAGS = {"10.5": T.TRANSFER, "usdc": A, "carol": A}
DEPOSIT_TAGS = {"1,200": T.DEPOSIT, "dai": A}
COMPOUND_TAGS = {"300": T.WITHDRAW, "gusd": A, "150": T.TRANSFER, "bob": A}


@pytest.mark.parametrize(
    ("shipped", "prompt", "tags", "below"),
    [
        (False, TRANSFER, TRANSFER_TAGS, (69_700, 47_000)),
        (False, DEPOSIT, DEPOSIT_TAGS, (65_500, 42_700)),
        (False, COMPOUND, COMPOUND_TAGS, (85_000, 57_200)),
        (True, TRANSFER, TRANSFER_TAGS, (72_700, 47_500)),
        (True, DEPOSIT, DEPOSIT_TAGS, (65_700, 43_000)),
        (True, COMPOUND, COMPOUND_TAGS, (87_400, 57_100)),
    ],
)
def test_plain_instructions_are_read_and_decided_together(
    chain: Anvil, shipped: bool, prompt: str, tags: dict[str, Tag], below: tuple[int, int]
) -> None:
    """The first step, first in a transaction and later. Of the first call, 25,000 are for contracts
    read anew: both, the vocabulary's, books, the manifest's, a tool and what it says of itself."""
    table = load_model("wallet-text", InstructionModel).table if shipped else table_of_writers(1)
    whole = WholeChain(chain, table)
    step, *_ = run_of(prompt, tags, "The balance is: 120.5 usdc in the pool, 30 usdc in the wallet")
    measured = whole.measure_both(step)
    assert measured[0] < below[0], measured
    assert measured[1] < below[1], measured
