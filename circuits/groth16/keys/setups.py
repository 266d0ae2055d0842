"""Which circuits this machine knows the makers of.

Whoever made a set-up can forge proofs under it, and nothing in a circuit's folder tells who that
was, or whether the key belongs to the network at all: what is written there, anybody can write. So
whoever builds a circuit here, or verifies its ceremony, leaves a note outside of the folder. It
names the circuit, and with that the network, the verifying key and the set-up's kind, and the
SHA-256 of each file; a folder that was copied from elsewhere has none, and one whose files are
others is refused. It also says whether its user chose the circuit: what was only verified, for
audits and receipts, stands for no model.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PosixPath
from typing import Any

from zkagent.circuits.artifacts import (
    CEREMONY,
    NETWORK,
    SETUP_KIND,
    Circuit,
    Origin,
    is_digest,
)
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitNotFound,
    KeysDamaged,
    NoteDamaged,
    SrsUnreadable,
)
from zkagent.circuits.groth16.keys.key_code import HEAD
from zkagent.circuits.store import circuits_folder, read_stored
from zkagent.circuits.support.cache import cache_folder, cache_root, file_digest, files_in
from zkagent.circuits.support.sealed import read_sealed, write_sealed
from zkagent.models.files import open_regular

log = logging.getLogger(__name__)

FOLDER, SUFFIX = "groth16", ".made"


@contextmanager
def unrepeatable() -> Iterator[None]:
    """For work with a circuit's files: turns ArtifactCorrupted into KeysDamaged, which does not
    tell anybody to build it again."""
    try:
        yield
    except KeysDamaged:
        raise
    except ArtifactCorrupted as exc:
        raise KeysDamaged(exc.path, exc.reason) from exc


@dataclass(frozen=True)
class Own:
    """A circuit that was built or verified here. files: name -> SHA-256 hex. made: nanoseconds
    since 1970, or more, so that what came later has more. chosen: likewise, when this machine's
    user last made it stand for its network; 0 where nobody did."""

    origin: Origin
    files: Mapping[str, str]
    made: int
    chosen: int

    def check_files(self, directory: Path, files: Mapping[str, str]) -> None:
        """What the circuit's folder says of its files. Raises ArtifactCorrupted."""
        for name in sorted({*self.files, *files}):
            if self.files.get(name) != files.get(name):
                raise ArtifactCorrupted(directory / name, "it is not the file that was made here")


def note_own(
    origin: Origin, files: Mapping[str, str], cache: Path | None = None, *, chosen: bool = True
) -> None:
    """Remember that the circuit of this origin was made or verified here, with files of these
    SHA-256. chosen: to stand for its network; one that was chosen before stays chosen, so a damaged
    note is then written anew only by who chooses. Raises NoteDamaged."""
    path = cache_folder(FOLDER, cache=cache) / f"{origin.digest}{SUFFIX}"
    earlier = readable_own(origin.digest, cache) if chosen else find_own(origin.digest, cache)
    now = _now(origin.onnx, cache)
    content = {
        "origin": origin.to_json(),
        "files": dict(files),
        "made": earlier.made if earlier else now,
        "chosen": now if chosen else earlier.chosen if earlier else 0,
    }
    write_sealed(path, content, sort_keys=True)


def _now(onnx: str, cache: Path | None) -> int:
    """Later than all that was noted of the ONNX file with this SHA-256, whatever the clock says:
    it may have been put back since."""
    noted = (readable_own(name, cache) for name in _noted(cache))
    others = [max(own.made, own.chosen) for own in noted if own and own.origin.onnx == onnx]
    return max([time.time_ns(), *(each + 1 for each in others)])


def find_own(digest: str, cache: Path | None = None) -> Own | None:
    """What was noted of the circuit of this digest. Raises NoteDamaged."""
    path = cache_root(cache) / FOLDER / f"{digest}{SUFFIX}"
    if digest not in _noted(cache):
        return None
    try:
        own = read_sealed(path, _parsed)
    except ArtifactCorrupted as exc:
        raise NoteDamaged(exc.path, exc.reason) from exc
    if own.origin.digest != digest:
        raise NoteDamaged(path, "it is the note of another circuit")
    return own


def readable_own(digest: str, cache: Path | None = None) -> Own | None:
    """Like `find_own`; None for a damaged note as well: for who makes it anew."""
    try:
        return find_own(digest, cache)
    except NoteDamaged:
        return None


def own_circuits(onnx: str, cache: Path | None = None) -> Iterator[Own]:
    """Those of the ONNX file with this SHA-256, the first one first. A note that cannot be read
    is that of the network of the circuit's folder; where none tells, of no network. Raises
    NoteDamaged."""
    found = [own for name in _noted(cache) if (own := _own_of(name, onnx, cache))]
    yield from sorted(found, key=lambda own: own.made)


def _noted(cache: Path | None) -> list[str]:
    """Digests of the circuits that have a note, also where that is a link to what is not there.
    Raises NoteDamaged where nobody can tell which have one."""
    folder = cache_root(cache) / FOLDER
    try:
        found = files_in(folder)
    except OSError as exc:
        raise NoteDamaged(folder, f"it cannot be read: {exc.strerror}") from exc
    return [path.stem for path in found if path.suffix == SUFFIX and is_digest(path.stem)]


def _own_of(digest: str, onnx: str, cache: Path | None) -> Own | None:
    """Raises NoteDamaged."""
    try:
        own = find_own(digest, cache)
        return own if own and own.origin.onnx == onnx else None
    except NoteDamaged as exc:
        network = _network_of(digest, cache)
        if network == onnx:
            raise
        if not network:
            log.warning("nothing tells which network it was for: %s", exc)
        return None


def _network_of(digest: str, cache: Path | None) -> str:
    """By the manifest, which the circuit's name covers, else by the network's own file; empty where
    there is neither."""
    try:
        stored = read_stored(digest, cache)
        stored.check_name()
        return stored.origin.onnx
    except (ArtifactCorrupted, CircuitNotFound):
        with suppress(OSError):
            return file_digest(circuits_folder(cache) / digest / NETWORK)
        return ""


def forget(digest: str, cache: Path | None = None) -> None:
    """The circuit is gone because somebody wanted that."""
    (cache_root(cache) / FOLDER / f"{digest}{SUFFIX}").unlink(missing_ok=True)


def is_chosen(circuit: Circuit) -> bool:
    """Whether this machine's user made it stand for its network. Raises NoteDamaged."""
    own = find_own(circuit.digest, circuit.directory.parent.parent)
    return own is not None and own.chosen > 0


class UsualSrs(PosixPath):
    """A set-up file that somebody configured for whatever takes one. Circuits with a set-up of
    their own do not, and it says nothing of them."""


def named_key(srs: Path) -> str | None:
    """SHA-256 of the verifying key in a file; None for a set-up of another system. Raises
    SrsUnreadable."""
    try:
        with open_regular(srs) as file:
            is_key = file.read(len(HEAD)) == HEAD
        return file_digest(srs) if is_key else None
    except OSError as exc:
        raise SrsUnreadable(srs, f"it cannot be read ({exc.strerror})") from exc


def _parsed(content: Mapping[str, Any]) -> Own:
    """Of before there was a choice, a ceremony's counts as not chosen."""
    files, made, origin = content["files"], content["made"], Origin.from_json(content["origin"])
    of_ceremony = origin.made_by.get(SETUP_KIND) == CEREMONY
    chosen = content.get("chosen", 0 if of_ceremony else made)
    if not isinstance(files, dict) or type(made) is not int or type(chosen) is not int:
        raise ValueError("it has another form")
    return Own(origin, files, made, chosen)


__all__ = ["Own", "UsualSrs", "find_own", "is_chosen", "named_key", "note_own", "own_circuits"]
__all__ += ["forget", "readable_own", "unrepeatable"]
