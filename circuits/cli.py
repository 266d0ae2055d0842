"""`zkagent circuit`: build circuits and look at built ones."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from circuits.cache import file_digest
from circuits.data_options import comparison, data_options
from circuits.errors import TuningMissing
from circuits.options import JSON_OPTION, SRS_OPTION
from circuits.tuning.command import tune_command

if TYPE_CHECKING:
    from circuits.artifacts import Circuit
    from circuits.calibration import Data
    from circuits.settings import RunArguments


@click.group("circuit")
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
    from circuits.batch import batch_file

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
    from circuits.errors import CircuitError
    from circuits.store import list_circuits, load_circuit

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
    from circuits.store import load_circuit, resolve_digest

    show(load_circuit(resolve_digest(digest)), as_json)


def find_onnx(model: str) -> Path:
    """The ONNX file behind what a user wrote. Raises models.errors.UnknownModel."""
    if model.endswith(".onnx"):
        return Path(model)
    from models.catalogue import load_model

    return load_model(model).onnx_path


def tuned_arguments(model: str, onnx: Path, tuned: bool | None = None) -> "RunArguments | None":
    """The settings that were tuned for this very file; None for the standard ones.

    tuned: None means for ONNX files only, because agents and receipts go by the standard circuit of
    a model, which is the same on every machine. Raises TuningMissing when True and there are none.
    """
    from circuits.tuning.record import find

    if tuned is False or (tuned is None and not model.endswith(".onnx")) or not onnx.is_file():
        return None
    record = find(file_digest(onnx))
    if record is None and tuned:
        raise TuningMissing(onnx)
    if record is None:
        return None
    click.echo(
        f"with the settings that were tuned for {record.objective.value}; "
        "--untuned for the standard ones",
        err=True,
    )
    return record.winner.arguments


def build_shown(
    onnx: Path,
    srs: Path | None,
    arguments: "RunArguments | None" = None,
    data: "Data | None" = None,
) -> "Circuit":
    """Build or look up, with progress on a terminal. Raises like build_circuit."""
    from circuits.build import Stage
    from circuits.build_process import build_isolated
    from circuits.console import stages

    with stages(len(Stage)) as begin:
        return build_isolated(onnx, srs=srs, arguments=arguments, data=data, progress=begin)


def summary(circuit: "Circuit") -> str:
    """One line: sizes, exactness, set-up."""
    facts = circuit.facts
    kind = "exact" if facts.exact else f"{facts.input_scale_bits} bits of fraction"
    setup = "development set-up" if circuit.development_srs else "public ceremony"
    return (
        f"{facts.input_count} -> {facts.output_count}, {kind}, {facts.rows} rows of "
        f"2^{facts.logrows}, proof {facts.proof_bytes} bytes, {setup}"
    )


def show(circuit: "Circuit", as_json: bool) -> None:
    """Print a circuit, for machines or for people."""
    if as_json:
        click.echo(json.dumps(circuit.to_json()))
        return
    click.echo(circuit.digest)
    click.echo(f"  {summary(circuit)}")
    for line in comparison(circuit):
        click.echo(f"  {line}")
    for name in (circuit.vk, circuit.pk, circuit.verifier_source):
        click.echo(f"  {name}  {name.stat().st_size:,} bytes")
    if circuit.development_srs:
        click.echo(
            "development set-up: proofs count on a local chain (31337) only; "
            "give a public ceremony's file with --srs",
            err=True,
        )


__all__ = ["circuit_group"]
