"""The search space: forms of decompositions, inner columns and rows, each with its rough cost.

ezkl takes long to count the cells of a large network, so it is asked about two forms of each
precision only: cells grow by the same number with each leg of a decomposition. How many rows they
take in several columns is a guess then; ezkl counts those of the one precision that is chosen.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from zkagent.circuits.errors import EngineError, SettingsRefused
from zkagent.circuits.halo2.settings import (
    RunArguments,
    Settings,
    fewest_logrows,
    laid_out,
    least_logrows,
)
from zkagent.circuits.halo2.tuning.cost_model import deployable, predict
from zkagent.circuits.halo2.tuning.objectives import Cost
from zkagent.circuits.halo2.tuning.precision import LEGS, Precision

INNER_COLUMNS = (1, 2, 3, 4, 5)
FEWER_LOGROWS = 3  # halvings of the rows that are paid for with further blocks
FEW_LEGS, MORE_LEGS = 2, 3  # the forms that ezkl is asked for


@dataclass(frozen=True)
class Draft:
    """Settings that were not made yet. predicted: from their size, rough or counted by ezkl."""

    precision: Precision
    arguments: RunArguments
    predicted: Cost

    @property
    def name(self) -> str:
        """Says what sets it apart from other drafts of its precision."""
        arguments, decomposed = self.arguments, self.precision.range_bits is not None
        legs = (
            f"-{arguments.decomposition_legs}x{arguments.decomposition_base}" if decomposed else ""
        )
        bits = f"s{arguments.input_scale_bits}-" if arguments.input_scale_bits else ""
        return f"{bits}c{arguments.inner_columns}-k{arguments.logrows}{legs}"


@dataclass(frozen=True)
class Form:
    """One way to decompose numbers, and the circuit's settings with it at one inner column."""

    legs: int
    settings: Settings


def rough_drafts(precision: Precision, few: Settings, more: Settings) -> Iterator[Draft]:
    """All layouts of a precision, estimated from its settings at FEW_LEGS and MORE_LEGS."""
    for form in forms(precision, few, more):
        for columns in INNER_COLUMNS:
            rows = -(-form.settings["total_assignments"] // columns)
            yield from layouts(precision, form.legs, columns, {**form.settings, "num_rows": rows})


def exact_drafts(precision: Precision, make: Callable[[RunArguments], Settings]) -> Iterator[Draft]:
    """The same from the settings that ezkl makes for each form and number of columns."""
    for legs in LEGS if precision.range_bits is not None else (FEW_LEGS,):
        for columns in INNER_COLUMNS:
            arguments = replace(precision.arguments(legs), inner_columns=columns)
            try:
                settings = make(arguments)
            except EngineError:  # ezkl panics at some settings that others do well with
                continue
            yield from layouts(precision, legs, columns, settings)


def layouts(precision: Precision, legs: int, columns: int, settings: Settings) -> Iterator[Draft]:
    """From one block of rows to several, but for verifiers that are too large for a contract."""
    try:
        least = least_logrows(settings)
    except SettingsRefused:  # a table for so few legs that no set-up has rows for it
        return
    for logrows in range(least, max(fewest_logrows(settings), least - FEWER_LOGROWS) - 1, -1):
        sized = laid_out(settings, logrows, columns)
        if deployable(sized):
            arguments = replace(precision.arguments(legs), inner_columns=columns, logrows=logrows)
            yield Draft(precision, arguments, predict(sized))


def forms(precision: Precision, few: Settings, more: Settings) -> Iterator[Form]:
    """Each number of legs, with the cells and the table that it needs."""
    if precision.range_bits is None:
        yield Form(FEW_LEGS, few)
        return
    step = more["total_assignments"] - few["total_assignments"]
    base = precision.arguments(FEW_LEGS).decomposition_base
    for legs in LEGS:
        cells = few["total_assignments"] + (legs - FEW_LEGS) * step
        digits = [0, precision.arguments(legs).decomposition_base - 1]
        checks = [
            digits if check == [0, base - 1] else check for check in few["required_range_checks"]
        ]
        yield Form(
            legs,
            {
                **few,
                "total_assignments": cells,
                "num_rows": cells,
                "required_range_checks": checks,
            },
        )


__all__ = ["FEW_LEGS", "MORE_LEGS", "Draft", "Form", "exact_drafts", "forms", "rough_drafts"]
