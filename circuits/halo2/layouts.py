"""Which rows and columns a circuit gets: one block of one column where that will do, else a smaller
form of a large network.

One block costs least gas. But rows come in powers of two, of which up to half stay empty, and a
set-up for 2^20 of them takes minutes where it is made here. Spread over several blocks or columns
the same cells take down to half of the memory; and where the table that checks digits may have more
rows, numbers are decomposed into fewer of them.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.durations import keys_work, proof_work, setup_work
from zkagent.circuits.halo2.footprint import estimate_memory
from zkagent.circuits.halo2.settings import (
    LEARNING_LOGROWS,
    MOST_LOGROWS,
    RunArguments,
    Settings,
    choose_logrows,
    fewest_logrows,
    laid_out,
    least_logrows,
)
from zkagent.circuits.support.memory import Budget

MOST_STANDARD_LOGROWS = 19  # beyond, a development set-up takes longer than keys and proof
LAYOUT_LOGROWS = range(13, MOST_LOGROWS + 1)
INNER_COLUMNS = (1, 2, 3, 4, 6)  # those after which the domain or the constraints' degree grow
ALIKE = 1.15  # times as long, which is within the error of the forecast
DIGIT_BITS = 16  # a table of so many values and a few rows more fit 2^17

Count = Callable[[RunArguments, int], Settings]


def choose_layout(
    count: Count,
    arguments: RunArguments,
    budget: Budget,
    *,
    setup_logrows: int | None = None,
    is_built: Callable[[Settings], bool] = lambda settings: False,
) -> Settings:
    """The standard settings where they are not too large, else those of the quickest layout within
    the budget, or of the smallest one where none is. Who names columns or rows gets them.

    count: what ezkl makes of arguments with 2^k rows. setup_logrows: of the set-up file that is to
    be used. is_built: whether the settings need no memory any more. Raises SettingsRefused,
    EngineError.
    """
    learned, standard = count(arguments, LEARNING_LOGROWS), None
    named = arguments.logrows is not None or arguments.inner_columns > 1
    if named or _is_standard(learned, setup_logrows):
        standard = count(arguments, choose_logrows(learned, arguments.logrows))
        if named or fits(standard, budget) or is_built(standard):
            return standard
    arguments = with_fewer_digits(arguments)
    learned = count(arguments, LEARNING_LOGROWS)
    choices = list(layouts(learned, setup_logrows))
    if not choices:
        return count(arguments, choose_logrows(learned, None))
    within = [choice for choice in choices if fits(choice, budget)]
    chosen = _best(within) if within else min(choices, key=peak)
    if standard and not within and peak(standard) <= peak(chosen):
        return standard
    run = chosen["run_args"]
    spread = replace(arguments, inner_columns=run["num_inner_cols"])
    return count(spread, run["logrows"])


def layouts(settings: Settings, setup_logrows: int | None = None) -> Iterator[Settings]:
    """The cells of `settings` in other rows and columns, for estimates; of a set-up file, in as
    many rows as it is for. Raises SettingsRefused."""
    fewest = fewest_logrows(settings)
    for logrows in LAYOUT_LOGROWS if setup_logrows is None else (setup_logrows,):
        if logrows >= fewest:
            yield from (laid_out(settings, logrows, inner) for inner in INNER_COLUMNS)


def with_fewer_digits(arguments: RunArguments) -> RunArguments:
    """Decompositions that reach at least as far, of the fewest digits whose table is not large."""
    bound: int = arguments.decomposition_base**arguments.decomposition_legs
    for legs in range(1, arguments.decomposition_legs):
        base = least_base(bound, legs)
        if base <= 1 << DIGIT_BITS:
            return replace(arguments, decomposition_base=base, decomposition_legs=legs)
    return arguments


def least_base(bound: int, legs: int) -> int:
    """The least b >= 2 whose b^legs is at least `bound`."""
    base = max(2, round(math.pow(bound, 1 / legs)))
    while int(base**legs) < bound:
        base += 1
    while base > 2 and (base - 1) ** legs >= bound:
        base -= 1
    return base


def fits(settings: Settings, budget: Budget) -> bool:
    return peak(settings) <= budget.size


def peak(settings: Settings) -> float:
    """Bytes that a build takes."""
    return estimate_memory(settings).peak


def work(settings: Settings) -> float:
    """What a build and its set-up take, in probes (zkagent.circuits.halo2.durations)."""
    columns = count_columns(settings)
    return keys_work(columns) + proof_work(columns) + setup_work(columns.logrows)


def _best(choices: list[Settings]) -> Settings:
    """Of those that take hardly longer than the quickest, the one with the fewest columns, and so
    with the shortest proof."""
    quickest = min(map(work, choices))
    alike = [choice for choice in choices if work(choice) <= ALIKE * quickest]
    return min(alike, key=lambda choice: count_columns(choice).keyed)


def _is_standard(learned: Settings, setup_logrows: int | None) -> bool:
    """Whether one block is to be tried."""
    try:
        return least_logrows(learned) <= max(MOST_STANDARD_LOGROWS, setup_logrows or 0)
    except SettingsRefused:  # more rows than any set-up has
        return False


__all__ = ["choose_layout", "fits", "layouts", "least_base", "peak", "with_fewer_digits", "work"]
