"""A short form of `make agreement`, and that it would notice."""

import pytest

from tests.circuits.agreement import NETWORKS, agree, compare, drawn
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.mark.chain
@pytest.mark.parametrize("name", NETWORKS)
def test_four_ways_compute_the_same(chain: Anvil, name: str) -> None:
    assert agree(NETWORKS[name], 20, 5, chain, sample=25) == 25


def test_inputs_are_random_ones_and_every_edge() -> None:
    rows = drawn(3, 8, 5, seed=1)
    assert len(rows) == 5 + 6 + 3 + 10
    edges = {(place, row[place]) for row in rows[5:11] for place in range(3)}
    assert edges >= {(place, end) for place in range(3) for end in (-128, 127)}
    assert all(-128 <= number <= 127 for row in rows for number in row)


def test_a_way_that_differs_is_named_with_its_x() -> None:
    same = {"one": lambda x: [sum(x)], "two": lambda x: [sum(x)]}
    compare(same, [[1, 2], [-1, 0]])
    with pytest.raises(AssertionError, match=r"x = \[1, 2\] gives .*'three': \(4,\)"):
        compare({**same, "three": lambda x: [sum(x) + (len(x) == 2)]}, [[3], [1, 2]])
