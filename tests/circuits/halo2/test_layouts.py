"""Large networks get a layout that fits; all others keep the standard one."""

from dataclasses import replace

import pytest

from tests.support.circuit_settings import Counts
from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.layouts import (
    choose_layout,
    layouts,
    peak,
    with_fewer_digits,
    work,
)
from zkagent.circuits.halo2.settings import RunArguments, Settings, default_arguments
from zkagent.circuits.support.memory import Budget, memory_budget

STANDARD = default_arguments(integer=False)
PLENTY = Budget(64e9, asked=False)


class Counter:
    """Stands for ezkl: a network of so many cells, of which each digit takes a tenth."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.asked: list[RunArguments] = []

    def __call__(self, arguments: RunArguments, logrows: int) -> Settings:
        self.asked.append(arguments)
        cells = self.cells * (10 + arguments.decomposition_legs) // 14
        made = Counts(logrows, arguments.inner_columns, cells, 9, ranges=2).settings()
        made["required_range_checks"][1] = [0, arguments.decomposition_base - 1]
        return made


def laid(settings: Settings) -> tuple[int, int]:
    """2^k rows, and inner columns."""
    run = settings["run_args"]
    return run["logrows"], run["num_inner_cols"]


def test_one_block_is_standard() -> None:
    count = Counter(100_000)
    assert laid(choose_layout(count, STANDARD, PLENTY)) == (17, 1)
    assert set(count.asked) == {STANDARD}


def test_what_does_not_fit_in_one_block_gets_a_layout_that_does() -> None:
    count = Counter(300_000)
    whole = choose_layout(count, STANDARD, PLENTY)
    assert laid(whole) == (19, 1)
    budget = Budget(0.6 * peak(whole), asked=True)
    smaller = choose_layout(count, STANDARD, budget)
    assert peak(smaller) <= budget.size
    assert laid(smaller) != (19, 1)


def test_more_rows_than_a_set_up_is_made_for_in_minutes_are_spread() -> None:
    count = Counter(1_400_000)  # 2^21 rows in one block
    chosen = choose_layout(count, STANDARD, PLENTY)
    assert laid(chosen)[0] <= 19
    within = [each for each in layouts(chosen) if peak(each) <= PLENTY.size]
    quickest = min(map(work, within))
    assert work(chosen) <= 1.15 * quickest
    alike = [each for each in within if work(each) <= 1.15 * quickest]
    assert count_columns(chosen).keyed == min(count_columns(each).keyed for each in alike)


def test_a_set_up_file_that_large_keeps_one_block() -> None:
    assert laid(choose_layout(Counter(1_400_000), STANDARD, PLENTY, setup_logrows=21)) == (21, 1)
    assert laid(choose_layout(Counter(1_400_000), STANDARD, PLENTY, setup_logrows=17))[0] == 17


def test_where_nothing_fits_the_smallest_is_what_is_refused() -> None:
    chosen = choose_layout(Counter(1_400_000), STANDARD, Budget(1e6, asked=True))
    assert peak(chosen) == min(map(peak, layouts(chosen)))
    small = choose_layout(Counter(1_000), STANDARD, Budget(1e6, asked=True))
    assert laid(small) == (10, 1)


def test_named_columns_or_rows_are_left_alone() -> None:
    count = Counter(300_000)
    little = Budget(1e6, asked=True)
    named = replace(STANDARD, logrows=18)
    assert laid(choose_layout(count, named, little)) == (18, 1)
    assert laid(choose_layout(count, replace(STANDARD, inner_columns=2), little))[1] == 2


def test_what_is_built_needs_no_memory() -> None:
    little = Budget(1e6, asked=True)
    found = choose_layout(Counter(300_000), STANDARD, little, is_built=lambda settings: True)
    assert laid(found) == (19, 1)


@pytest.mark.parametrize(
    ("base", "legs", "fewer"),
    [(128, 4, (2, 16384)), (128, 3, (2, 1449)), (128, 2, (1, 16384)), (128, 5, (3, 3251))],
)
def test_fewer_digits_reach_as_far(base: int, legs: int, fewer: tuple[int, int]) -> None:
    given = RunArguments(decomposition_base=base, decomposition_legs=legs)
    found = with_fewer_digits(given)
    assert (found.decomposition_legs, found.decomposition_base) == fewer
    assert found.decomposition_base**found.decomposition_legs >= base**legs


def test_one_digit_stays_one() -> None:
    given = RunArguments(decomposition_base=300, decomposition_legs=1)
    assert with_fewer_digits(given) == given


def test_a_budget_is_what_is_free_or_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkagent.circuits.support.memory.available_memory", lambda: 5e9)
    assert str(memory_budget()) == "5.0 GB are available"
    assert str(memory_budget(10**10)) == "5.0 GB are available"
    assert str(memory_budget(10**9)) == "1.0 GB are allowed"
