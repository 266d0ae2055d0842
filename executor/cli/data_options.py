"""The options of commands that take a user's samples, and how their result is told."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.halo2.settings import MOST_FRACTION_BITS
from zkagent.executor.cli.options import Nearness

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.circuits.halo2.fidelity import Fidelity


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data and what goes with it, handed on as one `data`: Data or None."""

    @click.option(
        "--data",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Samples (.npz, .npy, .csv, .json): arrays [n, ...] of the network's inputs.",
    )
    @click.option(
        "--tolerance",
        type=Nearness(),
        help="Count a sample as equal when every number is within T, or numbers are within P % of "
        "the largest.",
    )
    @click.option(
        "--decisions",
        is_flag=True,
        help="Count a sample as equal when the largest of each row is the same: for scores. By "
        "default labels must be the same, numbers within 1 % of the largest, probabilities both.",
    )
    @click.option(
        "--fraction-bits",
        type=click.IntRange(1, MOST_FRACTION_BITS),
        metavar="N",
        help="Scale; by default the coarsest of 7, 10 and 13 that agrees on every sample.",
    )
    @functools.wraps(command)
    def with_data(
        *arguments: Any,
        data: Path | None,
        tolerance: tuple[float | None, float | None] | None,
        decisions: bool,
        fraction_bits: int | None,
        **others: Any,
    ) -> Any:
        from zkagent.circuits.halo2.calibration import Data

        if data is None and (tolerance, decisions, fraction_bits) != (None, False, None):
            raise click.UsageError(
                "--tolerance, --decisions and --fraction-bits need samples: give --data"
            )
        if decisions and tolerance is not None:
            raise click.UsageError("give --tolerance or --decisions, not both")
        if data and others.get("batch", 1) != 1:
            raise click.UsageError("--data goes with circuits for one decision, not with --batch")
        within, share = tolerance or (None, None)
        parts = {} if share is None else {"share": share}
        given = Data(data, within, fraction_bits, decisions, **parts) if data else None
        return command(*arguments, data=given, **others)

    return with_data


def comparison(circuit: "Circuit") -> list[str]:
    """What to tell of a circuit that rounds, and of its comparison with onnxruntime: lines."""
    from zkagent.circuits.halo2.build import fidelity_of

    lines = []
    if (found := fidelity_of(circuit)) is not None:
        agreed = round(found.agreement * found.samples)
        lines.append(
            f"{_how(found)} onnxruntime on {agreed:,} of {found.samples:,} samples "
            f"({found.agreement:.2%}), largest deviation {found.largest_deviation:.3g}, "
            f"{found.relative_deviation:.2%} of the largest number"
        )
        if right := found.accuracy:
            lines.append(
                f"right about {right.circuit:.2%} of the labels, onnxruntime about "
                f"{right.network:.2%}"
            )
        if found.outside:
            lines.append(
                f"samples outside its ranges, for which no proof is possible: {found.outside:,}"
            )
    if not circuit.facts.exact:
        lines.append("rounds, so it may not decide over money: only an int64 network is exact")
    return lines


def _how(found: "Fidelity") -> str:
    if found.tolerance is not None:
        return f"is within {found.tolerance:g} of"
    kinds = set(found.kinds)
    if kinds == {"decisions"}:
        return "decides like"
    if kinds == {"labels"}:
        return "labels like"
    return f"has the {' and '.join(sorted(kinds))} of"


__all__ = ["comparison", "data_options"]
