"""A tuning as text: predicted and measured figures side by side."""

from collections.abc import Callable, Iterable

from zkagent.circuits.halo2.tuning.record import STANDARD, Option, Tuning

Column = tuple[str, Callable[[Option], str]]

COLUMNS: tuple[Column, ...] = (
    ("settings", lambda o: o.name),
    ("columns", lambda o: f"{o.arguments.inner_columns} x {o.blocks}"),
    ("rows", lambda o: f"2^{o.logrows}"),
    ("seconds", lambda o: _pair(o.predicted.seconds, o.measured.seconds, "{:.2f}")),
    ("memory MB", lambda o: _pair(_mb(o.predicted.peak_bytes), _mb(o.measured.peak_bytes))),
    ("proof bytes", lambda o: _pair(o.predicted.proof_bytes, o.measured.proof_bytes)),
    ("gas", lambda o: f"{o.predicted.gas:,.0f}"),
    ("agreement", lambda o: f"{o.agreement:.2%}" if o.fidelity else "exact"),
)


def table(tuning: Tuning) -> str:
    """One line for each measured circuit, the chosen one first; * is the Pareto set.

    Figures are predicted / measured; gas is predicted.
    """
    chosen = tuning.winner
    options = [chosen, *(option for option in tuning.options if option is not chosen)]
    rows = [["", *(name for name, _ in COLUMNS)]]
    for option in options:
        mark = "*" if option.name in tuning.pareto else ""
        rows.append([mark, *(show(option) for _, show in COLUMNS)])
    return "\n".join(_aligned(rows))


def summary(tuning: Tuning) -> str:
    """One line: what was chosen, and against the standard settings, if those were measured."""
    chosen = tuning.winner
    text = (
        f"{tuning.considered} settings weighed, {len(tuning.options)} measured; "
        f"for {tuning.objective.value}: {chosen.name}"
    )
    if chosen.name == STANDARD:
        return text
    measured = [option.cost for option in tuning.options if option.name == STANDARD]
    ours, usual = (chosen.cost, measured[0]) if measured else (chosen.predicted, tuning.standard)
    return (
        f"{text}, {usual.seconds / ours.seconds:.1f} times as fast as the standard settings with "
        f"{ours.gas / usual.gas:.0%} of their gas and {ours.peak_bytes / usual.peak_bytes:.0%} of "
        f"their memory{'' if measured else ' (predicted: they were not measured)'}"
    )


def _pair(predicted: float, measured: float, form: str = "{:,.0f}") -> str:
    return f"{form.format(predicted)} / {form.format(measured)}"


def _mb(count: int) -> float:
    return count / 1e6


def _aligned(rows: list[list[str]]) -> Iterable[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


__all__ = ["summary", "table"]
