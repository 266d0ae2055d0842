"""The options of commands that take a user's samples, and how their result is told."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.halo2.settings import MOST_FRACTION_BITS
from zkagent.executor.cli.options import FiniteRange

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data, --tolerance and --fraction-bits, handed on as one `data`: Data or None."""

    @click.option(
        "--data",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Samples (.npz): an array [n, ...] of the network's inputs.",
    )
    @click.option(
        "--tolerance",
        type=FiniteRange(0),
        metavar="T",
        help="Count a sample as equal when every number is within T, instead of by arg-max.",
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
        tolerance: float | None,
        fraction_bits: int | None,
        **others: Any,
    ) -> Any:
        from zkagent.circuits.halo2.calibration import Data

        if data is None and (tolerance, fraction_bits) != (None, None):
            raise click.UsageError("--tolerance and --fraction-bits need samples: give --data")
        if data and others.get("batch", 1) != 1:
            raise click.UsageError("--data goes with circuits for one decision, not with --batch")
        given = Data(data, tolerance, fraction_bits) if data else None
        return command(*arguments, data=given, **others)

    return with_data


def comparison(circuit: "Circuit") -> list[str]:
    """What to tell of a circuit that rounds, and of its comparison with onnxruntime: lines."""
    from zkagent.circuits.halo2.build import fidelity_of

    lines = []
    if (found := fidelity_of(circuit)) is not None:
        agreed = round(found.agreement * found.samples)
        how = "decides like" if found.tolerance is None else f"is within {found.tolerance:g} of"
        lines.append(
            f"{how} onnxruntime on {agreed:,} of {found.samples:,} samples "
            f"({found.agreement:.2%}), largest deviation {found.largest_deviation:.3g}"
        )
        if found.outside:
            lines.append(
                f"samples outside its ranges, for which no proof is possible: {found.outside:,}"
            )
    if not circuit.facts.exact:
        lines.append("rounds, so it may not decide over money: only an int64 network is exact")
    return lines


__all__ = ["comparison", "data_options"]
