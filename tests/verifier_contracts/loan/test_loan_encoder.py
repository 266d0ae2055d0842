"""The loan encoder on chain reads criteria as Python does: texts that people wrote, texts that are
made of what matters to the scanner, and any bytes."""

import random
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.encoding_chain import CONTEXT
from zkagent.models.agents.loan_words import ASK_CRITERIA, SCORE_IS, ask_score
from zkagent.models.catalogue import LoanModel, load_model
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.loan.evaluate import APPLICANT, PROMPT
from zkagent.models.loan.lexicon import class_codes
from zkagent.models.loan.wordings import written
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.loan_code import loan_code
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import Contract, contract

Encode = Callable[[bytes, bytes], tuple[int, ...] | str]
PIECES = (
    "650", "0650", "650.", "650,", "650/", "6,50", "1,000", "12,345", "650.5", "650.0", "65%",
    "1/2", "0.65k", "6k", "650k", "650pts", "9999", "10000", "0", "0x5e", "0xab", "$650", "-650",
    "sub-650", "#650", "~650", ".650", "650+", "650 +", "+650", "650-700", "650_1", "(650)", "<",
    "<=", "=<", ">", ">=", "=>", "=> 650", "=> no", "->", "-> 650", "--> 650", "=", "==", "===",
    "<>", "650>=", ">650", "score>650", "\u2265 650", "\u2264650", "\u2265", "it\u2019s", "don't",
    "six", "hundred", "and", "fifty", "a", "an", "thousand", "one", "no one", "twenty-five",
    "six hundred and fifty", "a hundred", "a thousand and one", "eleven hundred", "nineteen",
    "twenty", "hundred hundred", "two thousand five hundred", "hundred and", "thousand thousand",
    "six, hundred", "ninety nine thousand", ".", ",", ";", "!", "?", ":", "...", "?!", "a.b", "  ",
    "\x00", "\x7f", "\xe9", "zyzzyva", "ZYZZYVA", "Approve", "APPROVE", "to", "from", "at", "on",
)  # fmt: skip


@pytest.fixture(scope="module")
def model() -> LoanModel:
    return load_model("loan", LoanModel)


@pytest.fixture(scope="module")
def encoder(anvil: Anvil, model: LoanModel) -> Iterator[Encode]:
    """Features of criteria and an answer, or the name of the refusal."""
    snapshot, code, owner = anvil.snapshot(), loan_code(model), anvil.accounts[0]
    parts = [_laid(anvil, part) for part in code.components]
    loan = contract("LoanEncoder")
    place = deploy(anvil.web3, loan, owner, *code.encoder_arguments(parts[:-1], parts[-1])).address
    errors = [*loan.abi, *contract("TextEncoder").abi]

    def ask(criteria: bytes, answer: bytes) -> tuple[int, ...] | str:
        context = (owner.address, b"", [], list(_reasoning(criteria, answer)), PROMPT.encode())
        data = keccak(text="encode((address,string,address[],string[],string))")[:4]
        call = {"to": place, "data": "0x" + (data + encode([CONTEXT], [context])).hex()}
        answered = anvil.web3.provider.make_request("eth_call", [call, "latest"])
        if "error" in answered:
            revert = parse_revert(bytes.fromhex(answered["error"]["data"][2:]), errors)
            return revert.name
        features, _ = decode(["bytes", "bytes"], bytes.fromhex(answered["result"][2:]))
        return tuple(
            int.from_bytes(features[i : i + 2], "big", signed=True)
            for i in range(0, len(features), 2)
        )

    yield ask
    anvil.revert(snapshot)


def _laid(anvil: Anvil, code: bytes) -> str:
    data = Contract("Data", "", (), creation_code(code), code, ())
    return str(deploy(anvil.web3, data, anvil.accounts[0]).address)


def _reasoning(criteria: bytes, answer: bytes) -> Iterator[bytes]:
    yield ASK_CRITERIA.encode() + b"Observation: " + criteria + b"\n"
    yield ask_score(APPLICANT).encode() + b"Observation: " + answer + b"\n"


def _in_python(model: LoanModel, criteria: bytes, answer: bytes) -> tuple[int, ...] | str:
    try:
        return model.encode(Context(PROMPT.encode(), tuple(_reasoning(criteria, answer))))
    except RefusedText as exc:
        return type(exc).__name__


def _agree(encoder: Encode, model: LoanModel, texts: Iterator[bytes], seed: int) -> list[object]:
    rng = random.Random(seed)
    scores = [b"650", b"649", b"651", b"0", b"9999", b"", b"12345", b"6x"]
    found = []
    for criteria in texts:
        answer = SCORE_IS.encode() + rng.choice(scores)
        expected = _in_python(model, criteria, answer)
        assert encoder(criteria, answer) == expected, criteria
        found.append(expected)
    return found


def test_texts_that_people_wrote(encoder: Encode, model: LoanModel) -> None:
    rng = random.Random(11)
    texts = rng.sample(written(), 120)
    filled = (text.format(n=rng.choice((650, 7, 1000)), m=800).encode() for _, text in texts)
    found = _agree(encoder, model, filled, 1)
    assert sum(isinstance(each, tuple) for each in found) == len(texts)


def test_whatever_the_scanner_tells_apart(encoder: Encode, model: LoanModel) -> None:
    alone = (piece.encode() for piece in PIECES)
    rng, words = random.Random(5), list(class_codes())
    made = (_made(rng, words) for _ in iter(int, 1))
    found = _agree(encoder, model, alone, 2) + _agree(encoder, model, islice(made, 250), 3)
    sides = {_side(each) for each in found if isinstance(each, tuple)}
    assert sides == {0, 1, 2, 3}
    assert "EmptyPrompt" in found


def _made(rng: random.Random, words: list[str]) -> bytes:
    pieces = [
        rng.choice(PIECES if rng.random() < 0.6 else words) for _ in range(rng.randint(1, 14))
    ]
    return rng.choice(("", " ", " ", " ")).join(pieces).encode()


def _side(features: tuple[int, ...]) -> int | None:
    blocks = [any(features[3 + 32 * i : 35 + 32 * i]) for i in range(4)]
    return blocks.index(True) if any(blocks) else None


def test_any_bytes(encoder: Encode, model: LoanModel) -> None:
    rng = random.Random(8)
    texts = (rng.randbytes(rng.randint(1, 60)) for _ in range(60))
    _agree(encoder, model, texts, 4)


@pytest.mark.parametrize(
    ("criteria", "refusal"),
    [
        (b"x" * 512, None),
        (b"x" * 513, "PromptTooLong"),
        (b"at least 650 " * 21, None),
        (b"at least 650 " * 21 + b"or more", "TooManyTokens"),
        (b" -- ' ", "EmptyPrompt"),
        (b".", "EmptyPrompt"),
    ],
)
def test_what_is_refused(
    encoder: Encode, model: LoanModel, criteria: bytes, refusal: str | None
) -> None:
    (found,) = _agree(encoder, model, iter([criteria]), 6)
    assert (found == refusal) if refusal else isinstance(found, tuple)


def test_a_table_or_lexicon_that_is_too_short_is_refused(anvil: Anvil, model: LoanModel) -> None:
    code, owner = loan_code(model), anvil.accounts[0]
    snapshot = anvil.snapshot()
    parts = [_laid(anvil, part) for part in code.components]
    for chunks, data, error in (
        (parts[:-2], parts[-1], "ChunkCountMismatch"),
        ([*parts[:-2], parts[-1]], parts[-1], "DataTooShort"),
        (parts[:-1], owner.address, "DataTooShort"),
    ):
        with pytest.raises(RevertError, match=error):
            deploy(anvil.web3, contract("LoanEncoder"), owner, chunks, data)
    anvil.revert(snapshot)
