"""Built circuits on disk: circuits/<digest>/ with its files and a manifest of their digests.

Of any proof system: what is stored is opened by the system that made it (`systems.load_circuit`). A
circuit's name covers network, settings, set-up and versions; the manifest covers the rest, so that
what has been checked is what the build wrote.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.artifacts import (
    MANIFEST,
    NETWORK,
    PREPARED,
    PREPARED_NETWORK,
    SETTINGS,
    VERIFYING_KEY,
    Circuit,
    Faces,
    Facts,
    Origin,
    is_digest,
)
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    ArtifactUnreadable,
    CircuitError,
    CircuitNotFound,
)
from zkagent.circuits.support.cache import cache_folder, cache_root, file_digest, home_refused
from zkagent.circuits.support.sealed import read_sealed, write_sealed

#: Of a manifest's facts; the others are integers.
KINDS = {"exact": bool, "weights_hash": str} | {
    f"{each}_visibility": str for each in ("input", "output", "weight")
}


@dataclass(frozen=True)
class Stored:
    """What lies in a circuit's folder, as its manifest says; the files are not checked yet."""

    directory: Path
    origin: Origin
    facts: Facts
    files: dict[str, str]  # name -> SHA-256 hex
    notes: dict[str, Any]
    faces: Faces | None = None

    def check_name(self) -> None:
        """Raises ArtifactCorrupted for the manifest of another circuit; reads no other file."""
        files, origin = self.files, self.origin
        prepared = files.get(PREPARED_NETWORK)
        named = (origin.digest, files.get(NETWORK), files.get(SETTINGS, ""), prepared)
        made_of = (origin.onnx, origin.settings, origin.made_by.get(PREPARED))
        if named != (self.directory.name, *made_of):
            raise ArtifactCorrupted(self.directory / MANIFEST, "it belongs to another circuit")

    def check_files(self) -> None:
        """Raises ArtifactCorrupted for a file that is not what the build wrote."""
        for name, expected in self.files.items():
            check_file(self.directory / name, expected)
        self.check_name()

    def circuit(self, srs: Path, *, development: bool, unknown_maker: bool = False) -> Circuit:
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
            unknown_maker,
            self.faces or Faces.of(self.facts),
        )


def circuits_folder(cache: Path | None = None) -> Path:
    """Where circuits lie; made if needed. Raises HomeRefused."""
    return cache_folder("circuits", cache=cache)


def read_stored(digest: str, cache: Path | None = None) -> Stored:
    """What lies under this name. Raises CircuitNotFound, ArtifactCorrupted."""
    folder = circuits_folder(cache)
    directory = folder / digest
    with _readable(directory):
        found = is_digest(digest) and directory.is_dir()
    if not found:
        raise CircuitNotFound(digest, folder)
    return Stored(directory, *read_sealed(directory / MANIFEST, _manifest))


def list_circuits(cache: Path | None = None) -> list[str]:
    """Digests of what is in the cache, unchecked, in alphabetical order. Raises HomeRefused."""
    folder = circuits_folder(cache)
    try:
        return sorted(path.name for path in folder.iterdir() if is_digest(path.name))
    except OSError as exc:
        raise home_refused(cache_root(cache), exc) from exc


def is_built(onnx: str, settings: str | None, cache: Path | None = None) -> bool:
    """Whether the cache holds a circuit of these digests, with any set-up, or any settings where
    none are given; its files unchecked."""
    for digest in list_circuits(cache):
        try:
            origin = read_stored(digest, cache).origin
        except ArtifactCorrupted:
            continue
        if origin.onnx == onnx and settings in (None, origin.settings):
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
        "faces": circuit.faces.to_json(),
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
    with _readable(path):
        _compare(path, file_digest(path) if path.is_file() else None, expected)


def read_file(path: Path, expected: str) -> bytes:
    """The file, if it is what was written. Raises ArtifactCorrupted."""
    with _readable(path):
        content = path.read_bytes() if path.is_file() else None
    _compare(path, None if content is None else hashlib.sha256(content).hexdigest(), expected)
    assert content is not None
    return content


@contextmanager
def checked(circuit: Circuit) -> Iterator[None]:
    """What a verdict within the block rests on, settings, verifying key and set-up, is what the
    build wrote, and stays it to the end. Raises ArtifactCorrupted."""
    names = [name for name in (SETTINGS, VERIFYING_KEY) if name in circuit.files]
    files = {circuit.directory / name: circuit.files[name] for name in names}
    if circuit.origin.srs:
        files[circuit.srs] = circuit.origin.srs
    before = {path: _mark(path) for path in files}
    for path, expected in files.items():
        check_file(path, expected)
    yield
    for path, mark in before.items():
        if _mark(path) != mark:
            raise ArtifactCorrupted(path, "it was changed while it was read")


def _mark(path: Path) -> tuple[int, ...]:
    """Another one whenever the file was written to or replaced. Raises ArtifactCorrupted."""
    with _readable(path):
        found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _compare(path: Path, found: str | None, expected: str) -> None:
    if found is None:
        raise ArtifactCorrupted(path, "it is missing")
    if found != expected:
        raise ArtifactCorrupted(path, f"sha256 {found[:12]}, expected {expected[:12]}")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raises ArtifactCorrupted where the system does not let it be read."""
    try:
        yield
    except FileNotFoundError as exc:
        raise ArtifactCorrupted(path, "it is missing") from exc
    except OSError as exc:
        raise ArtifactUnreadable(path, exc) from exc


def _manifest(
    content: Mapping[str, Any],
) -> tuple[Origin, Facts, dict[str, str], dict[str, Any], Faces | None]:
    """Its parts; circuits from before there were notes or faces have none."""
    origin, facts = Origin.from_json(content["origin"]), Facts(**content["facts"])
    for name, value in asdict(facts).items():
        if type(value) is not (kind := KINDS.get(name, int)):
            raise ValueError(f"{name} is no {kind.__name__}")
    _ = facts.visibility  # raises ValueError where it is none
    faces = Faces.from_json(content["faces"], facts) if "faces" in content else None
    return origin, facts, content["files"], content.get("notes", {}), faces


__all__ = [
    "Stored",
    "annotate",
    "check_file",
    "checked",
    "circuits_folder",
    "is_built",
    "list_circuits",
    "read_file",
    "read_stored",
    "resolve_digest",
    "write_manifest",
]
