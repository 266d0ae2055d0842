"""Hand-written encodings: their round trips, and that only one encoding is accepted."""

import pytest
from eth_abi.abi import encode
from eth_account import Account

from zkagent.executor.chain.abi import (
    NO_HANDLER,
    RESUME_WITH_PROOFS,
    RUN_WITH_PROOFS,
    pack,
    prompt_input,
    prompt_of,
    run_data,
    terms_in,
    unpack,
)
from zkagent.executor.chain.agent import AgreedCall, Claim, Fact, Range, RunCall, RunTerms
from zkagent.executor.chain.calls import run_of

AGREED = AgreedCall(b"\2" * 32, (Range(1, 5, 1 << 255),))
FACT = Fact("0x" + "ab" * 20, b"\3" * 4, b"\4" * 32)
TERMS = (
    1_800_000_000,
    [(b"\2" * 32, [(1, 5, 1 << 255)])],
    [("0x" + "ab" * 20, b"\3" * 4, b"\4" * 32)],
)
AGREED_TERMS = RunTerms(1_800_000_000, (AGREED,), (FACT,))
CALL = (prompt_input(b"hi"), NO_HANDLER, [(1, b"\1" * 32, b"out")], [b"proof"], TERMS)


def test_calldata_reads_back() -> None:
    given, handler, claims, proofs, terms = RUN_WITH_PROOFS.arguments(RUN_WITH_PROOFS.call(*CALL))
    assert prompt_of(given) == b"hi"
    assert (handler, list(claims), list(proofs)) == (NO_HANDLER, CALL[2], CALL[3])
    assert terms_in(terms) == AGREED_TERMS


def test_a_run_is_encoded_as_the_contract_takes_it() -> None:
    call = RunCall(b"hi", (Claim(1, b"\1" * 32, b"out"),), (b"proof",), AGREED_TERMS)
    assert run_data(call) == RUN_WITH_PROOFS.call(*CALL)


def test_what_goes_on_with_a_run_is_encoded_and_read_back() -> None:
    call = RunCall(b"", (Claim(1, b"\1" * 32, b"out"),), (b"proof",), AGREED_TERMS, resumes=7)
    assert run_data(call) == RESUME_WITH_PROOFS.call(7, *CALL[2:])
    assert run_of(transaction(run_data(call))) == call


@pytest.mark.parametrize("data", [RESUME_WITH_PROOFS.call(0, *CALL[2:]), b"\1\2\3\4", b""])
def test_a_transaction_of_no_run_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"there is no run 0|not a runWithProofs"):
        run_of(transaction(data))


def transaction(data: bytes) -> bytes:
    fields = {"type": 2, "chainId": 1, "nonce": 0, "gas": 50_000, "value": 0, "to": NO_HANDLER}
    fees = {"maxFeePerGas": 10, "maxPriorityFeePerGas": 1, "data": data}
    return bytes(Account.create().sign_transaction(fields | fees).raw_transaction)


def test_texts_need_not_be_utf8() -> None:
    assert prompt_of(prompt_input(b"\xff\xfe")) == b"\xff\xfe"


@pytest.mark.parametrize("tail", [b"\0", bytes(32), b"junk"])
def test_bytes_behind_the_arguments_are_refused(tail: bytes) -> None:
    with pytest.raises(ValueError, match="not canonical"):
        RUN_WITH_PROOFS.arguments(RUN_WITH_PROOFS.call(*CALL) + tail)


def test_another_function_is_refused() -> None:
    with pytest.raises(ValueError, match="not a runWithProofs"):
        RUN_WITH_PROOFS.arguments(b"\1\2\3\4" + RUN_WITH_PROOFS.call(*CALL)[4:])


def test_an_input_with_two_different_prompts_is_refused() -> None:
    params, encoded = prompt_input(b"withdraw 5 USDC")
    with pytest.raises(ValueError, match="not one prompt"):
        prompt_of((params, encode(["string"], ["withdraw 6 USDC"])))
    with pytest.raises(ValueError, match="not one prompt"):
        prompt_of(([*params, *params], encoded))


def test_packed_integers_read_back() -> None:
    values = (0, 1, -1, 32767, -32768)
    assert pack(values, 2).hex() == "00000001ffff7fff8000"
    assert unpack(pack(values, 2), 2) == values


def test_integers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OverflowError):
        pack([32768], 2)
    with pytest.raises(ValueError, match="3 bytes are not a multiple of 2"):
        unpack(b"abc", 2)
