"""Built circuits on disk: circuits/<digest>/ with its files and a manifest of their digests.

A circuit's name covers network, settings, set-up, ezkl and patch version; the manifest covers the
rest. Reading checks everything, so what `load_circuit` returns is what the build wrote.
"""

import importlib.metadata
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from circuits.artifacts import MANIFEST, NETWORK, SETTINGS, Circuit, Facts, Origin, is_digest
from circuits.cache import cache_root, file_digest
from circuits.errors import ArtifactCorrupted, CircuitError, CircuitNotFound, CircuitOutdated
from circuits.sealed import read_sealed, write_sealed
from circuits.srs import Srs, stored_srs
from circuits.verifier_patch import PATCH_VERSION


def circuits_folder(cache: Path | None = None) -> Path:
    """Where circuits lie; made if needed."""
    folder = cache_root(cache) / "circuits"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def ezkl_version() -> str:
    return importlib.metadata.version("ezkl")


def load_circuit(digest: str, cache: Path | None = None) -> Circuit:
    """The circuit of this name, every file checked.

    Raises CircuitNotFound, CircuitOutdated, ArtifactCorrupted.
    """
    folder = circuits_folder(cache)
    directory = folder / digest
    if not is_digest(digest) or not directory.is_dir():
        raise CircuitNotFound(digest, folder)
    origin, facts, files, notes = read_sealed(directory / MANIFEST, _manifest)
    _check_version(digest, origin)
    for name, expected in files.items():
        check_file(directory / name, expected)
    named = (origin.digest, files[NETWORK], files[SETTINGS])
    if named != (digest, origin.onnx, origin.settings):
        raise ArtifactCorrupted(directory / MANIFEST, "it belongs to another circuit")
    srs = stored_srs(origin.srs, cache)
    return replace(circuit_of(directory, srs, origin, facts, files), notes=notes)


def cached_circuit(digest: str, cache: Path | None = None) -> Circuit | None:
    """Like `load_circuit`; None when it is not there, outdated or damaged: build it then."""
    try:
        return load_circuit(digest, cache)
    except (CircuitNotFound, CircuitOutdated, ArtifactCorrupted):
        return None


def circuit_of(
    directory: Path, srs: Srs, origin: Origin, facts: Facts, files: Mapping[str, str]
) -> Circuit:
    return Circuit(origin.digest, directory, srs.path, srs.development, origin, facts, dict(files))


def list_circuits(cache: Path | None = None) -> list[str]:
    """Digests of what is in the cache, unchecked, in alphabetical order."""
    return sorted(path.name for path in circuits_folder(cache).iterdir() if is_digest(path.name))


def is_built(onnx: str, settings: str, cache: Path | None = None) -> bool:
    """Whether the cache holds a circuit of these digests, with any set-up; its files unchecked."""
    folder = circuits_folder(cache)
    for digest in list_circuits(cache):
        try:
            origin, *_ = read_sealed(folder / digest / MANIFEST, _manifest)
        except ArtifactCorrupted:
            continue
        if (origin.onnx, origin.settings) == (onnx, settings):
            return True
    return False


def resolve_digest(prefix: str, cache: Path | None = None) -> str:
    """The one cached circuit whose digest starts with `prefix`. Raises CircuitNotFound."""
    found = [digest for digest in list_circuits(cache) if digest.startswith(prefix)]
    if not prefix or not found:
        raise CircuitNotFound(prefix, circuits_folder(cache))
    if len(found) > 1:
        raise CircuitError(f"{len(found)} circuits start with {prefix!r}: give more digits")
    return found[0]


def write_manifest(circuit: Circuit) -> None:
    """Write the circuit's manifest beside its files."""
    content = {
        "origin": asdict(circuit.origin),
        "facts": asdict(circuit.facts),
        "files": circuit.files,
        "notes": circuit.notes,
    }
    write_sealed(circuit.directory / MANIFEST, content, sort_keys=True)


def annotate(
    digest: str, topic: str, note: Mapping[str, Any], cache: Path | None = None
) -> Circuit:
    """Add a note to a built circuit's manifest, instead of an earlier one on the same topic.

    Raises like load_circuit.
    """
    with FileLock(circuits_folder(cache) / f".{digest}.lock"):
        circuit = load_circuit(digest, cache)
        annotated = replace(circuit, notes={**circuit.notes, topic: dict(note)})
        write_manifest(annotated)
    return annotated


def check_file(path: Path, expected: str) -> None:
    """Refuse a file that is not what was written. Raises ArtifactCorrupted."""
    if not path.is_file():
        raise ArtifactCorrupted(path, "it is missing")
    if (found := file_digest(path)) != expected:
        raise ArtifactCorrupted(path, f"sha256 {found[:12]}, expected {expected[:12]}")


def _manifest(
    content: Mapping[str, Any],
) -> tuple[Origin, Facts, dict[str, str], dict[str, Any]]:
    """Its parts; circuits from before there were notes have none."""
    origin, facts = Origin(**content["origin"]), Facts(**content["facts"])
    return origin, facts, content["files"], content.get("notes", {})


def _check_version(digest: str, origin: Origin) -> None:
    built = f"ezkl {origin.ezkl}, patch {origin.patch}"
    installed = f"ezkl {ezkl_version()}, patch {PATCH_VERSION}"
    if built != installed:
        raise CircuitOutdated(digest, built, installed)


__all__ = [
    "annotate",
    "cached_circuit",
    "check_file",
    "circuit_of",
    "circuits_folder",
    "ezkl_version",
    "is_built",
    "list_circuits",
    "load_circuit",
    "resolve_digest",
    "write_manifest",
]
