"""`zkagent circuit`: build circuits and look at built ones."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from circuits.artifacts import Circuit

SRS_OPTION = click.option(
    "--srs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="KZG set-up; without one, a development set-up that is good on local chains only.",
)
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("circuit")
def circuit_group() -> None:
    """Build circuits and look at built ones."""


@circuit_group.command("build")
@click.argument("model")
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=1,
    metavar="B",
    help="Decisions that one proof covers.",
)
@SRS_OPTION
@JSON_OPTION
def build_command(model: str, batch: int, srs: Path | None, as_json: bool) -> None:
    """Build the circuit of MODEL: a model's name or folder, or an ONNX file.

    Building the same model again looks it up. A set-up file counts as real when its SHA-256 is one
    of the public KZG ceremony's; any other is treated as a development set-up, whose verifier can
    only be deployed on a local chain (31337).
    """
    from circuits.batch import batch_file

    with batch_file(find_onnx(model), batch) as onnx:
        show(build_shown(onnx, srs), as_json)


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


def build_shown(onnx: Path, srs: Path | None) -> "Circuit":
    """Build or look up, with progress on a terminal. Raises like build_circuit."""
    from circuits.build import Stage
    from circuits.build_process import build_isolated
    from circuits.console import stages

    with stages(len(Stage)) as begin:
        return build_isolated(onnx, srs=srs, progress=begin)


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
    for name in (circuit.vk, circuit.pk, circuit.verifier_source):
        click.echo(f"  {name}  {name.stat().st_size:,} bytes")
    if circuit.development_srs:
        click.echo(
            "development set-up: proofs count on a local chain (31337) only; "
            "give a public ceremony's file with --srs",
            err=True,
        )


__all__ = ["circuit_group"]
