"""Columns are counted as ezkl lays them: keys that it made are exactly as long as they say."""

import pytest

from tests.support.circuit_settings import Counts
from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.footprint import key_bytes

# Bytes of keys that ezkl 23.0.5 made.
KEYS = {
    "nothing to check": (Counts(6, 1, 4), 103_483),
    "a table": (Counts(10, 1, 9, tables=1), 2_361_499),
    "nine tables": (Counts(10, 1, 720, 3, tables=9, ranges=2), 6_690_091),
    "ReLU": (Counts(8, 1, 54, 3, ranges=2), 738_819),
    "dynamic look-up": (Counts(9, 1, 420, 270, 270), 2_688_955),
    "shuffle": (Counts(12, 1, 2199, 5, 0, 108, 0, 2), 26_746_971),
    "both": (Counts(13, 1, 6568, 1176, 3331, 6, 1, 3), 71_847_107),
    "six blocks": (Counts(11, 1, 10_470, 7, ranges=3), 24_403_147),
    "three inner columns": (Counts(12, 3, 10_533, 7, ranges=3), 25_180_795),
    "four, with both": (Counts(12, 4, 6996, 1176, 3331, 6, 1, 3), 75_262_739),
    "six": (Counts(11, 6, 12_090, 7, ranges=3), 34_356_059),
    "eight": (Counts(11, 8, 13_212, 7, ranges=3), 78_662_699),
    "2^15 rows": (Counts(15, 1, 20_589, 89, ranges=2), 94_418_083),
}


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_as_long_as_its_columns_say(name: str) -> None:
    """But for a header, and the points of its commitments."""
    counts, size = KEYS[name]
    assert key_bytes(count_columns(counts.settings())) == pytest.approx(size, rel=0.015, abs=6000)


def test_a_block_of_shuffles_is_at_most_a_few_selectors_off() -> None:
    """With blocks and shuffles, selectors that are never on together share columns."""
    size = key_bytes(count_columns(Counts(9, 1, 2199, 5, 0, 108, 0, 2).settings()))
    assert 1.0 < size / 8_757_491 < 1.06


@pytest.mark.parametrize(("cells", "blocks"), [(4_088, 1), (4_090, 2), (8_175, 2), (8_180, 3)])
def test_each_block_repeats_a_row_of_the_one_before(cells: int, blocks: int) -> None:
    assert count_columns(Counts(12, 1, cells, 5).settings()).blocks == blocks
