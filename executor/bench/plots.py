"""The five pictures of a report, as PNG. The only importer of matplotlib.

Colours are Okabe and Ito's, which colour-blind people can tell apart; markers and line styles say
the same again.
"""

import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zkagent.executor.bench import series
from zkagent.executor.bench.results import Results
from zkagent.executor.bench.series import Series, Style
from zkagent.executor.errors import BenchExtraMissing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE_INCHES, DPI = (8.0, 5.0), 110
TITLE_WIDTH = 60  # characters
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = {
    Style.LINE: "-",
    Style.DASHED: "--",
    Style.LEVEL: "--",
    Style.POINTS: "none",
    Style.HOLLOW: "none",
}
STYLE = {
    "font.size": 12,
    "axes.titlesize": 14,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "legend.fontsize": 11,
    "legend.handlelength": 3.0,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "zkagent",
}


@dataclass(frozen=True)
class Plot:
    """One picture: its series, and how its axes are drawn."""

    title: str
    series: Callable[[Results], list[Series]]
    draw: Callable[["Axes", Results, list[Series]], None]


def draw_all(results: Results) -> dict[str, bytes]:
    """Each picture for which there are figures, by its name. Raises BenchExtraMissing."""
    figure_class, context = _matplotlib()
    pictures = {}
    for name, plot in PLOTS.items():
        found = plot.series(results)
        if not found:
            continue
        with context(STYLE):
            figure = figure_class(figsize=SIZE_INCHES, dpi=DPI)
            axes = figure.add_subplot()
            axes.set_title(textwrap.fill(plot.title, TITLE_WIDTH))
            plot.draw(axes, results, found)
            figure.legend(loc="outside lower center", ncols=2)
            drawn = io.BytesIO()
            figure.savefig(drawn, format="png", metadata={"Software": ""})
        pictures[name] = drawn.getvalue()
    return pictures


def require_matplotlib() -> None:
    """Raises BenchExtraMissing."""
    _matplotlib()


def _matplotlib() -> "tuple[type[Figure], Callable[[Any], Any]]":
    """No pyplot: it keeps figures, and asks for a display."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "matplotlib":
            raise
        raise BenchExtraMissing from exc
    return Figure, rc_context


def _prove_time(axes: "Axes", results: Results, found: list[Series]) -> None:
    _draw(axes, found)
    _log(axes, "x", "cells that the circuit assigns", _count)
    _log(axes, "y", "time for one proof", _seconds)


def _gas_by_batch(axes: "Axes", results: Results, found: list[Series]) -> None:
    _draw(axes, found)
    _log(axes, "x", "decisions for each proof", _count, base=2)
    _log(axes, "y", "gas per decision", _count)
    ticks = sorted({x for one in found for x, _ in one.points})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def _accuracy(axes: "Axes", results: Results, found: list[Series]) -> None:
    _right(axes, found, "time for one proof", _seconds)


def _accuracy_by_gas(axes: "Axes", results: Results, found: list[Series]) -> None:
    _right(axes, found, "gas for one decision, calldata included", _count)


def _right(axes: "Axes", found: list[Series], label: str, text: Callable[[float], str]) -> None:
    """Per cent right by what that costs."""
    _draw(axes, found)
    _log(axes, "x", label, text)
    axes.set_ylabel("accuracy, %")
    axes.margins(x=0.15, y=0.2)
    low, high = axes.get_ylim()
    axes.set_ylim(low, min(high, 101))
    for one in found:
        for name, point in one.names():
            axes.annotate(name, point, (0, 9), textcoords="offset points", ha="center")


def _break_even(axes: "Axes", results: Results, found: list[Series]) -> None:
    _draw(axes, found)
    axes.margins(x=0.12, y=0.25)
    _log(axes, "x", "multiply-adds of the network", _count)
    _log(axes, "y", "gas per decision", _count)
    for crossing in series.crossings_shown(results):
        axes.plot(crossing.multiply_adds, crossing.gas, "k*", markersize=15, zorder=5)
        axes.annotate(
            f"{_count(round(crossing.multiply_adds, -3))}\nmultiply-adds",
            (crossing.multiply_adds, crossing.gas),
            (-8, 10),
            textcoords="offset points",
            ha="right",
            va="bottom",
            weight="bold",
        )


PLOTS = {
    "prove-time.png": Plot(
        "Proving time by cells (bars: fastest to slowest)", series.prove_time, _prove_time
    ),
    "gas-by-batch.png": Plot("One proof for many decisions", series.gas_by_batch, _gas_by_batch),
    "accuracy.png": Plot(
        "What accuracy costs (hollow: ezkl's own calibration; dashed: Groth16)",
        series.accuracy,
        _accuracy,
    ),
    "accuracy-gas.png": Plot(
        "What accuracy costs on chain (hollow: EVM; dashed: Groth16)",
        series.accuracy_by_gas,
        _accuracy_by_gas,
    ),
    "break-even.png": Plot(
        "Evaluate in the EVM, or verify? (dotted: not measured)", series.break_even, _break_even
    ),
}


def _draw(axes: "Axes", found: Sequence[Series]) -> None:
    """A colour and a marker for each group; the style says the rest."""
    groups = list(dict.fromkeys(one.group or one.label for one in found))
    for one in found:
        number = groups.index(one.group or one.label)
        colour = COLOURS[number % len(COLOURS)]
        x, y = zip(*one.points, strict=True)
        if one.until is not None and one.until > x[-1]:
            axes.plot([x[-1], one.until], [y[-1]] * 2, color=colour, linestyle=":", linewidth=2)
        axes.errorbar(
            x,
            y,
            yerr=list(zip(*one.errors, strict=True)) if one.errors else None,
            label=one.label or "_",
            color=colour,
            marker="" if one.style is Style.LEVEL else MARKERS[number % len(MARKERS)],
            markersize=9,
            markerfacecolor="white" if one.style is Style.HOLLOW else colour,
            markeredgewidth=2,
            linestyle=LINES[one.style] if len(x) > 1 else "none",
            linewidth=2,
            capsize=3,
        )


def _log(axes: "Axes", axis: str, label: str, text: Callable[[float], str], base: int = 10) -> None:
    """A logarithmic axis whose ticks are numbers, not powers; 1, 2, 5 where decades are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    chosen = axes.xaxis if axis == "x" else axes.yaxis
    (axes.set_xscale if axis == "x" else axes.set_yscale)("log", base=base)
    (axes.set_xlabel if axis == "x" else axes.set_ylabel)(label)
    low, high = axes.get_xlim() if axis == "x" else axes.get_ylim()
    steps = (1.0,) if base != 10 or high / low > 1000 else (1.0, 2.0, 5.0)
    chosen.set_major_locator(LogLocator(base=base, subs=steps))
    chosen.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    chosen.set_minor_formatter(NullFormatter())


def _seconds(value: float) -> str:
    """`200 ms`, `5 s`."""
    return f"{1000 * value:g} ms" if value < 1 else f"{value:g} s"


def _count(value: float) -> str:
    """`950`, `12k`, `1.5M`."""
    for limit, unit in ((10**6, "M"), (10**3, "k")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


__all__ = ["PLOTS", "Plot", "draw_all", "require_matplotlib"]
