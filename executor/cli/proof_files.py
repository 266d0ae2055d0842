"""Reads what `zkagent prove` and `zkagent verify` are given, and tells of proofs."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.executor.cli.visibility_options import hash_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zkagent.circuits.artifacts import Proof


def is_proof(text: str) -> bool:
    from zkagent.circuits.artifacts import Proof
    from zkagent.circuits.errors import ProofMalformed

    try:
        Proof.from_json(text)
    except ProofMalformed:
        return False
    return True


def read_proof(path: Path) -> "Proof":
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


@contextmanager
def naming(path: Path | None) -> "Iterator[None]":
    """What is refused in this block is in that file, and says so."""
    from zkagent.circuits.errors import InputRefused
    from zkagent.executor.cli.standard_input import named

    try:
        yield
    except InputRefused as exc:
        if path is None:
            raise
        raise InputRefused(f"{named(path)}: {exc}") from exc


def read_inputs(path: Path | None) -> object:
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


def said(proof: "Proof") -> str:
    """What was decided, or y in the network's own numbers."""
    from zkagent.errors import in_line

    if proof.about:
        model, decision = in_line(proof.about.model), in_line(proof.about.decision)
        return f"{model} decides {decision} about {in_line(repr(proof.about.prompt))}"
    if proof.hashes.outputs:
        return "\n".join(["y is hidden", *hash_lines(proof)])
    return "\n".join([_outputs(proof), *hash_lines(proof)])


def _outputs(proof: "Proof") -> str:
    from zkagent.errors import in_line

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


__all__ = ["is_proof", "naming", "read_inputs", "read_proof", "said"]
