"""Which decisions a proof covers: written down here by hand, as the contract divides them."""

import pytest

from zkagent.executor.runs.coverage import covered_by, divide, size_for, spread


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
    assert divide(2, ()) == ((0,), (1,))
    assert divide(0, (4,)) == ()


def test_the_smallest_size_that_holds_a_group_is_the_contracts() -> None:
    assert [size_for(count, (16, 4)) for count in (1, 2, 4, 5, 16)] == [1, 4, 4, 16, 16]
    with pytest.raises(ValueError, match="no batch verifier takes 17 decisions"):
        size_for(17, (16, 4))
