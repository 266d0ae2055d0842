"""`zkagent verify`."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_found import circuit_of_digest, find_circuit, named_model
from zkagent.executor.cli.circuits_shown import is_unchosen, summary, warning_of
from zkagent.executor.cli.options import (
    DIM_OPTION,
    JSON_OPTION,
    SRS_OPTION,
    USUAL_PROOF_SYSTEM_OPTION,
)
from zkagent.executor.cli.proof_files import naming, read_inputs, read_proof, said
from zkagent.executor.cli.visibility_options import visibility_options

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit, Proof
    from zkagent.circuits.visibility import Visibility


@click.command("verify")
@click.argument("proof_path", metavar="PROOF", type=click.Path(path_type=Path))
@click.option("--model", help="The model that it must be a proof of; builds or looks it up.")
@click.option("--circuit", "digest", help="The circuit that it must be a proof of, by its digest.")
@click.option(
    "--input",
    "input_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Numbers x, as `zkagent prove` takes them, which must be the proof's, shown or hashed.",
)
@click.option(
    "--output",
    "output_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Integers y, as --hidden-outputs writes them, which must be the proof's.",
)
@visibility_options
@DIM_OPTION
@USUAL_PROOF_SYSTEM_OPTION
@SRS_OPTION
@JSON_OPTION
def verify_command(
    proof_path: Path,
    *,
    model: str | None,
    digest: str | None,
    input_path: Path | None,
    output_path: Path | None,
    visibility: "Visibility",
    dims: dict[str, int],
    proof_system: str | None,
    srs: Path | None,
    as_json: bool,
) -> None:
    """Verify a PROOF file, - for standard input; exit code 1 when it is false, 3 when its numbers
    hold and what it says of them does not follow here.

    Without --model or --circuit the proof is checked against the circuit that it names, which must
    have been built on this machine, or verified with `zkagent ceremony verify --for-audits`.
    """
    from zkagent.circuits.halo2.scales import scale_of
    from zkagent.executor.api.readings import objection
    from zkagent.executor.cli.progress import working
    from zkagent.executor.errors import CannotVerify
    from zkagent.prover.verification import verify

    if dims and model is None:
        raise click.UsageError("--dim says what --model becomes: give both, or neither")
    if not visibility.open and model is None:
        raise click.UsageError(
            "--inputs, --outputs and --weights say how --model is built: give it, too, or name a "
            "circuit"
        )
    if model is not None and digest is not None:
        raise click.UsageError("give --model or --circuit, not both")
    proof = read_proof(proof_path)
    named = proof.circuit if digest is None else digest
    circuit = (
        circuit_of_digest(named, srs)
        if model is None
        else find_circuit(model, srs, proof_system, dims=dims, visibility=visibility)
    )
    with working("verifying the proof"):
        verdict, told = verify(proof, circuit), True
        try:
            reason = (
                verdict.reason
                or objection(proof, circuit, named_model(model))
                or _opening(proof, circuit, input_path, output_path)
            )
        except CannotVerify as exc:
            reason, told = str(exc), False
    if reason:
        proof = replace(proof, about=None)  # words that do not follow are nobody's to repeat
    unchosen = is_unchosen(circuit, srs)
    if as_json:
        valid = not reason if told else None
        fields = {"valid": valid, "reason": reason, "circuit": circuit.digest}
        fields |= {"development_srs": circuit.development_srs}
        fields |= {"unknown_maker": True} if circuit.unknown_maker else {}
        fields |= {"unchosen": True} if unchosen else {}
        meant = {} if verdict.reason else replace(proof, scale=scale_of(circuit)).meaning
        shown = {"inputs": proof.inputs, "outputs": proof.outputs}
        if proof.hides:
            shown = {name: values for name, values in shown.items() if values}
        output.show(json.dumps({**fields, **shown, **proof.hashes.to_json(), **meant}))
    else:
        chosen = model is not None or digest is not None or not unchosen
        _tell(proof, circuit, reason, told=told, chosen=chosen)
    sys.exit(0 if not reason else 1 if told else 3)


def _tell(proof: "Proof", circuit: "Circuit", reason: str, *, told: bool, chosen: bool) -> None:
    """The verdict in words. told: whether it is one, and no doubt."""
    from zkagent.circuits.halo2.scales import scale_of

    if reason and told:
        output.show(f"invalid: {reason}")
        return
    output.show(said(replace(proof, scale=scale_of(circuit))))
    holds = "valid" if told else "the numbers hold"
    output.show(f"{holds} for circuit {circuit.digest[:16]}: {summary(circuit)}")
    for line in circuit.visibility.known:
        output.show(line)
    if warning := warning_of(circuit):
        output.show(f"not to be trusted: {warning}")
    elif not chosen:
        output.show(
            "chosen by nobody here: the proof itself names this circuit, whose ceremony was "
            "only verified (`zkagent ceremony verify --for-audits`); if you trust its "
            f"contributors, give --circuit {circuit.digest[:16]}, or choose it with `zkagent "
            "ceremony finalize`"
        )
    if not told:
        output.show(f"not verified: {reason}")


def _opening(
    proof: "Proof", circuit: "Circuit", input_path: Path | None, output_path: Path | None
) -> str:
    """Why the numbers that somebody shows are not those of a true proof; empty where they are.
    Raises InputRefused."""
    from zkagent.circuits.halo2.scales import quantise
    from zkagent.circuits.networks.inputs import check_inputs, check_outputs, flattened
    from zkagent.prover.opening import inputs_match, outputs_match

    if input_path:
        read = read_inputs(input_path)
        with naming(input_path):
            given = flattened(circuit, read)
        x = check_inputs(circuit, quantise(circuit, given))
        if not inputs_match(proof, circuit, x):
            return f"its inputs are not those of {input_path}"
    if output_path:
        y = check_outputs(circuit, read_inputs(output_path))
        if not outputs_match(proof, circuit, y):
            return f"its outputs are not those of {output_path}"
    return ""


__all__ = ["verify_command"]
