"""`zkagent circuit report`: what a circuit is, costs and computes, as text or as one HTML file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_shown import completed_digests, setup_of
from zkagent.executor.cli.options import JSON_OPTION, PROOF_SYSTEMS, proof_system_of

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.circuits.halo2.report.content import Content
    from zkagent.circuits.halo2.report.sheet import Sheet


@click.command("report")
@click.argument("circuit", shell_complete=completed_digests)
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page that needs no other file and no script, instead of text.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Samples to compare every output with onnxruntime's on.",
)
@JSON_OPTION
def report_command(*, circuit: str, html: Path | None, data: Path | None, as_json: bool) -> None:
    """Show what CIRCUIT is made of: by its digest or the beginning of it, every file checked.

    Cells for each node as ezkl counts them, what it took and takes, its set-up, sizes, gas to
    verify a proof (predicted), the commands to reproduce it and, with --data, how far each output
    is from onnxruntime's.
    """
    from zkagent.circuits.halo2.report.content import gather_isolated
    from zkagent.circuits.halo2.report.page import page
    from zkagent.circuits.halo2.report.text import lines
    from zkagent.executor.cli.progress import working
    from zkagent.executor.places import check_place, write_whole

    if html and as_json:
        raise click.UsageError("--html writes a page, --json prints: give one of them")
    place = check_place(html, replaceable=_is_page) if html else None
    with working("checking the circuit's files") as tell:
        found = _circuit_of(circuit)
        content = gather_isolated(found, data, progress=tell)
    sheet = _sheet(found, content, data)
    if as_json:
        output.show(json.dumps({"digest": found.digest, **content.to_json()}))
        return
    if place:
        write_whole(place, page(sheet))
        output.show(f"wrote {html}", err=True)
        return
    for line in lines(sheet):
        output.show(line)


def _circuit_of(prefix: str) -> "Circuit":
    """Raises CircuitError, click.UsageError for one that ezkl did not make."""
    from zkagent.circuits.store import resolve_digest
    from zkagent.circuits.systems import load_circuit

    found = load_circuit(resolve_digest(prefix))
    if found.origin.system != proof_system_of(PROOF_SYSTEMS[0]).name:
        raise click.UsageError(
            f"reports are of {PROOF_SYSTEMS[0]}'s circuits, this one is of {found.origin.system}: "
            "`zkagent circuit show` shows it"
        )
    return found


def _sheet(circuit: "Circuit", content: "Content", data: Path | None) -> "Sheet":
    from zkagent.circuits.halo2.report.sheet import sheet_of

    return sheet_of(circuit, content, setup_of(circuit), _commands(circuit, data))


def _commands(circuit: "Circuit", data: Path | None) -> tuple[tuple[str, str], ...]:
    """What makes this circuit again, proves with it, and writes this report."""
    from zkagent.circuits.halo2.report.deviations import open_lengths
    from zkagent.executor.commands import typed

    lengths = open_lengths(circuit).items()
    dims = [word for name, size in lengths if size != 1 for word in ("--dim", f"{name}={size}")]
    samples = ["--data", str(data)] if data else []
    srs = [] if circuit.development_srs else ["--srs", circuit.srs]
    build = typed("circuit", "build", circuit.onnx, *samples, *dims, *srs)
    proof, x = "proof.json", "x.json"
    page = typed("circuit", "report", circuit.digest, *samples, "--html", "report.html")
    return (
        (build, f"Build it; the digest is {circuit.digest} where samples and set-up are the same"),
        (
            typed("prove", circuit.digest, "--input", x, "--out", proof),
            "Prove: x.json is the list of its inputs",
        ),
        (typed("verify", proof), "Verify the proof"),
        (page, "Write this report"),
    )


def _is_page(text: str) -> bool:
    """Whether a file is such a page, and may be written over."""
    from zkagent.circuits.halo2.report.page import MARK

    return MARK in text


__all__ = ["report_command"]
