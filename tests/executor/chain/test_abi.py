"""Hand-written encodings: their round trips, and that only one encoding is accepted."""

import pytest
from eth_abi.abi import encode

from zkagent.executor.chain.abi import (
    NO_HANDLER,
    RUN_WITH_PROOFS,
    covered_by,
    divide,
    pack,
    prompt_input,
    prompt_of,
    run_data,
    size_for,
    spread,
    terms_in,
    unpack,
)
from zkagent.executor.chain.agent import AgreedCall, Claim, Fact, Range, RunCall, RunTerms

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


@pytest.mark.parametrize(
    ("models", "proofs", "covered"),
    [
        ([1, 1, 1], "abc", [(0,), (1,), (2,)]),
        ([1, 1, 1], "a--", [(0, 1, 2)]),
        ([1, 1, 1], "ab-", [(0,), (1, 2)]),
        ([1, 2, 1, 2, 1], "ab---", [(0, 2, 4), (1, 3)]),
        ([1, 2, 1, 2, 1], "ab-c-", [(0, 2, 4), (1,), (3,)]),
        ([1, 2, 1], "a--", [(0, 2), (1,)]),  # nothing of model 2 is proven: its own empty proof
        ([1, 1], "--", [(0,), (1,)]),
        ([1, 1], "-a", [(0,), (1,)]),
        ([], "", []),
    ],
)
def test_an_empty_proof_shares_the_one_before_it_of_its_model(
    models: list[int], proofs: str, covered: list[tuple[int, ...]]
) -> None:
    given = [b"" if proof == "-" else proof.encode() for proof in proofs]
    groups = covered_by(models, given)
    assert list(groups) == covered
    assert list(spread(groups, [given[group[0]] for group in groups])) == given


def test_decisions_are_divided_into_as_few_proofs_as_possible() -> None:
    assert divide(3, (4, 16)) == ((0, 1, 2),)
    assert divide(5, (2,)) == ((0, 1), (2, 3), (4,))
    assert divide(2, ()) == divide(2, (0,)) == ((0,), (1,))
    assert divide(0, (4,)) == ()


def test_the_smallest_size_that_holds_a_group_is_the_contracts() -> None:
    assert [size_for(count, (16, 4)) for count in (1, 2, 4, 5, 16)] == [1, 4, 4, 16, 16]
    with pytest.raises(ValueError, match="no batch verifier takes 17 decisions"):
        size_for(17, (16, 4))
