"""Built circuits on disk: circuits/<digest>/ with its files and a manifest of their digests.

Of any proof system: what is stored is opened by the system that made it (`systems.load_circuit`). A
circuit's name covers network, settings, set-up and versions; the manifest covers the rest, so that
what has been checked is what the build wrote.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.artifacts import (
    MANIFEST,
    NETWORK,
    SETTINGS,
    Circuit,
    Facts,
    Origin,
    is_digest,
)
from zkagent.circuits.errors import ArtifactCorrupted, CircuitError, CircuitNotFound
from zkagent.circuits.support.cache import cache_folder, file_digest
from zkagent.circuits.support.sealed import read_sealed, write_sealed


@dataclass(frozen=True)
class Stored:
    """What lies in a circuit's folder, as its manifest says; the files are not checked yet."""

    directory: Path
    origin: Origin
    facts: Facts
    files: dict[str, str]  # name -> SHA-256 hex
    notes: dict[str, Any]

    def check_files(self) -> None:
        """Raises ArtifactCorrupted for a file that is not what the build wrote."""
        for name, expected in self.files.items():
            check_file(self.directory / name, expected)
        named = (self.origin.digest, self.files[NETWORK], self.files.get(SETTINGS, ""))
        if named != (self.directory.name, self.origin.onnx, self.origin.settings):
            raise ArtifactCorrupted(self.directory / MANIFEST, "it belongs to another circuit")

    def circuit(self, srs: Path, *, development: bool) -> Circuit:
        """The circuit, with the set-up that its proof system found for it."""
        return Circuit(
            self.origin.digest,
            self.directory,
            self.directory / NETWORK,
            srs,
            development,
            self.origin,
            self.facts,
            dict(self.files),
            self.notes,
        )


def circuits_folder(cache: Path | None = None) -> Path:
    """Where circuits lie; made if needed. Raises HomeRefused."""
    return cache_folder("circuits", cache=cache)


def read_stored(digest: str, cache: Path | None = None) -> Stored:
    """What lies under this name. Raises CircuitNotFound, ArtifactCorrupted."""
    folder = circuits_folder(cache)
    directory = folder / digest
    if not is_digest(digest) or not directory.is_dir():
        raise CircuitNotFound(digest, folder)
    return Stored(directory, *read_sealed(directory / MANIFEST, _manifest))


def list_circuits(cache: Path | None = None) -> list[str]:
    """Digests of what is in the cache, unchecked, in alphabetical order."""
    return sorted(path.name for path in circuits_folder(cache).iterdir() if is_digest(path.name))


def is_built(onnx: str, settings: str, cache: Path | None = None) -> bool:
    """Whether the cache holds a circuit of these digests, with any set-up; its files unchecked."""
    for digest in list_circuits(cache):
        try:
            origin = read_stored(digest, cache).origin
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
        "origin": circuit.origin.to_json(),
        "facts": asdict(circuit.facts),
        "files": circuit.files,
        "notes": circuit.notes,
    }
    write_sealed(circuit.directory / MANIFEST, content, sort_keys=True)


def annotate(circuit: Circuit, topic: str, note: Mapping[str, Any]) -> Circuit:
    """Add a note to a built circuit's manifest, instead of an earlier one on the same topic.

    Raises CircuitNotFound, ArtifactCorrupted.
    """
    folder, cache = circuit.directory.parent, circuit.directory.parent.parent
    with FileLock(folder / f".{circuit.digest}.lock"):
        notes = {**read_stored(circuit.digest, cache).notes, topic: dict(note)}
        annotated = replace(circuit, notes=notes)
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
    origin, facts = Origin.from_json(content["origin"]), Facts(**content["facts"])
    return origin, facts, content["files"], content.get("notes", {})


__all__ = [
    "Stored",
    "annotate",
    "check_file",
    "circuits_folder",
    "is_built",
    "list_circuits",
    "read_stored",
    "resolve_digest",
    "write_manifest",
]
