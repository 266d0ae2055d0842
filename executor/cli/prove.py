"""`zkagent prove` and `zkagent verify`."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_shown import (
    build_shown,
    find_onnx,
    is_unchosen,
    summary,
    tuned_arguments,
    warning_of,
)
from zkagent.executor.cli.options import (
    DIM_OPTION,
    JSON_OPTION,
    PROOF_SYSTEMS,
    PROVER_OPTION,
    SECONDS,
    SRS_OPTION,
    USUAL_PROOF_SYSTEM_OPTION,
    SettingOption,
    usual_proof_system,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zkagent.circuits.artifacts import Circuit, Proof
    from zkagent.circuits.support.progress import Told
    from zkagent.models.catalogue import AnyModel
    from zkagent.prover.local import Measurement
    from zkagent.prover.service.wire.schemas import ProofView

PATIENCE_S = 10.0  # for a service that does not answer
TELL_S = 1.5  # before the user hears of it
HEX_DIGITS = frozenset("0123456789abcdef")


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
@DIM_OPTION
@USUAL_PROOF_SYSTEM_OPTION
@PROVER_OPTION
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
    dims: dict[str, int],
    proof_system: str | None,
    prover: str | None,
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
    if service and proof_system not in (None, PROOF_SYSTEMS[0]):
        raise click.UsageError(
            "a service proves by its own circuits: leave out --proof-system, a model's name is of "
            "the system that it serves; or name a circuit by its digest"
        )
    if service and dims:
        raise click.UsageError("a service has built its circuits: leave out --dim")
    if service and prover:
        raise click.UsageError("a service has a prover of its own: leave out --prover")
    place = check_place(out, replaceable=_is_proof) if out else None
    loaded = None if prompt is None else _load(model)
    given = _encode(loaded, prompt or "") if loaded else _read_inputs(input_path)
    if service:
        values = _flat(given)
        patience_s = timeout_s if wait else PATIENCE_S
        proof, measurement = _prove_by_service(service, model, values, timeout_s, patience_s)
        proof, verify_s = _checked_if_possible(proof, model, service, srs)
    else:
        circuit = _find_circuit(model, srs, proof_system, prover, dims)
        values = quantise(circuit, flattened(circuit, given))
        proof, measurement = _prove(circuit, values, timeout_s, prover)
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
    output.show(_said(proof))
    checked = "not verified" if verify_s is None else f"verified in {verify_s:.2f} s"
    made = f"{len(proof.proof)} bytes in {measurement.prove_s:.2f} s"
    output.show(f"{made}, {checked}, circuit {proof.circuit[:16]}: {out}")


@click.command("verify")
@click.argument("proof_path", metavar="PROOF", type=click.Path(path_type=Path))
@click.option("--model", help="The model that it must be a proof of; builds or looks it up.")
@click.option("--circuit", "digest", help="The circuit that it must be a proof of, by its digest.")
@DIM_OPTION
@USUAL_PROOF_SYSTEM_OPTION
@SRS_OPTION
@JSON_OPTION
def verify_command(
    proof_path: Path,
    *,
    model: str | None,
    digest: str | None,
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
    if model is not None and digest is not None:
        raise click.UsageError("give --model or --circuit, not both")
    proof = _read_proof(proof_path)
    named = proof.circuit if digest is None else digest
    circuit = (
        _circuit_of_digest(named, srs)
        if model is None
        else _find_circuit(model, srs, proof_system, dims=dims)
    )
    with working("verifying the proof"):
        verdict, told = verify(proof, circuit), True
        try:
            reason = verdict.reason or objection(proof, circuit, _named_model(model))
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
        output.show(
            json.dumps({**fields, "inputs": proof.inputs, "outputs": proof.outputs, **meant})
        )
    elif reason and told:
        output.show(f"invalid: {reason}")
    else:
        output.show(_said(replace(proof, scale=scale_of(circuit))))
        holds = "valid" if told else "the numbers hold"
        output.show(f"{holds} for circuit {circuit.digest[:16]}: {summary(circuit)}")
        if warning := warning_of(circuit):
            output.show(f"not to be trusted: {warning}")
        elif model is None and digest is None and unchosen:
            output.show(
                "chosen by nobody here: the proof itself names this circuit, whose ceremony was "
                "only verified (`zkagent ceremony verify --for-audits`); if you trust its "
                f"contributors, give --circuit {circuit.digest[:16]}, or choose it with `zkagent "
                "ceremony finalize`"
            )
        if not told:
            output.show(f"not verified: {reason}")
    sys.exit(0 if not reason else 1 if told else 3)


def _is_proof(text: str) -> bool:
    from zkagent.circuits.artifacts import Proof
    from zkagent.circuits.errors import ProofMalformed

    try:
        Proof.from_json(text)
    except ProofMalformed:
        return False
    return True


def _said(proof: "Proof") -> str:
    """What was decided, or y in the network's own numbers."""
    from zkagent.errors import in_line

    if proof.about:
        model, decision = in_line(proof.about.model), in_line(proof.about.decision)
        return f"{model} decides {decision} about {in_line(repr(proof.about.prompt))}"
    values = proof.scale.read(proof.outputs) if proof.scale else proof.outputs
    if proof.faces and not proof.faces.plain:
        parts = zip(proof.faces.outputs, proof.faces.split_outputs(values), strict=True)
        return "\n".join(f"{in_line(face.name)} = {_numbers(part)}" for face, part in parts)
    if proof.scale is None or proof.scale.exact:
        return f"y = {list(proof.outputs)}"
    bits = " or ".join(f"2^{each}" for each in sorted(set(proof.scale.outputs)))
    return f"y = {_numbers(values)}, which is {list(proof.outputs)} / {bits}"


def _numbers(values: "Sequence[float]") -> str:
    return f"[{', '.join(f'{value:.6g}' for value in values)}]"


def _named_model(model: str | None) -> "AnyModel | None":
    """The model of --model, where that is no ONNX file. Raises ModelError."""
    from zkagent.executor.api.circuits import is_file

    return None if model is None or is_file(model) or set(model) <= HEX_DIGITS else _load(model)


def _find_circuit(
    model: str,
    srs: Path | None,
    proof_system: str | None,
    prover: str | None = None,
    dims: dict[str, int] | None = None,
) -> "Circuit":
    """Built from a model, or by digest where no model has that name. Raises CircuitError,
    ModelError."""
    from zkagent.models.errors import UnknownModel

    try:
        onnx = find_onnx(model)
    except UnknownModel:
        if model and set(model) <= HEX_DIGITS:
            return _circuit_of_digest(model, srs)
        raise
    system = usual_proof_system(model, proof_system)
    if dims and system != PROOF_SYSTEMS[0]:
        raise click.UsageError("--dim is for circuits of ezkl")
    tuned = None if system == PROOF_SYSTEMS[0] and not dims else False
    arguments = tuned_arguments(model, onnx, tuned)
    return build_shown(onnx, srs, arguments, dims=dims, proof_system=system, prover=prover)


def _circuit_of_digest(prefix: str, srs: Path | None = None) -> "Circuit":
    """By its digest or the beginning of it, as `zkagent circuit show`. srs: the only set-up that it
    may have. Raises CircuitError."""
    from zkagent.circuits.store import resolve_digest
    from zkagent.circuits.systems import check_setup, load_circuit
    from zkagent.executor.cli.progress import working

    with working("checking the circuit's files"):
        circuit = load_circuit(resolve_digest(prefix))
        check_setup(circuit, srs)
        return circuit


def _flat(given: object) -> list[object]:
    """For a service, which knows circuits by their integers. Raises InputRefused."""
    from zkagent.circuits.errors import InputRefused

    if not isinstance(given, list):
        raise InputRefused("a service takes x as one flat list: names are for --input alone")
    return given


def _read_inputs(path: Path | None) -> object:
    from zkagent.circuits.errors import InputRefused
    from zkagent.executor.cli.standard_input import named, read_some
    from zkagent.models.strict_json import load_json

    assert path
    try:
        values = load_json(read_some(path))
    except OSError as exc:
        raise InputRefused(f"{path} cannot be read ({exc.strerror})") from exc
    except ValueError as exc:
        raise InputRefused(
            f"{named(path)} is not JSON ({exc}): give a file with one list of numbers"
        ) from exc
    if not isinstance(values, list | dict):
        raise InputRefused(
            f"{named(path)} holds {type(values).__name__}, expected a list of numbers, or an "
            "object with one for each input"
        )
    return values


def _load(name: str) -> "AnyModel":
    """Raises ModelError."""
    from zkagent.models.catalogue import load_model

    return load_model(name)


def _encode(model: "AnyModel", prompt: str) -> list[object]:
    """x for the first decision about `prompt`, or for the text to classify. Raises ModelError."""
    from zkagent.executor.api.decisions import encode

    return list(encode(model, prompt))


def _read_proof(path: Path) -> "Proof":
    """Raises ProofMalformed."""
    from zkagent.circuits.artifacts import MOST_PROOF_BYTES, Proof
    from zkagent.circuits.errors import ProofMalformed
    from zkagent.executor.cli.standard_input import named, read_some

    try:
        return Proof.from_json(read_some(path, 4 * MOST_PROOF_BYTES))
    except OSError as exc:
        raise ProofMalformed(f"it cannot be read ({exc.strerror})", named(path)) from exc
    except ProofMalformed as exc:
        raise ProofMalformed(exc.reason, named(path)) from exc


def _prove(
    circuit: "Circuit", values: list[Any], timeout_s: float, prover: str | None
) -> "tuple[Proof, Measurement]":
    """Raises ProverError, EngineError."""
    from zkagent.circuits.systems import prover_of
    from zkagent.executor.cli.progress import stages
    from zkagent.prover.local import LocalProver

    prover_of(circuit, prover)
    with stages(1) as begin, LocalProver(circuit, timeout_s=timeout_s, prover=prover) as local:
        begin("proving")
        proof = local.prove(values)
        assert local.last
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
        circuit = _circuit_of_digest(proof.circuit)
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


__all__ = ["prove_command", "verify_command"]
