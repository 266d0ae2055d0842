"""Time is predicted in probes, within 30 % of what keys and proofs took."""

import pytest

from tests.support.circuit_settings import Counts
from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.durations import (
    PROBE_CORE_S,
    Pace,
    keys_work,
    measure_pace,
    proof_work,
    setup_work,
)
from zkagent.circuits.halo2.forecast import foretell, memory_in_words, time_in_words

# Processor seconds for keys and for a proof, by those of probes before and after.
MEASURED = [
    (Counts(8, 1, 54, 3, ranges=2), 0.26, 0.46),
    (Counts(9, 1, 336, 6, 0, 3, 1, 3), 0.96, 1.47),
    (Counts(12, 1, 2199, 5, 0, 108, 0, 2), 6.00, 7.66),
    (Counts(13, 1, 6568, 1176, 3331, 6, 1, 3), 12.78, 19.39),
    (Counts(13, 1, 6654, 34, 0, 0, 1, 2), 6.52, 8.90),
    (Counts(12, 1, 10_470, 7, ranges=3), 7.32, 13.28),
    (Counts(12, 3, 10_533, 7, ranges=3), 6.00, 10.54),
    (Counts(11, 4, 7599, 34, tables=1, ranges=2), 5.66, 9.49),
    (Counts(15, 1, 20_589, 89, ranges=2), 25.09, 30.85),
    (Counts(16, 1, 38_912, 48, ranges=2), 37.76, 56.89),
    (Counts(17, 1, 116_787, 339, 3752, 1088, 0, 3), 182.32, 213.91),
]


@pytest.mark.parametrize(("counts", "keys", "proof"), MEASURED)
def test_work_is_what_was_measured(counts: Counts, keys: float, proof: float) -> None:
    columns = count_columns(counts.settings())
    assert keys_work(columns) == pytest.approx(keys, rel=0.3)
    assert proof_work(columns) == pytest.approx(proof, rel=0.3)


def test_a_set_up_takes_twice_as_long_for_twice_the_rows() -> None:
    """12.9 processor seconds were measured for 2^15 rows."""
    assert setup_work(15) * PROBE_CORE_S == pytest.approx(12.9, rel=0.1)
    assert setup_work(16) == 2 * setup_work(15)


def test_a_slower_machine_has_longer_seconds_and_the_same_memory() -> None:
    settings = Counts(13, 1, 6654, 34, 0, 0, 1, 2).settings()
    quick = foretell(settings, Pace(0.2, 0.1), has_setup=True)
    slow = foretell(settings, Pace(0.2, 0.4), has_setup=False)
    assert slow.keys_s == pytest.approx(4 * quick.keys_s, rel=0.01)
    assert slow.proof_s == pytest.approx(4 * quick.proof_s, rel=0.01)
    assert (quick.setup_s, slow.setup_s) == (0, pytest.approx(0.4 * 16))
    assert slow.peak_bytes == quick.peak_bytes


def test_this_machine_has_a_pace() -> None:
    pace = measure_pace()
    assert 0 < pace.processor_s < 60
    assert 0 < pace.wall_s < 60


@pytest.mark.parametrize(
    ("count", "words"), [(96e6, "0.1 GB"), (1.44e9, "1.4 GB"), (9.96e9, "10 GB")]
)
def test_memory_is_told_in_words(count: float, words: str) -> None:
    assert memory_in_words(count) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.42, "0.4 s"), (9.96, "10 s"), (179, "179 s"), (700, "12 min")]
)
def test_time_is_told_in_words(seconds: float, words: str) -> None:
    assert time_in_words(seconds) == words
