"""Which claims a proof covers, as the contract has it, and how a run's decisions are divided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkagent.executor.chain.abi import (
    Said,
    covered_by,
    divide,
    rows_of,
    size_for,
    spread,
)

X, Y = b"x", b"y"


def given_proofs(marks: str) -> list[bytes]:
    return [b"" if mark == "-" else mark.encode() for mark in marks]


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
    said = [(model, X, bytes([index])) for index, model in enumerate(models)]
    groups = covered_by(said, given_proofs(proofs))
    assert list(groups) == covered
    assert list(spread(groups, [given_proofs(proofs)[group[0]] for group in groups])) == (
        given_proofs(proofs)
    )


@pytest.mark.parametrize(
    ("outputs", "proofs", "covered", "rows"),
    [
        ("aaa", "p--", [(0, 1, 2)], [(0,)]),
        ("aab", "p--", [(0, 1, 2)], [(0, 2)]),
        ("aba", "pq-", [(0, 2), (1,)], [(0,), (1,)]),  # not a row of the proof before it
        ("aba", "p--", [(0, 1, 2)], [(0, 1)]),
        ("aaa", "pq-", [(0, 2), (1,)], [(0,), (1,)]),  # a proof of its own is verified
        ("aaa", "---", [(0, 1, 2)], [(0,)]),  # evaluated once
        ("aba", "---", [(0, 2), (1,)], [(0,), (1,)]),
        ("aa", "-p", [(0,), (1,)], [(0,), (1,)]),  # no proof covers what comes before it
    ],
)
def test_what_is_said_again_needs_no_proof(
    outputs: str, proofs: str, covered: list[tuple[int, ...]], rows: list[tuple[int, ...]]
) -> None:
    said = [(1, X, each.encode()) for each in outputs]
    groups = covered_by(said, given_proofs(proofs))
    assert list(groups) == covered
    assert [rows_of(group, said) for group in groups] == rows


@pytest.mark.parametrize("other", [(2, X, Y), (1, b"z", Y), (1, X, b"z")])
def test_another_model_other_features_and_another_output_are_not_the_same(other: Said) -> None:
    said = [(1, X, Y), other]
    (first, *_) = covered_by(said, [b"p", b""])
    assert rows_of(first, said) == first  # a row each, or no group in common


def test_decisions_are_divided_into_as_few_proofs_as_possible() -> None:
    assert divide("abc", (4, 16)) == ((0, 1, 2),)
    assert divide("abcde", (2,)) == ((0, 1), (2, 3), (4,))
    assert divide("ab", ()) == divide("ab", (0,)) == ((0,), (1,))
    assert divide("", (4,)) == ()


def test_equal_decisions_are_in_one_proof() -> None:
    assert divide("aaa", ()) == ((0, 1, 2),)
    assert divide("abab", ()) == ((0, 2), (1, 3))
    assert divide("abcab", (2,)) == ((0, 1, 3, 4), (2,))


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.sampled_from([(), (2,), (2, 4)]))
def test_what_is_divided_is_covered_in_the_same_way(
    outputs: list[str], sizes: tuple[int, ...]
) -> None:
    said = [(1, X, output.encode()) for output in outputs]
    groups = divide(said, sizes)
    assert covered_by(said, spread(groups, [b"proof"] * len(groups))) == groups
    assert sorted(index for group in groups for index in group) == list(range(len(said)))
    assert sum(len(rows_of(group, said)) for group in groups) == len(set(said))
    assert all(size_for(len(rows_of(group, said)), sizes) for group in groups)


def test_the_smallest_size_that_holds_a_group_is_the_contracts() -> None:
    assert [size_for(count, (16, 4)) for count in (1, 2, 4, 5, 16)] == [1, 4, 4, 16, 16]
    with pytest.raises(ValueError, match="no batch verifier takes 17 decisions"):
        size_for(17, (16, 4))
