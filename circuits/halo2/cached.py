"""Built circuits of this system, from the cache: versions, files and set-up checked, or only what
their manifests say."""

import importlib.metadata
from collections.abc import Iterable
from pathlib import Path

from zkagent.circuits.artifacts import FIRST_SYSTEM, PREPARED, Circuit
from zkagent.circuits.errors import CircuitOutdated
from zkagent.circuits.halo2.srs import named_srs, stored_srs
from zkagent.circuits.halo2.verifier_patch import PATCH_VERSION
from zkagent.circuits.store import Stored, read_stored

NAME = FIRST_SYSTEM


def versions() -> tuple[tuple[str, str], ...]:
    """What decides a circuit besides its files: ezkl, and our changes to the verifier."""
    return ("ezkl", ezkl_version()), ("patch", PATCH_VERSION)


def ezkl_version() -> str:
    return importlib.metadata.version("ezkl")


def open_stored(stored: Stored, cache: Path | None = None) -> Circuit:
    """Raises CircuitOutdated, ArtifactCorrupted."""
    _check_version(stored)
    stored.check_files()
    srs = stored_srs(stored.origin.srs, cache)
    return stored.circuit(srs.path, development=srs.development)


def describe_stored(stored: Stored, cache: Path | None = None) -> Circuit:
    """As `open_stored`, no file read. Raises CircuitOutdated, ArtifactCorrupted."""
    _check_version(stored)
    stored.check_name()
    srs = named_srs(stored.origin.srs, stored.facts.logrows, cache)
    return stored.circuit(srs.path, development=srs.development)


def load_circuit(digest: str, cache: Path | None = None) -> Circuit:
    """The circuit of this name, every file checked.

    Raises CircuitNotFound, CircuitOutdated, ArtifactCorrupted.
    """
    return open_stored(read_stored(digest, cache), cache)


def _check_version(stored: Stored) -> None:
    made_by = [each for each in stored.origin.versions if each[0] != PREPARED]
    built, installed = _spoken(made_by), _spoken(versions())
    if built != installed:
        raise CircuitOutdated(stored.directory.name, built, installed)


def _spoken(found: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {version}" for name, version in found)


__all__ = ["NAME", "describe_stored", "ezkl_version", "load_circuit", "open_stored", "versions"]
