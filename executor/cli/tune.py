"""`zkagent circuit tune`: finds cheaper settings and makes later builds use them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.executor.cli import output
from zkagent.executor.cli.memory_option import MAX_MEMORY_OPTION
from zkagent.executor.cli.options import JSON_OPTION, SRS_OPTION, FiniteRange
from zkagent.executor.cli.visibility_options import visibility_options

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.circuits.halo2.calibration import Data
    from zkagent.circuits.halo2.tuning.record import Tuning
    from zkagent.circuits.visibility import Visibility


@click.command("tune")
@click.argument("model")
@click.option(
    "--objective",
    type=click.Choice([objective.value for objective in Objective]),
    default=Objective.BALANCED.value,
    show_default=True,
    help="What to make small: seconds, gas, memory, or the three alike.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Samples (.npz, .npy, .csv, .json) to compare with onnxruntime on; needed for a model "
    "that rounds.",
)
@click.option(
    "--min-agreement",
    type=FiniteRange(0, 1),
    default=0.999,
    show_default=True,
    help="Share of the samples that must be decided as onnxruntime decides them.",
)
@click.option(
    "--tolerance",
    type=FiniteRange(0),
    help="Compare all numbers within this, instead of each output by what it is.",
)
@click.option(
    "--decisions",
    is_flag=True,
    help="Compare the largest of each row only, for scores that decide by it.",
)
@click.option(
    "--measure-for",
    type=FiniteRange(0),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="Time to make circuits and to prove with each, one to five times.",
)
@visibility_options
@MAX_MEMORY_OPTION
@SRS_OPTION
@JSON_OPTION
def tune_command(
    *,
    model: str,
    objective: str,
    data: Path | None,
    min_agreement: float,
    tolerance: float | None,
    decisions: bool,
    measure_for: float,
    visibility: "Visibility",
    max_memory: int | None,
    srs: Path | None,
    as_json: bool,
) -> None:
    """Find the cheapest sound settings for the circuit of MODEL and build it.

    A cost model compares hundreds of settings, the best few are measured in turns, and later
    builds of the same ONNX file use the winner (of a model by name or folder: with --tuned).
    Settings without any loss on the samples are preferred; the rules that make proofs sound hold
    for all of them.
    """
    from zkagent.circuits.halo2.calibration import Data
    from zkagent.circuits.halo2.tuning.table import summary, table
    from zkagent.circuits.halo2.tuning.tuner import Wish
    from zkagent.circuits.halo2.tuning.tuner_process import tune_isolated
    from zkagent.executor.cli.circuits_shown import find_onnx, show
    from zkagent.executor.cli.progress import working

    onnx = find_onnx(model)
    wish = Wish(
        Objective(objective),
        min_agreement,
        tolerance,
        measure_for,
        decisions,
        visibility,
        max_memory,
    )
    with working() as report:
        tuning = tune_isolated(onnx, wish, data=data, report=report)
    fitted = Data(data, tolerance, decisions=decisions) if data else None
    circuit = build_tuned(onnx, tuning, srs, fitted)
    if as_json:
        output.show(json.dumps({"circuit": circuit.digest, **tuning.to_json()}))
        return
    output.show(table(tuning))
    output.show(summary(tuning))
    for reason in tuning.left_out:
        output.show(f"not measured: {reason}", err=True)
    show(circuit, as_json=False)


def build_tuned(onnx: Path, tuning: "Tuning", srs: Path | None, data: "Data | None") -> "Circuit":
    """Like zkagent.executor.api.circuits.build_tuned, with progress on a terminal."""
    from zkagent.circuits.halo2.build import Stage
    from zkagent.executor.api import circuits
    from zkagent.executor.cli.progress import stages

    with stages(len(Stage)) as begin:
        return circuits.build_tuned(onnx, tuning, srs, data, begin)


__all__ = ["build_tuned", "tune_command"]
