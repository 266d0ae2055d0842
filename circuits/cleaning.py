"""What the cache holds that may go, and how it goes without anybody stumbling over it.

Called by `zkagent circuit list|rm|prune`. A circuit that is being built has its lock held; one that
a process proves or verifies with is marked as in use (`support/usage.py`). Neither is touched. What
goes is first moved aside at once, so that whoever looks it up sees the whole of it or nothing.
"""

import os
import shutil
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from zkagent.circuits.artifacts import MANIFEST, is_digest
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitError,
    CircuitInUse,
    CircuitOutdated,
)
from zkagent.circuits.store import circuits_folder, list_circuits, read_stored
from zkagent.circuits.support.cache import cache_root, files_in, home_refused
from zkagent.circuits.support.usage import unused
from zkagent.circuits.systems import find_system, forget, load_circuit, system_id

DAY_S = 86_400
ZKEY = "circuit.zkey"  # what makes a circuit one of its own set-up
BUILDING, GOING = ".building", ".going"  # ends of the names of folders beside the circuits


class Why(StrEnum):
    """Why something may go."""

    ASKED = "asked for"
    OLD = "built long ago"
    OUTDATED = "made by other versions"
    DAMAGED = "damaged"
    LEFT_OVER = "left over from what was interrupted"
    UNUSED = "set-up that no circuit uses"


@dataclass(frozen=True)
class Waste:
    """A folder or file of the cache that may go. number: its inode, which tells it from what may
    replace it. final: no build makes it again."""

    path: Path
    why: Why
    bytes: int
    number: int
    final: bool = False

    @property
    def name(self) -> str:
        return self.path.name


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    files = _files_below(path) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _files_below(folder: Path) -> Iterator[Path]:
    """Raises OSError for a folder that cannot be looked into; one that is gone by now is not."""

    def refuse(exc: OSError) -> None:
        if not isinstance(exc, FileNotFoundError):
            raise exc

    for where, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(where, name) for name in names)


def built_at(digest: str, cache: Path | None = None) -> float:
    """When the circuit was built or last annotated, in seconds since 1970; 0 without a manifest."""
    manifest = circuits_folder(cache) / digest / MANIFEST
    return manifest.stat().st_mtime if manifest.is_file() else 0.0


def setups_folder(cache: Path | None = None) -> Path:
    return cache_root(cache) / "srs"


def _setups(end: str, cache: Path | None) -> list[Path]:
    """Files beside the set-ups whose names end so. Raises HomeRefused."""
    try:
        return [path for path in files_in(setups_folder(cache)) if path.name.endswith(end)]
    except OSError as exc:
        raise home_refused(cache_root(cache), exc) from exc


def asked_for(digest: str, cache: Path | None = None) -> Waste:
    """A circuit that somebody wants to be gone, whatever it is worth."""
    waste = _waste(circuits_folder(cache) / digest, Why.ASKED)
    return replace(waste, final=not is_repeatable(digest, cache))


def is_repeatable(digest: str, cache: Path | None = None) -> bool:
    """Whether a build makes the circuit again, as far as its folder tells."""
    try:
        return find_system(system_id(read_stored(digest, cache).origin.system)).repeatable
    except ArtifactCorrupted:  # its manifest
        return not (circuits_folder(cache) / digest / ZKEY).exists()
    except CircuitError:
        return False


def find_waste(
    *,
    older_than_days: float | None = None,
    keep: Collection[str] = (),
    setups: bool = False,
    cache: Path | None = None,
) -> list[Waste]:
    """What nobody can use any more: circuits that are outdated or damaged, and what interrupted
    work left behind. Every file is checked, which takes seconds for each gigabyte. Circuits that no
    build makes again are no waste, however they are: one may mend them, or still know their names.

    older_than_days: good circuits as well that were built longer ago. keep: digests that stay in
    any case. setups: set-up files as well that none of the remaining circuits was made with; raises
    CircuitInUse while one is being built, since it might want them.
    """
    found = [*_circuits(older_than_days, keep, cache), *_left_over(cache)]
    if setups:
        gone = {waste.name for waste in found}
        found += _unused_setups([d for d in list_circuits(cache) if d not in gone], cache)
    return found


def remove(waste: Waste) -> None:
    """Raises CircuitInUse when somebody is at it, or when it is no longer what was found."""
    if waste.path.suffix == ".srs":
        _remove_setup(waste.path)
    elif waste.path.is_dir():
        shutil.rmtree(_aside(waste), ignore_errors=True)
        if is_digest(waste.name):
            forget(waste.name, waste.path.parent.parent)
    else:
        waste.path.unlink(missing_ok=True)


def _aside(waste: Waste) -> Path:
    """The folder under a name that nobody looks up. Raises CircuitInUse."""
    going = waste.path.with_name(f".{uuid.uuid4().hex}{GOING}")
    with _free(waste.path):
        if waste.path.stat().st_ino != waste.number:
            raise CircuitInUse(waste.name, "it was built again meanwhile")
        return waste.path.rename(going)


def _waste(path: Path, why: Why) -> Waste:
    return Waste(path, why, size_of(path), path.stat().st_ino)


def _circuits(days: float | None, keep: Collection[str], cache: Path | None) -> Iterator[Waste]:
    for digest in list_circuits(cache):
        stays = digest in keep or not is_repeatable(digest, cache)
        why = None if stays else _state(digest, days, cache)
        if why is not None:
            with suppress(FileNotFoundError):  # somebody else was quicker
                yield _waste(circuits_folder(cache) / digest, why)


def _state(digest: str, days: float | None, cache: Path | None) -> Why | None:
    """Why a circuit may go; None when it stays, also when this version knows nothing about it."""
    try:
        load_circuit(digest, cache)
    except CircuitOutdated:
        return Why.OUTDATED
    except ArtifactCorrupted:
        return Why.DAMAGED
    except CircuitError:
        return None
    old = days is not None and time.time() - built_at(digest, cache) > days * DAY_S
    return Why.OLD if old else None


def _left_over(cache: Path | None) -> Iterator[Waste]:
    for path in sorted(circuits_folder(cache).iterdir()):
        if path.name.endswith((BUILDING, GOING)) and path.is_dir():
            with suppress(CircuitInUse, FileNotFoundError), _free(path):
                yield _waste(path, Why.LEFT_OVER)
    for path in _setups(".new", cache):
        if path.name.startswith(".") and time.time() - path.stat().st_mtime > DAY_S:
            yield _waste(path, Why.LEFT_OVER)


def _unused_setups(remaining: list[str], cache: Path | None) -> list[Waste]:
    for lock in circuits_folder(cache).glob(".*.lock"):
        with _locked(lock):
            pass
    used = set()
    for digest in remaining:
        with suppress(ArtifactCorrupted):  # what stays so has a set-up of its own
            used.add(read_stored(digest, cache).origin.srs)
    files = [path for path in _setups(".srs", cache) if is_digest(path.stem)]
    return [_waste(path, Why.UNUSED) for path in files if path.stem not in used]


def _remove_setup(path: Path) -> None:
    """The file, and the notes beside it that name it (see `halo2/srs.py`)."""
    for note in path.parent.iterdir():
        if not note.suffix and note.is_file() and note.read_text().strip() == path.stem:
            with FileLock(note.with_suffix(".lock")):
                note.unlink(missing_ok=True)
    path.unlink(missing_ok=True)


@contextmanager
def _free(folder: Path) -> Iterator[None]:
    """The time in which nobody builds or uses the circuit of this folder. Raises CircuitInUse."""
    if folder.name.endswith(GOING):
        yield
        return
    digest = folder.name.removeprefix(".").removesuffix(BUILDING)
    with _locked(folder.with_name(f".{digest}.lock")), unused(folder) as free:
        if not free:
            raise CircuitInUse(digest, "a process is working with it")
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The lock that a build takes. Raises CircuitInUse."""
    try:
        with FileLock(path, timeout=0):
            yield
    except Timeout as exc:
        raise CircuitInUse(path.stem.removeprefix("."), "it is being built") from exc


__all__ = [
    "Waste",
    "Why",
    "asked_for",
    "built_at",
    "find_waste",
    "is_repeatable",
    "remove",
    "setups_folder",
    "size_of",
]
