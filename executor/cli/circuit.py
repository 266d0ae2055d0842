"""`zkagent circuit`: build circuits and look at built ones."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli.circuits_shown import (
    build_shown,
    find_onnx,
    show,
    summary,
    tuned_arguments,
)
from zkagent.executor.cli.data_options import data_options
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import JSON_OPTION, SRS_OPTION
from zkagent.executor.cli.tune import tune_command

if TYPE_CHECKING:
    from zkagent.circuits.halo2.calibration import Data


@click.group("circuit", cls=Group)
def circuit_group() -> None:
    """Build circuits and look at built ones."""


circuit_group.add_command(tune_command)


@circuit_group.command("build")
@click.argument("model")
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=1,
    metavar="B",
    help="Decisions that one proof covers.",
)
@click.option(
    "--tuned/--untuned",
    default=None,
    help="Whether to use the settings that `circuit tune` found; by default for ONNX files only.",
)
@data_options
@SRS_OPTION
@JSON_OPTION
def build_command(
    *,
    model: str,
    batch: int,
    tuned: bool | None,
    data: "Data | None",
    srs: Path | None,
    as_json: bool,
) -> None:
    """Build the circuit of MODEL: a model's name or folder, or an ONNX file.

    With --data, scale and ranges of a network over fractions are fitted to the samples, none of
    which falls out of range, and the circuit's decisions on them are compared with onnxruntime's.

    Building the same model again looks it up. A set-up file counts as real when its SHA-256 is one
    of the public KZG ceremony's; any other is treated as a development set-up, whose verifier can
    only be deployed on a local chain (31337).
    """
    from zkagent.circuits.networks.batch import batch_file

    if data and data.fraction_bits:
        if tuned:
            raise click.UsageError("tuned settings have a scale: leave out --fraction-bits")
        tuned = False
    with batch_file(find_onnx(model), batch) as onnx:
        arguments = tuned_arguments(model, onnx, tuned)
        show(build_shown(onnx, srs, arguments, data), as_json)


@circuit_group.command("list")
@JSON_OPTION
def list_command(as_json: bool) -> None:
    """List the circuits in the cache."""
    from zkagent.circuits.errors import CircuitError
    from zkagent.circuits.store import list_circuits
    from zkagent.circuits.systems import load_circuit

    lines, found = [], []
    for digest in list_circuits():
        try:
            circuit = load_circuit(digest)
        except CircuitError as exc:
            lines.append(f"{digest[:16]}  {exc}")
            found.append({"digest": digest, "error": str(exc)})
            continue
        lines.append(f"{digest[:16]}  {summary(circuit)}")
        found.append(circuit.to_json())
    click.echo(json.dumps(found) if as_json else "\n".join(lines or ["no circuits yet"]))


@circuit_group.command("show")
@click.argument("digest")
@JSON_OPTION
def show_command(digest: str, as_json: bool) -> None:
    """Show a built circuit by its DIGEST or the beginning of it, every file checked."""
    from zkagent.circuits.store import resolve_digest
    from zkagent.circuits.systems import load_circuit

    show(load_circuit(resolve_digest(digest)), as_json)


__all__ = ["circuit_group"]
