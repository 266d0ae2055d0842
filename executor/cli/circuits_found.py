"""From what a user calls a circuit to the circuit, for `zkagent prove` and `zkagent verify`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.circuits.visibility import OPEN, Visibility
from zkagent.executor.cli.circuits_shown import build_shown, find_onnx, tuned_arguments
from zkagent.executor.cli.options import PROOF_SYSTEMS, usual_proof_system
from zkagent.executor.cli.visibility_options import require_ezkl

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.models.catalogue import AnyModel

HEX_DIGITS = frozenset("0123456789abcdef")


def find_circuit(
    model: str,
    srs: Path | None,
    proof_system: str | None,
    *,
    prover: str | None = None,
    dims: dict[str, int] | None = None,
    visibility: Visibility = OPEN,
    max_memory: int | None = None,
) -> "Circuit":
    """Built from a model, or by digest where no model has that name. Raises CircuitError,
    ModelError."""
    from zkagent.models.errors import UnknownModel

    try:
        onnx = find_onnx(model)
    except UnknownModel:
        if model and set(model) <= HEX_DIGITS:
            return _showing(circuit_of_digest(model, srs), visibility)
        raise
    system = usual_proof_system(model, proof_system)
    if dims and system != PROOF_SYSTEMS[0]:
        raise click.UsageError("--dim is for circuits of ezkl")
    require_ezkl(visibility, ezkl=system == PROOF_SYSTEMS[0])
    tuned = None if system == PROOF_SYSTEMS[0] and not dims else False
    arguments = tuned_arguments(model, onnx, tuned, visibility)
    return build_shown(
        onnx,
        srs,
        arguments,
        dims=dims,
        visibility=visibility,
        proof_system=system,
        prover=prover,
        max_memory=max_memory,
    )


def _showing(circuit: "Circuit", visibility: Visibility) -> "Circuit":
    """Raises UsageError where a circuit that was named shows something else than was asked for."""
    if not visibility.open and circuit.visibility != visibility:
        raise click.UsageError(
            f"circuit {circuit.digest[:16]} has {circuit.visibility.words}: leave out --inputs, "
            "--outputs and --weights, or name the ONNX file"
        )
    return circuit


def circuit_of_digest(prefix: str, srs: Path | None = None) -> "Circuit":
    """By its digest or the beginning of it, as `zkagent circuit show`. srs: the only set-up that it
    may have. Raises CircuitError."""
    from zkagent.circuits.store import resolve_digest
    from zkagent.circuits.systems import check_setup, load_circuit
    from zkagent.executor.cli.progress import working

    with working("checking the circuit's files"):
        circuit = load_circuit(resolve_digest(prefix))
        check_setup(circuit, srs)
        return circuit


def named_model(model: str | None) -> "AnyModel | None":
    """The model of --model, where that is no ONNX file. Raises ModelError."""
    from zkagent.executor.api.circuits import is_file

    return None if model is None or is_file(model) or set(model) <= HEX_DIGITS else load_any(model)


def load_any(name: str) -> "AnyModel":
    """Raises ModelError."""
    from zkagent.models.catalogue import load_model

    return load_model(name)


__all__ = ["circuit_of_digest", "find_circuit", "load_any", "named_model"]
