"""From what a user calls a network to its circuit, built with progress and shown in words."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.circuits.artifacts import Scale
from zkagent.circuits.halo2.scales import scale_of
from zkagent.circuits.visibility import OPEN, Visibility
from zkagent.errors import in_line
from zkagent.executor.cli import output
from zkagent.executor.cli.data_options import comparison
from zkagent.executor.cli.memory_option import tell
from zkagent.executor.cli.options import PROOF_SYSTEMS, proof_system_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zkagent.circuits.artifacts import Circuit
    from zkagent.circuits.groth16.ceremony.transcript import Contribution
    from zkagent.circuits.halo2.calibration import Data
    from zkagent.circuits.halo2.settings import RunArguments

MOST_SHOWN = 20


def find_onnx(model: str) -> Path:
    """The ONNX file behind what a user wrote: its path, or a model of any kind by name or folder.

    Raises models' ModelError.
    """
    from zkagent.executor.api.circuits import onnx_of

    return onnx_of(model)


def tuned_arguments(
    model: str, onnx: Path, tuned: bool | None = None, visibility: Visibility = OPEN
) -> "RunArguments | None":
    """The settings that were tuned for this very file and what proofs show; None for the standard
    ones. Says so when there are some. Raises TuningMissing."""
    from zkagent.executor.api.circuits import tuning_of

    tuning = tuning_of(model, onnx, tuned, visibility)
    if tuning is None:
        return None
    output.show(
        f"with the settings that were tuned for {tuning.objective.value}; "
        "`zkagent circuit build --untuned` builds with the standard ones",
        err=True,
    )
    return tuning.winner.arguments


def build_shown(
    onnx: Path,
    srs: Path | None,
    arguments: "RunArguments | None" = None,
    data: "Data | None" = None,
    *,
    dims: "Mapping[str, int] | None" = None,
    visibility: Visibility = OPEN,
    proof_system: str = PROOF_SYSTEMS[0],
    prover: str | None = None,
    max_memory: int | None = None,
) -> "Circuit":
    """Build or look up, with progress. arguments, data, max_memory: for ezkl's circuits. prover:
    for those of groth16. Raises like the system's `build`."""
    from zkagent.circuits.halo2.build import Stage
    from zkagent.circuits.halo2.build_process import build_isolated
    from zkagent.executor.cli.progress import stages, working

    system = proof_system_of(proof_system, prover)
    if max_memory and proof_system != PROOF_SYSTEMS[0]:
        raise click.UsageError("--max-memory is for circuits of ezkl")
    if proof_system != PROOF_SYSTEMS[0]:
        with working() as begin:
            return system.build(onnx, srs=srs, progress=begin)
    with stages(len(Stage)) as begin:
        return build_isolated(
            onnx,
            srs=srs,
            arguments=arguments,
            data=data,
            dims=dims,
            visibility=visibility,
            max_memory=max_memory,
            progress=begin,
            foretold=tell,
        )


def summary(circuit: "Circuit") -> str:
    """One line: sizes, exactness, set-up."""
    facts = circuit.facts
    kind = "exact" if facts.exact else _fractions(scale_of(circuit))
    return (
        f"{facts.input_count} -> {facts.output_count}, {kind}, {facts.rows} rows of "
        f"2^{facts.logrows}, proof {facts.proof_bytes} bytes, {setup_of(circuit)}"
    )


def setup_of(circuit: "Circuit") -> str:
    """What kind of set-up it has, as far as this machine knows."""
    if circuit.unknown_maker:
        return "set-up of an unknown maker"
    if circuit.development_srs:
        return "development set-up"
    if not circuit.transcript:
        return "public ceremony"
    return "ceremony of its own" + (", chosen by nobody here" if is_unchosen(circuit) else "")


def is_unchosen(circuit: "Circuit", srs: Path | None = None) -> bool:
    """Whether its ceremony was only verified here, for audits and receipts. srs: a verifying key
    that names it. Raises NoteDamaged, SrsUnreadable."""
    from zkagent.circuits.systems import has_setup

    return bool(circuit.transcript) and not has_setup(circuit, srs)


def contribution_lines(contributions: "Sequence[Contribution]") -> list[str]:
    """Each one's hash, by which its maker knows it, and then what somebody says of it."""
    return [
        f"{each.hash.hex()} {each.title}"
        + (f", a beacon hashed 2^{each.beacon.iterations} times" if each.beacon else "")
        for each in contributions
    ]


def powers_lines(circuit: "Circuit") -> list[str]:
    """Where a ceremony of its own began, if that was noted and is no public ceremony's."""
    from zkagent.circuits.groth16.ceremony.ptau import is_public

    note = circuit.notes.get("ceremony")
    digest = note.get("ptau") if circuit.transcript and isinstance(note, dict) else None
    if not isinstance(digest, str) or is_public(digest):
        return []
    return [f"from powers of tau of no public ceremony, of BLAKE2b {in_line(digest)}"]


def deployed_lines(circuit: "Circuit", model: str) -> list[str]:
    """For those who are asked whether to deploy a circuit: which one it is, and who made its
    set-up. Raises CeremonyRefused."""
    lines = [f"proves by circuit {circuit.digest}, {setup_of(circuit)}"]
    if not circuit.transcript:
        return lines
    from zkagent.circuits.groth16.ceremony.transcript import read_transcript
    from zkagent.executor.commands import typed

    made = contribution_lines(read_transcript(circuit.directory / "circuit.zkey").contributions)
    lines += powers_lines(circuit)
    lines += [f"whose transcript is {circuit.transcript}, of {len(made)} contributions:"]
    lines += [f"  {line}" for line in made[:MOST_SHOWN]]
    if len(made) > MOST_SHOWN:
        lines.append(f"  and {len(made) - MOST_SHOWN} more, which `zkagent ceremony verify` lists")
    command = typed("ceremony", "finalize", model, "KEY", "--ptau", "FILE")
    return [*lines, f"`{command}` chooses another"]


def _faces_lines(circuit: "Circuit") -> list[str]:
    """The names of several inputs or outputs."""
    if circuit.faces.plain:
        return []
    return [
        f"{side}: {', '.join(f'{in_line(each.name)} {list(each.shape)}' for each in faces)}"
        for side, faces in (("inputs", circuit.faces.inputs), ("outputs", circuit.faces.outputs))
    ]


def _change_lines(circuit: "Circuit") -> list[str]:
    """What was changed in the user's file."""
    from zkagent.circuits.halo2.build import changes_of

    changes = changes_of(circuit)
    more = len(changes) - MOST_SHOWN
    rest = [f"and {more} more changes"] if more > 0 else []
    return [*(f"changed: {in_line(line)}" for line in changes[:MOST_SHOWN]), *rest]


def hidden_lines(circuit: "Circuit") -> list[str]:
    """What proofs show, and what is known of what they hide; none where they show everything."""
    if circuit.visibility.open:
        return []
    weights = circuit.facts.weights_hash
    return [
        circuit.visibility.words,
        *circuit.visibility.known,
        *([f"weights hash {weights}"] if weights else []),
    ]


def warning_of(circuit: "Circuit") -> str:
    """What a proof of it may be worth, where nobody here knows who made its key."""
    if not circuit.unknown_maker:
        return ""
    return (
        "nobody here knows who made its key: the circuit's folder came from elsewhere, and whoever "
        "made it can make such proofs of anything"
    )


def _fractions(scale: Scale) -> str:
    """Of inputs and outputs, whose scales need not be the same."""
    bits = " or ".join(map(str, sorted(set(scale.outputs))))
    given = " or ".join(map(str, sorted(set(scale.inputs))))
    return f"inputs of {given} and outputs of {bits} bits of fraction"


def sized(count: int) -> str:
    """A number of bytes in words: ``7.6 MB``."""
    if count < 1000:
        return f"{count} bytes"
    size, unit = float(count), -1
    while size >= 999.5:
        size, unit = size / 1000, unit + 1
    return f"{size:.{1 if size < 10 else 0}f} {'kB MB GB TB'.split()[unit]}"


def completed_digests(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """What a shell offers for a circuit's digest."""
    from zkagent.circuits.store import list_circuits

    return [digest[:16] for digest in list_circuits() if digest.startswith(incomplete)]


def show(circuit: "Circuit", as_json: bool) -> None:
    """Print a circuit, for machines or for people."""
    from zkagent.circuits.cleaning import size_of

    size = size_of(circuit.directory)
    if as_json:
        bits = {"output_scale_bits": scale_of(circuit).outputs}
        output.show(json.dumps({**circuit.to_json(), **bits, "bytes": size}))
        return
    output.show(circuit.digest)
    output.show(f"  {summary(circuit)}, {sized(size)}")
    for line in (*_faces_lines(circuit), *_change_lines(circuit), *comparison(circuit)):
        output.show(f"  {line}")
    for line in hidden_lines(circuit):
        output.show(f"  {line}")
    if circuit.transcript:
        output.show(f"  the ceremony's transcript {circuit.transcript}")
    for line in powers_lines(circuit):
        output.show(f"  {line}")
    files = [circuit.directory / name for name in sorted(circuit.files)]
    for path in dict.fromkeys((*files, circuit.srs)):
        output.show(f"  {path}  {path.stat().st_size:,} bytes")
    if circuit.development_srs:
        remedy = "give a public ceremony's file with --srs"
        if proof_system_of(PROOF_SYSTEMS[0]).name != circuit.origin.system:
            remedy = "`zkagent ceremony init` begins a ceremony"
        output.show(
            f"development set-up: proofs count on a local chain (31337) only; {remedy}", err=True
        )
    if warning := warning_of(circuit):
        output.show(warning, err=True)


__all__ = ["build_shown", "completed_digests", "contribution_lines", "deployed_lines", "find_onnx"]
__all__ += ["is_unchosen", "setup_of", "show", "sized"]
__all__ += ["summary", "tuned_arguments", "warning_of"]
