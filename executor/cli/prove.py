"""`zkagent prove`."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.visibility import PUBLIC
from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_found import (
    HEX_DIGITS,
    circuit_of_digest,
    find_circuit,
    load_any,
)
from zkagent.executor.cli.circuits_shown import find_onnx, warning_of
from zkagent.executor.cli.memory_option import MAX_MEMORY_OPTION
from zkagent.executor.cli.options import (
    DIM_OPTION,
    JSON_OPTION,
    PROOF_SYSTEMS,
    PROVER_OPTION,
    SECONDS,
    SRS_OPTION,
    USUAL_PROOF_SYSTEM_OPTION,
    SettingOption,
)
from zkagent.executor.cli.proof_files import is_proof, naming, read_inputs, said
from zkagent.executor.cli.visibility_options import visibility_options

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit, Proof
    from zkagent.circuits.support.progress import Told
    from zkagent.circuits.visibility import Visibility
    from zkagent.models.catalogue import AnyModel
    from zkagent.models.whole import Place
    from zkagent.prover.local import Measurement
    from zkagent.prover.service.wire.schemas import ProofView

PATIENCE_S = 10.0  # for a service that does not answer
TELL_S = 1.5  # before the user hears of it


@click.command("prove")
@click.argument("model")
@click.option(
    "--input",
    "input_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="JSON list of the numbers x, or an object with a list for each input by its name; - reads "
    "standard input.",
)
@click.option("--prompt", help="Take x from this text, for a model by name or folder.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to put the proof."
)
@click.option(
    "--timeout",
    "timeout_s",
    type=SECONDS,
    default=300,
    show_default=True,
    metavar="S",
)
@click.option(
    "--service",
    cls=SettingOption,
    metavar="URL",
    help="Let a prover service do it: `zkagent serve`.",
)
@click.option(
    "--wait",
    is_flag=True,
    help=f"Wait --timeout for a service that does not answer, instead of {PATIENCE_S:.0f} s.",
)
@click.option(
    "--hidden-outputs",
    "outputs_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to put y as the circuit's integers, for who may know it, where the proof hides it.",
)
@visibility_options
@DIM_OPTION
@USUAL_PROOF_SYSTEM_OPTION
@PROVER_OPTION
@MAX_MEMORY_OPTION
@SRS_OPTION
@JSON_OPTION
def prove_command(
    *,
    model: str,
    input_path: Path | None,
    prompt: str | None,
    out: Path | None,
    timeout_s: float,
    service: str | None,
    wait: bool,
    outputs_path: Path | None,
    visibility: "Visibility",
    dims: dict[str, int],
    proof_system: str | None,
    prover: str | None,
    max_memory: int | None,
    srs: Path | None,
    as_json: bool,
) -> None:
    """Prove y = f(x) for MODEL: a model's name or folder, an ONNX file, or a circuit's digest or
    the beginning of it.

    The proof is verified before it is written; one that a service made, if the model and its
    circuit are on this machine, too. Without --out it goes to standard output.
    """
    from zkagent.circuits.halo2.scales import quantise
    from zkagent.circuits.networks.inputs import flattened
    from zkagent.executor.api.readings import about
    from zkagent.executor.places import check_place, write_whole

    if (input_path is None) == (prompt is None):
        raise click.UsageError("give x with either --input or --prompt")
    if service:
        if max_memory:
            raise click.UsageError("a service builds no circuits here: leave out --max-memory")
        hiding = not visibility.open or outputs_path is not None
        _check_service(proof_system, prover, dims=bool(dims), hiding=hiding)
    place = check_place(out, replaceable=is_proof) if out else None
    hidden = check_place(outputs_path) if outputs_path else None
    loaded = None if prompt is None else load_any(model)
    given = _encode(loaded, prompt or "") if loaded else read_inputs(input_path)
    if service:
        _require_open(model)
        values = _flat(given)
        patience_s = timeout_s if wait else PATIENCE_S
        proof, measurement = _prove_by_service(service, model, values, timeout_s, patience_s)
        proof, verify_s = _checked_if_possible(proof, model, service, srs)
    else:
        circuit = find_circuit(
            model,
            srs,
            proof_system,
            prover=prover,
            dims=dims,
            visibility=visibility,
            max_memory=max_memory,
        )
        with naming(input_path):
            flat = flattened(circuit, given)
        values = quantise(circuit, flat)
        if hidden and circuit.visibility.outputs == PUBLIC:
            raise click.UsageError("the proof shows its outputs: leave out --hidden-outputs")
        proof, measurement = _prove(circuit, values, timeout_s, prover, hidden)
        verify_s = measurement.verify_s
        if warning := warning_of(circuit):
            verify_s = None
            output.show(f"true of circuit {circuit.digest[:16]}, but {warning}", err=True)
    if loaded:
        proof = replace(proof, about=about(loaded, prompt or "", proof))
    if place:
        write_whole(place, proof.to_json() + "\n")
    if as_json or not out:
        verified = verify_s is not None
        output.show(_as_json(proof, measurement, verified) if as_json else proof.to_json())
        return
    output.show(said(proof))
    for line in () if service else circuit.visibility.known:
        output.show(line)
    checked = "not verified" if verify_s is None else f"verified in {verify_s:.2f} s"
    made = f"{len(proof.proof)} bytes in {measurement.prove_s:.2f} s"
    output.show(f"{made}, {checked}, circuit {proof.circuit[:16]}: {out}")


def _flat(given: object) -> list[object]:
    """For a service, which knows circuits by their integers. Raises InputRefused."""
    from zkagent.circuits.errors import InputRefused

    if not isinstance(given, list):
        raise InputRefused("a service takes x as one flat list: names are for --input alone")
    return given


def _encode(model: "AnyModel", prompt: str) -> list[object]:
    """x for the first decision about `prompt`, or for the text to classify. Raises ModelError."""
    from zkagent.executor.api.decisions import encode

    return list(encode(model, prompt))


def _check_service(
    proof_system: str | None, prover: str | None, *, dims: bool, hiding: bool
) -> None:
    """What a service has decided already. Raises UsageError."""
    if proof_system not in (None, PROOF_SYSTEMS[0]):
        raise click.UsageError(
            "a service proves by its own circuits: leave out --proof-system, a model's name is of "
            "the system that it serves; or name a circuit by its digest"
        )
    if dims:
        raise click.UsageError("a service has built its circuits: leave out --dim")
    if hiding:
        raise click.UsageError("a service hides nothing: leave out --service")
    if prover:
        raise click.UsageError("a service has a prover of its own: leave out --prover")


def _require_open(model: str) -> None:
    """Before a service is told the inputs of a circuit that hides something, as far as it is known
    here. Raises NumbersHidden."""
    from zkagent.circuits.errors import CircuitError, NumbersHidden
    from zkagent.circuits.store import read_stored, resolve_digest

    if not model or not set(model) <= HEX_DIGITS:
        return
    try:
        digest = resolve_digest(model)
        seen = read_stored(digest).facts.visibility
    except CircuitError:
        return
    if not seen.open:
        raise NumbersHidden(digest, seen.words, "a prover service, which keeps what it is sent,")


def _prove(
    circuit: "Circuit",
    values: list[Any],
    timeout_s: float,
    prover: str | None,
    hidden: "Place | None",
) -> "tuple[Proof, Measurement]":
    """hidden: where outputs go that the proof does not show. Raises ProverError, EngineError."""
    from zkagent.circuits.systems import prover_of
    from zkagent.executor.cli.progress import stages
    from zkagent.executor.places import write_whole
    from zkagent.prover.local import LocalProver

    prover_of(circuit, prover)
    with stages(1) as begin, LocalProver(circuit, timeout_s=timeout_s, prover=prover) as local:
        begin("proving")
        proof = local.prove(values)
        assert local.last
        if hidden:
            write_whole(hidden, json.dumps(local.hidden_outputs) + "\n", private=True)
        return proof, local.last


def _prove_by_service(
    url: str, model: str, values: list[Any], timeout_s: float, patience_s: float
) -> "tuple[Proof, Measurement]":
    """Raises ProverError."""
    from zkagent.executor.cli.progress import stages
    from zkagent.prover.client import ServiceClient, Wanted, proof_alone
    from zkagent.prover.local import Measurement
    from zkagent.prover.service.wire.states import State

    with (
        stages(3) as begin,
        ServiceClient(url, patience_s=patience_s, trouble=_telling(patience_s)) as client,
    ):
        said = ["asking the service"]
        begin(said[0])

        def tell(view: "ProofView") -> None:
            stage = "proving" if view.state is State.PROVING else "waiting for its turn"
            if stage not in said:
                said.append(stage)
                begin(stage)

        wanted = Wanted.of_features(model, values, batch="never")
        view = client.prove(wanted, timeout_s=timeout_s, listener=tell)
        proof, took = proof_alone(view, values, model, client.url), view.timings
    return proof, Measurement(took.proving_s or 0, took.verifying_s or 0, 0)


def _checked_if_possible(
    proof: "Proof", model: str, service: str, srs: Path | None
) -> "tuple[Proof, float | None]":
    """Verify what a service made for `model` where this machine has the circuit, which then says
    the scale of its numbers, and how long it took; where it has not, say so. Raises ProofFalse,
    ServiceGarbled, CircuitError."""
    from zkagent.circuits.errors import CircuitNotFound
    from zkagent.circuits.halo2.scales import scale_of
    from zkagent.executor.cli.progress import working
    from zkagent.prover.errors import ProofFalse
    from zkagent.prover.verification import verify

    try:
        circuit = circuit_of_digest(proof.circuit)
    except CircuitNotFound:
        output.show(
            f"not verified here: circuit {proof.circuit[:16]} was not built on this machine; "
            "`zkagent circuit build MODEL`, with the service's set-up file as --srs if it has "
            "another one than you, or for Groth16 a copy of the circuit's folder (of a ceremony, "
            "`zkagent ceremony verify --for-audits` on its last key does as well), then `zkagent "
            "verify` the proof",
            err=True,
        )
        return proof, None
    is_of_model = _is_of_model(circuit, model, service)
    with working("verifying the proof"):
        began = time.monotonic()
        verdict = verify(proof, circuit)
        took_s = time.monotonic() - began
    if not verdict.valid:
        raise ProofFalse(proof.circuit, verdict.reason, service)
    proof = replace(proof, scale=scale_of(circuit))
    doubt = _doubt(circuit, model, srs, is_of_model=is_of_model)
    if not doubt:
        return proof, took_s
    output.show(
        f"not verified here: the proof is true of circuit {circuit.digest[:16]}, but {doubt}",
        err=True,
    )
    return proof, None


def _doubt(circuit: "Circuit", model: str, srs: Path | None, *, is_of_model: bool) -> str:
    """Why a true proof of a circuit may say nothing of the model. Raises SrsUnreadable,
    SrsTooSmall."""
    from zkagent.circuits.systems import has_setup, system_of

    if not is_of_model:
        return f"this machine has no model {model!r} to tell whether that is its circuit"
    if circuit.digest.startswith(model) and srs is None:  # named by what binds its set-up
        return warning_of(circuit)
    if has_setup(circuit, srs):
        return ""
    shared = system_of(circuit).repeatable  # or a circuit has a set-up of its own, and no file
    usual = "this machine's own or a ceremony's" + ("" if shared else " that was chosen here")
    expected = f"the one in {srs}" if srs and shared else usual
    remedy = "name the file with --srs" if shared else "name the circuit by its digest"
    return (
        f"its set-up is not {expected}, and whoever made it can forge proofs: {remedy} if you "
        "trust that"
    )


def _is_of_model(circuit: "Circuit", model: str, service: str) -> bool:
    """Whether a service's circuit is one of what was asked for; False where nobody here knows what
    that is. Raises ServiceGarbled where it is another's."""
    from zkagent.circuits.support.cache import file_digest
    from zkagent.models.errors import UnknownModel
    from zkagent.prover.service.errors import ServiceGarbled

    try:
        fits = file_digest(find_onnx(model)) == circuit.origin.onnx
    except (UnknownModel, OSError):
        if not model or not set(model) <= HEX_DIGITS:
            return False
        fits = circuit.digest.startswith(model)
    if not fits:
        what = f"circuit {circuit.digest[:16]} is none of {model}"
        raise ServiceGarbled(service, f"a proof of something else: {what}")
    return True


def _telling(patience_s: float) -> "Told":
    """Says once, when it lasts, that the service does not answer."""
    began = time.monotonic()
    said: list[str] = []

    def tell(trouble: str) -> None:
        if not said and time.monotonic() - began > TELL_S:
            said.append(trouble)
            output.show(f"{trouble}; trying for {patience_s:g} s", err=True)

    return tell


def _as_json(proof: "Proof", measurement: "Measurement", verified: bool) -> str:
    from dataclasses import asdict

    notes = {"measurement": asdict(measurement), "verified": verified}
    return json.dumps({**proof.document, **notes})


__all__ = ["prove_command"]
