"""`zkagent circuit`: build circuits, look at built ones, remove them."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuit_report import report_command
from zkagent.executor.cli.circuits_shown import (
    build_shown,
    completed_digests,
    find_onnx,
    show,
    sized,
    summary,
    tuned_arguments,
)
from zkagent.executor.cli.cleaning import prune_command, rm_command
from zkagent.executor.cli.data_options import data_options
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.memory_option import MAX_MEMORY_OPTION
from zkagent.executor.cli.options import (
    DIM_OPTION,
    JSON_OPTION,
    PROOF_SYSTEMS,
    PROVER_OPTION,
    SRS_OPTION,
    USUAL_PROOF_SYSTEM_OPTION,
    usual_proof_system,
)
from zkagent.executor.cli.tune import tune_command
from zkagent.executor.cli.visibility_options import require_ezkl, visibility_options

if TYPE_CHECKING:
    from zkagent.circuits.halo2.calibration import Data
    from zkagent.circuits.visibility import Visibility


@click.group("circuit", cls=Group)
def circuit_group() -> None:
    """Build circuits, look at built ones, remove them."""


for command in (tune_command, report_command, rm_command, prune_command):
    circuit_group.add_command(command)


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
@visibility_options
@DIM_OPTION
@USUAL_PROOF_SYSTEM_OPTION
@PROVER_OPTION
@MAX_MEMORY_OPTION
@SRS_OPTION
@JSON_OPTION
def build_command(
    *,
    model: str,
    batch: int,
    tuned: bool | None,
    data: "Data | None",
    visibility: "Visibility",
    dims: dict[str, int],
    proof_system: str | None,
    prover: str | None,
    max_memory: int | None,
    srs: Path | None,
    as_json: bool,
) -> None:
    """Build the circuit of MODEL: a model's name or folder, or an ONNX file.

    An ONNX file is taken as people export it: open axes become 1 (--dim NAME=N for others), and
    operators that circuits lack are rewritten; the changes are told.

    With --data, scale and ranges of a network over fractions are fitted to the samples, none of
    which falls out of range, and the circuit's outputs on them are compared with onnxruntime's.

    What is hashed, a proof shows a hash of; what is private, nothing. Fixed weights are bound by
    the key, and no secret. Agents take circuits that show everything only.

    Building the same model again looks it up. A set-up file counts as real when its SHA-256 is one
    of the public KZG ceremony's; any other is treated as a development set-up, whose verifier can
    only be deployed on a local chain (31337). A set-up of groth16 is made for one network.
    """
    from zkagent.circuits.networks.batch import batch_file

    system = usual_proof_system(model, proof_system)
    require_ezkl(visibility, ezkl=system == PROOF_SYSTEMS[0])
    if system != PROOF_SYSTEMS[0]:
        if data or tuned or dims:
            raise click.UsageError("samples, tuned settings and --dim are for circuits of ezkl")
        tuned = False
    if data and data.fraction_bits:
        if tuned:
            raise click.UsageError("tuned settings have a scale: leave out --fraction-bits")
        tuned = False
    if dims:
        if tuned:
            raise click.UsageError("tuned settings are for axes of 1: leave out --dim")
        tuned = False
    with batch_file(find_onnx(model), batch) as onnx:
        arguments = tuned_arguments(model, onnx, tuned, visibility)
        circuit = build_shown(
            onnx,
            srs,
            arguments,
            data,
            dims=dims,
            visibility=visibility,
            proof_system=system,
            prover=prover,
            max_memory=max_memory,
        )
        show(circuit, as_json)


@circuit_group.command("list")
@JSON_OPTION
def list_command(as_json: bool) -> None:
    """List the circuits in the cache with their sizes, every file checked."""
    from zkagent.circuits.store import list_circuits
    from zkagent.executor.cli.progress import working

    with working() as tell:
        found = [_listed(digest, tell) for digest in list_circuits()]
    if as_json:
        output.show(json.dumps([fields for fields, _ in found]))
        return
    for _, line in found:
        output.show(line)
    output.show(_total([fields["bytes"] for fields, _ in found]))


def _listed(digest: str, tell: Callable[[str], None]) -> tuple[dict[str, Any], str]:
    """A circuit for machines and for people."""
    from zkagent.circuits.cleaning import built_at, size_of
    from zkagent.circuits.errors import CircuitError
    from zkagent.circuits.store import circuits_folder
    from zkagent.circuits.systems import load_circuit

    tell(f"checking {digest[:16]}")
    size = size_of(circuits_folder() / digest)
    built = datetime.fromtimestamp(built_at(digest), UTC)
    more = {"bytes": size, "built": built.isoformat(timespec="seconds")}
    end = f"{sized(size)}, {built:%Y-%m-%d}"
    try:
        circuit = load_circuit(digest)
    except CircuitError as exc:
        return {"digest": digest, "error": str(exc), **more}, f"{digest[:16]}  {exc}; {end}"
    return {**circuit.to_json(), **more}, f"{digest[:16]}  {summary(circuit)}, {end}"


def _total(sizes: list[int]) -> str:
    from zkagent.circuits.cleaning import setups_folder, size_of

    if not sizes:
        return "no circuits yet"
    setups = size_of(setups_folder()) if setups_folder().is_dir() else 0
    count = f"{len(sizes)} circuit{'s' if sizes[1:] else ''}"
    return f"{count}, {sized(sum(sizes))}; set-ups, {sized(setups)}"


@circuit_group.command("show")
@click.argument("digest", shell_complete=completed_digests)
@JSON_OPTION
def show_command(digest: str, as_json: bool) -> None:
    """Show a built circuit by its DIGEST or the beginning of it, every file checked."""
    from zkagent.circuits.store import resolve_digest
    from zkagent.circuits.systems import load_circuit
    from zkagent.executor.cli.progress import working

    with working("checking its files"):
        circuit = load_circuit(resolve_digest(digest))
    show(circuit, as_json)


__all__ = ["circuit_group"]
