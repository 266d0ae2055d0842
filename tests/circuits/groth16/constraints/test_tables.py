"""Tables by bits: functions as sums of products of sets, and matrices of low rank as products."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.operator_networks import low_rank_table, table
from zkagent.circuits.groth16.constraints.tables import cheapest_split, factored, moebius

FUNCTIONS = st.integers(0, 5).flatmap(
    lambda bits: st.lists(st.integers(-9, 9), min_size=1 << bits, max_size=1 << bits)
)


@given(FUNCTIONS)
def test_coefficients_of_sets_add_up_to_the_function(values: list[int]) -> None:
    found = moebius(values)
    for at, value in enumerate(values):
        assert sum(c for mask, c in enumerate(found) if mask & at == mask) == value


@pytest.mark.parametrize("rank", range(9))
def test_a_matrix_of_low_rank_is_found_to_be_one(rank: int) -> None:
    rng = np.random.default_rng(rank)
    matrix = rng.integers(-9, 10, (16, rank)) @ rng.integers(-9, 10, (rank, 32))
    factors = factored(matrix.astype(object))
    if factors is None:  # its factors are too large for a witness
        assert rank > 4
        return
    assert factors.rank == rank
    assert (factors.left @ factors.right == factors.factor * matrix).all()


def test_a_matrix_of_high_rank_is_refused() -> None:
    assert factored(np.eye(16, dtype=np.int64).astype(object)) is None


def test_a_part_that_only_looks_singular_modulo_the_prime_is_no_error() -> None:
    matrix = np.array([[(1 << 31) - 1, 0], [0, 1]], dtype=object)
    assert factored(matrix) is None


def test_splits_are_taken_where_they_are_cheaper() -> None:
    assert not cheapest_split(table(16, 12).astype(object)).columns
    split = cheapest_split(low_rank_table(1 << 8, 5, 2, 4).astype(object))
    assert (split.low, split.products) == (4, 2 * 11 + 10)
