"""What is wrong with the database or the disk under it, named so that an operator can act.

Texts of drivers are left out: they may quote rows, and rows hold inputs.
"""

import errno
import os
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path

import sqlalchemy as sa

from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.wire.states import Cause

LEAST_FREE_BYTES = 64 << 20
SQLITE_CAUSES = (
    ("SQLITE_FULL", Cause.DISK, "the disk is full"),
    ("SQLITE_IOERR", Cause.DISK, "the disk fails"),
    ("SQLITE_READONLY", Cause.READ_ONLY, "it can only be read"),
    ("SQLITE_PERM", Cause.READ_ONLY, "this user may not write to it"),
    ("SQLITE_CORRUPT", Cause.CORRUPT, "its file is damaged: restore a backup"),
    ("SQLITE_NOTADB", Cause.CORRUPT, "its file is no database: restore a backup"),
    ("SQLITE_CANTOPEN", Cause.DATABASE, "its file cannot be opened"),
)
POSTGRES_CAUSES = {
    "25006": (Cause.READ_ONLY, "it can only be read"),
    "53100": (Cause.DISK, "its server's disk is full"),
    "58030": (Cause.DISK, "its server's disk fails"),
    "XX001": (Cause.CORRUPT, "its data are damaged: restore a backup"),
}
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


@dataclass(frozen=True)
class Trouble:
    """cause: for machines. detail: one line for people, without anyone's inputs."""

    cause: Cause
    detail: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def trouble_of(exc: BaseException) -> Trouble:
    """What an error of the database means."""
    if isinstance(exc, DatabaseLost):
        return Trouble(Cause.REPLACED, str(exc))
    origin = getattr(exc, "orig", None) or exc
    name = getattr(origin, "sqlite_errorname", None)
    if name is not None or isinstance(origin, sqlite3.Error):
        for prefix, cause, words in SQLITE_CAUSES:
            if (name or "").startswith(prefix):
                return Trouble(cause, f"the database: {words} ({name})")
        return Trouble(Cause.DATABASE, f"the database does not answer ({name or 'SQLite'})")
    code = getattr(origin, "sqlstate", None)
    if code in POSTGRES_CAUSES:
        cause, words = POSTGRES_CAUSES[code]
        return Trouble(cause, f"the database: {words} (SQLSTATE {code})")
    if isinstance(origin, OSError) and not isinstance(exc, sa.exc.SQLAlchemyError):
        return Trouble(Cause.DISK, f"{origin.strerror} ({origin.filename})")
    known = f"SQLSTATE {code}" if code else type(origin).__name__
    return Trouble(Cause.DATABASE, f"the database does not answer ({known})")


def disk_trouble(folder: Path, least_bytes: int = LEAST_FREE_BYTES) -> Trouble | None:
    """Whether too little is free where the folder lies, or nothing can be written to it."""
    try:
        found = os.statvfs(folder)
    except OSError as exc:
        return Trouble(Cause.DISK, f"{folder}: {exc.strerror}")
    free = found.f_bavail * found.f_frsize
    if free < least_bytes:
        return Trouble(
            Cause.DISK, f"{folder}: {free >> 20} MiB are free, {least_bytes >> 20} are needed"
        )
    if not found.f_favail and found.f_files:
        return Trouble(Cause.DISK, f"{folder}: no room for another file")
    if not os.access(folder, os.W_OK):
        return Trouble(Cause.DISK, f"{folder}: it cannot be written to")
    return None


__all__ = ["LEAST_FREE_BYTES", "Trouble", "disk_trouble", "trouble_of"]
