"""The options that say what of a proof is public, and how that is told."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from zkagent.circuits.visibility import (
    FIXED,
    OF_INPUTS,
    OF_OUTPUTS,
    OF_WEIGHTS,
    PUBLIC,
    Visibility,
)

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Proof


def visibility_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --inputs, --outputs and --weights, handed on as one `visibility`."""

    @click.option(
        "--inputs",
        type=click.Choice(OF_INPUTS),
        default=PUBLIC,
        show_default=True,
        help="What proofs show of the inputs: the numbers, a hash of them, or nothing.",
    )
    @click.option(
        "--outputs",
        type=click.Choice(OF_OUTPUTS),
        default=PUBLIC,
        show_default=True,
        help="What proofs show of the outputs.",
    )
    @click.option(
        "--weights",
        type=click.Choice(OF_WEIGHTS),
        default=FIXED,
        show_default=True,
        help="How the weights are bound: by the key (not a secret), by a hash that proofs show, or "
        "not at all.",
    )
    @functools.wraps(command)
    def with_visibility(
        *arguments: Any, inputs: str, outputs: str, weights: str, **others: Any
    ) -> Any:
        return command(*arguments, visibility=Visibility(inputs, outputs, weights), **others)

    return with_visibility


def require_ezkl(visibility: Visibility, *, ezkl: bool) -> None:
    """Raises UsageError for another proof system, whose circuits show everything."""
    if not (ezkl or visibility.open):
        raise click.UsageError("--inputs, --outputs and --weights are for circuits of ezkl")


def hash_lines(proof: "Proof") -> list[str]:
    """The hashes that a proof shows, in lines."""
    found = proof.hashes.to_json().items()
    return [
        f"{name.replace('_', ' ')} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in found
    ]


__all__ = ["hash_lines", "require_ezkl", "visibility_options"]
