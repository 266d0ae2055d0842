"""`zkagent circuit rm` and `prune`: what lies in the cache goes, after a question."""

import json
import sys
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_shown import completed_digests, sized
from zkagent.executor.cli.consent import YES_OPTION, ask
from zkagent.executor.cli.options import JSON_OPTION, FiniteRange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zkagent.circuits.cleaning import Waste
    from zkagent.circuits.errors import CircuitInUse


FINAL = (
    "cannot be built again: its keys will be gone for good, and with them the proofs of agents "
    "that were deployed with it"
)


@click.command("rm")
@click.argument(
    "digests", nargs=-1, required=True, metavar="DIGEST...", shell_complete=completed_digests
)
@YES_OPTION
@JSON_OPTION
def rm_command(digests: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Remove built circuits by their DIGEST or the beginning of it.

    A circuit can be built again; with a development set-up that is gone it gets another digest. One
    of groth16 cannot: its keys are gone for good, and agents that were deployed with it stop.
    """
    from zkagent.circuits.cleaning import asked_for
    from zkagent.circuits.store import resolve_digest

    found = [asked_for(digest) for digest in dict.fromkeys(map(resolve_digest, digests))]
    for waste in found:
        if waste.final:
            output.show(f"{waste.name[:16]} {FINAL}", err=True)
    _ask(found, yes)
    stood = {onnx: _standing(onnx) for waste in found if (onnx := _network_of(waste))}
    removed, left = _remove(found)
    _tell(removed, left, as_json)
    _tell_changed(stood)
    if left:
        sys.exit(1)


@click.command("prune")
@click.option(
    "--older-than",
    "days",
    type=FiniteRange(0),
    metavar="DAYS",
    help="Good ones, too, built before.",
)
@click.option("--keep", multiple=True, metavar="DIGEST", help="Not this one; may be repeated.")
@click.option("--setups", is_flag=True, help="Set-ups, too, that no circuit left was made with.")
@click.option("--dry-run", is_flag=True, help="Show what would go; remove nothing.")
@YES_OPTION
@JSON_OPTION
def prune_command(
    *,
    days: float | None,
    keep: tuple[str, ...],
    setups: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Remove what nobody can use: outdated and damaged circuits, and what was interrupted.

    A development set-up is made anew when it is missed, but it is never the same again: circuits
    made with it later have other digests. Circuits of groth16 stay, also damaged and outdated ones:
    no build makes their keys again. `zkagent circuit rm` removes one that is named.
    """
    from zkagent.circuits.cleaning import find_waste
    from zkagent.circuits.store import resolve_digest
    from zkagent.executor.cli.progress import working

    kept = [resolve_digest(digest) for digest in keep]
    with working("checking all circuits"):
        found = find_waste(older_than_days=days, keep=kept, setups=setups)
    if dry_run:
        _tell(found, [], as_json, "would remove")
        return
    if found:
        _ask(found, yes)
    _tell(*_remove(found), as_json)


def _ask(found: "Sequence[Waste]", yes: bool) -> None:
    """Ends the command unless the user agrees."""
    if yes:
        return
    for waste in found:
        output.show(_line(waste), err=True)
    size = sized(sum(waste.bytes for waste in found))
    ask(f"remove {size}?", "nothing was removed")


def _remove(found: "Sequence[Waste]") -> "tuple[list[Waste], list[CircuitInUse]]":
    """What is gone, and why the rest is not."""
    from zkagent.circuits.cleaning import remove
    from zkagent.circuits.errors import CircuitInUse

    removed, left = [], []
    for waste in found:
        try:
            remove(waste)
            removed.append(waste)
        except CircuitInUse as exc:
            left.append(exc)
    return removed, left


def _network_of(waste: "Waste") -> str:
    """SHA-256 of its ONNX file, where no build makes it again; empty where nothing tells."""
    from zkagent.circuits.errors import CircuitError
    from zkagent.circuits.store import read_stored

    try:
        return read_stored(waste.name).origin.onnx if waste.final else ""
    except CircuitError:
        return ""


def _standing(onnx: str) -> str:
    """Digest of what stands for an ONNX file, of those that no build makes again."""
    from zkagent.circuits.errors import KeysDamaged
    from zkagent.circuits.groth16.build import chosen_circuits

    try:
        return next((each.digest for each in chosen_circuits(onnx)), "")
    except KeysDamaged:
        return ""


def _tell_changed(stood: "Mapping[str, str]") -> None:
    """One that was chosen before may have been given up for a reason."""
    for onnx, before in stood.items():
        if (now := _standing(onnx)) and before not in ("", now):
            output.show(
                f"{now[:16]}, which was there before, stands for its network from now on, in "
                f"place of {before[:16]}: remove it, too, unless that is meant",
                err=True,
            )


def _tell(
    removed: "Sequence[Waste]", left: "Sequence[CircuitInUse]", as_json: bool, did: str = "removed"
) -> None:
    for reason in left:
        output.show(reason, err=True)
    size = sum(waste.bytes for waste in removed)
    if as_json:
        gone = [{"name": w.name, "why": w.why, "bytes": w.bytes} for w in removed]
        output.show(json.dumps({did.replace(" ", "_"): gone, "bytes": size}))
        return
    for waste in removed:
        output.show(f"{did} {_line(waste)}")
    output.show(f"{sized(size)} in all" if removed else "nothing to remove")


def _line(waste: "Waste") -> str:
    name = waste.name if waste.name.startswith(".") else waste.name[:16]
    return f"{name}  {waste.why}, {sized(waste.bytes)}"


__all__ = ["prune_command", "rm_command"]
