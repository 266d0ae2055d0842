"""Hand-written encodings: their round trips, and that only one encoding is accepted."""

import pytest
from eth_abi.abi import encode

from zkagent.executor.chain.abi import NO_HANDLER, RUN_WITH_PROOFS, prompt_input, prompt_of
from zkagent.executor.chain.packing import pack, unpack

CALL = (prompt_input(b"hi"), NO_HANDLER, [(1, b"\1" * 32, b"out")], [b"proof"])


def test_calldata_reads_back() -> None:
    given, handler, claims, proofs = RUN_WITH_PROOFS.arguments(RUN_WITH_PROOFS.call(*CALL))
    assert prompt_of(given) == b"hi"
    assert (handler, list(claims), list(proofs)) == (NO_HANDLER, CALL[2], CALL[3])


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
