"""The KZG set-up (structured reference string) behind a circuit's keys.

Whoever made a set-up can forge proofs under it. A public ceremony had many makers, of whom one
honest one suffices; it is recognised by its SHA-256. Anything else is a development set-up: fine on
a local chain, and the constructors of verifiers built with it revert everywhere else.

Files are kept as srs/<sha256>.srs in the cache. Beside them stand one-line notes that name such a
file: which is this machine's development set-up for a k, and which is another one cut to k rows.
"""

import logging
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from zkagent.circuits.bn254 import srs_file
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    ArtifactUnreadable,
    SrsTooSmall,
    SrsUnreadable,
)
from zkagent.circuits.support.cache import cache_folder, file_digest
from zkagent.models.whole import write_file

log = logging.getLogger(__name__)

# SHA-256 of the public KZG ceremony's files by k, as ezkl 23 lists them (src/srs_sha.rs).
PUBLIC_CEREMONY = {
    1: "cafb2aa72c200ddc4e28aacabb8066e829207e2484b8d17059a566232f8a297b",
    2: "8194ec51da5d332d2e17283ade34920644774452c2fadf33742e8c739e275d8e",
    3: "0729e815bce2ac4dfad7819982c6479c3b22c32b71f64dca05e8fdd90e8535ef",
    4: "2c0785da20217fcafd3b12cc363a95eb2529037cc8a9bddf8fb15025cbc8cdc9",
    5: "5b950e3b76e7a9923d69f6d6585ce6b5f9458e5ec57a71c9de5005d32d544692",
    6: "85030b2924111fc60acaf4fb8a7bad89531fbe0271aeab0c21e545f71eee273d",
    7: "e65f95150519fe01c2bedf8f832f5249822ef84c9c017307419e10374ff9eeb1",
    8: "446092fd1d6030e5bb2f2a8368267d5ed0fbdb6a766f6c5e4a4841827ad3106f",
    9: "493d088951882ad81af11e08c791a38a37c0ffff14578cf2c7fb9b7bca654d8b",
    10: "9705d450e5dfd06adb673705f7bc34418ec86339203198beceb2ae7f1ffefedb",
    11: "257fa566ed9bc0767d3e63e92b5e966829fa3347d320a32055dc31ee7d33f8a4",
    12: "28b151069f41abc121baa6d2eaa8f9e4c4d8326ddbefee2bd9c0776b80ac6fad",
    13: "d5d94bb25bdc024f649213593027d861042ee807cafd94b49b54f1663f8f267d",
    14: "c09129f064c08ecb07ea3689a2247dcc177de6837e7d2f5f946e30453abbccef",
    15: "90807800a1c3b248a452e1732c45ee5099f38b737356f5542c0584ec9c3ebb45",
    16: "2a1a494630e71bc026dd5c0eab4c1b9a5dbc656228c1f0d48f5dbd3909b161d3",
    17: "41509f380362a8d14401c5ae92073154922fe23e45459ce6f696f58607655db7",
    18: "d0148475717a2ba269784a178cb0ab617bc77f16c58d4a3cbdfe785b591c7034",
    19: "d1a1655b4366a766d1578beb257849a92bf91cb1358c1a2c37ab180c5d3a204d",
    20: "54ef75911da76d7a6b7ea341998aaf66cb06c679c53e0a88a4fe070dd3add963",
    21: "486e044cf98704e07f41137d2b89698dc03d1fbf34d13b60902fea19a6013b4b",
    22: "1ee9b4396db3e4e2516ac5016626ab6ba967f091d5d23afbdb7df122a0bb9d0c",
    23: "748e48b9b6d06f9c82d26bf551d0af43ee2e801e4be56d7ccb20312e267fd1d6",
    24: "f94fa4afa2f5147680f907d4dd96a8826206c26bd3328cd379feaed614b234de",
    25: "dec49a69893fbcd66cd06296b2d936a6aceb431c130b2e52675fe4274b504f57",
    26: "b198a51d48b88181508d8e4ea9dea39db285e4585663b29b7e4ded0c22a94875",
}

CHANGES = "it is another one each time that it is read: copy it to a folder of your own"
_sound: set[str] = set()  # digests of development set-ups whose points this process has checked


@dataclass(frozen=True)
class Srs:
    """A checked set-up file for 2^logrows rows.

    development: it is no file of the public ceremony, so its makers could forge proofs.
    """

    path: Path
    logrows: int
    sha256: str

    @property
    def development(self) -> bool:
        return PUBLIC_CEREMONY.get(self.logrows) != self.sha256


def find_srs(given: Path | None, logrows: int, cache: Path | None = None) -> Srs:
    """The set-up for a circuit of 2^logrows rows: from the file `given`, else a development one.

    A larger file is cut to size once. Raises SrsUnreadable, SrsTooSmall.
    """
    if given is None:
        return development_srs(logrows, cache)
    srs = import_srs(given, cache)
    if srs.logrows < logrows:
        raise SrsTooSmall(given, srs.logrows, logrows)
    return srs if srs.logrows == logrows else cut_srs(srs, logrows, cache)


def is_expected(sha256: str, given: Path | None, logrows: int, cache: Path | None = None) -> bool:
    """Whether the set-up of a circuit of 2^logrows rows is that of the file `given`; without one, a
    ceremony's or this machine's own. What others made up, they can forge proofs under.

    Raises SrsUnreadable, SrsTooSmall.
    """
    if given is not None:
        return find_srs(given, logrows, cache).sha256 == sha256
    if PUBLIC_CEREMONY.get(logrows) == sha256:
        return True
    note = _folder(cache) / f"development-k{logrows}"
    return note.is_file() and note.read_text().strip() == sha256


def development_srs(logrows: int, cache: Path | None = None) -> Srs:
    """This machine's own set-up for 2^logrows rows, made at the first call."""

    def make(path: Path) -> None:
        from zkagent.circuits.halo2.ezkl_engine import make_srs

        make_srs(path, logrows)

    return _noted(f"development-k{logrows}", make, cache)


def has_development_srs(logrows: int, cache: Path | None = None) -> bool:
    """Whether this machine has made its own set-up for 2^logrows rows; it may be damaged."""
    return (_folder(cache) / f"development-k{logrows}").is_file()


def cut_srs(srs: Srs, logrows: int, cache: Path | None = None) -> Srs:
    """`srs` for fewer rows, computed at the first call (seconds at k = 10, a minute at k = 12)."""

    def make(path: Path) -> None:
        path.write_bytes(srs_file.cut(srs.path.read_bytes(), logrows))

    smaller = _noted(f"{srs.sha256[:32]}-k{logrows}", make, cache)
    if smaller.development != srs.development:
        raise SrsUnreadable(srs.path, f"cut to k = {logrows} it is not the ceremony's file")
    return smaller


def import_srs(given: Path, cache: Path | None = None) -> Srs:
    """Check the file `given` and keep a copy in the cache, in a folder where others may put another
    file in its place meanwhile: what is kept is what was checked. Raises SrsUnreadable."""
    logrows = srs_file.read_logrows(given)
    srs_file.check_generator(given)
    srs = Srs(given, logrows, file_digest(given))
    if srs.development and srs.sha256 not in _sound:
        if srs_file.check_points(given) != srs.sha256:
            raise SrsUnreadable(given, CHANGES)
        _sound.add(srs.sha256)
    kept = _path(srs.sha256, cache)
    if not kept.is_file() or file_digest(kept) != srs.sha256:
        with _fresh_file(cache) as fresh:
            shutil.copyfile(given, fresh)
            if file_digest(fresh) != srs.sha256:
                raise SrsUnreadable(given, CHANGES)
            fresh.replace(kept)
    return Srs(kept, srs_file.read_logrows(kept), srs.sha256)


def stored_srs(sha256: str, cache: Path | None = None) -> Srs:
    """The set-up of this digest from the cache. Raises ArtifactCorrupted, SrsUnreadable."""
    path = _path(sha256, cache)
    try:
        found = file_digest(path) if path.is_file() else None
    except OSError as exc:
        raise ArtifactUnreadable(path, exc) from exc
    if found is None:
        raise ArtifactCorrupted(path, "it is missing")
    if found != sha256:
        raise ArtifactCorrupted(path, "its digest is not its name")
    return Srs(path, srs_file.read_logrows(path), sha256)


def named_srs(sha256: str, logrows: int, cache: Path | None = None) -> Srs:
    """The set-up of this digest, whose file is not looked at."""
    return Srs(_path(sha256, cache), logrows, sha256)


def _noted(name: str, make: Callable[[Path], None], cache: Path | None) -> Srs:
    """The file that the note `name` names, made again when either is missing or damaged."""
    note = _folder(cache) / name
    with FileLock(note.with_suffix(".lock")):
        if note.is_file():
            try:
                return stored_srs(note.read_text().strip(), cache)
            except (ArtifactCorrupted, SrsUnreadable) as exc:
                log.warning("%s; making it again", exc)
        with _fresh_file(cache) as fresh:
            make(fresh)
            sha256 = file_digest(fresh)
            fresh.replace(_path(sha256, cache))
        write_file(note, f"{sha256}\n".encode())
        return stored_srs(sha256, cache)


def _folder(cache: Path | None) -> Path:
    return cache_folder("srs", cache=cache)


def _path(sha256: str, cache: Path | None) -> Path:
    return _folder(cache) / f"{sha256}.srs"


@contextmanager
def _fresh_file(cache: Path | None) -> Iterator[Path]:
    """A path to write to and move away from; what is left there afterwards is removed."""
    path = _folder(cache) / f".{uuid.uuid4().hex}.new"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


__all__ = ["PUBLIC_CEREMONY", "Srs", "cut_srs", "development_srs", "find_srs"]
__all__ += ["has_development_srs", "import_srs", "is_expected", "named_srs", "stored_srs"]
