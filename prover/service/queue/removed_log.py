"""SQLite's log of changes, removed while it is in use: whoever has it open still reads it, so it is
written down once more under its name, where the next start looks for it.

It is copied, and not moved into the database's file: without a log, a file that is changed in part,
for want of room or because of a kill, is damaged as a whole.
"""

import errno
import glob
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

OPEN = Path("/proc/self/fd")
#: A disk, a quota, the largest file.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_again(path: Path, identity: tuple[int, int]) -> None:
    """identity: device and inode of what lay there, which this process has open. Nobody may be
    writing to it, or doing the same. Raises OSError; FileExistsError where another log has taken
    its place, and is not empty."""
    beginning = f".{path.name}-"
    for left_over in path.parent.glob(f"{glob.escape(beginning)}*"):  # of who was killed
        left_over.unlink(missing_ok=True)
    with _still_open(path, identity) as log:
        found = os.fstat(log.fileno())
        number, name = -1, ""
        try:
            number, name = tempfile.mkstemp(dir=path.parent, prefix=beginning)
            with os.fdopen(number, "wb") as fresh:
                shutil.copyfileobj(log, fresh)
                fresh.flush()
                _give_rights(fresh.fileno(), found)
                os.fsync(fresh.fileno())
            _put(Path(name), path)
        except OSError as exc:
            if name:
                Path(name).unlink(missing_ok=True)
            room = f", where it takes {(found.st_size >> 20) + 1} MiB" * (exc.errno in FULL)
            raise OSError(exc.errno, f"{exc.strerror}{room}", str(path)) from exc
    _sync(path.parent)


def _put(fresh: Path, path: Path) -> None:
    """In place of nothing, or of the empty log that SQLite leaves which only looked. By a hard
    link where there are any, so that none that begins just now is lost."""
    try:
        os.link(fresh, path)
    except OSError:
        if not is_free(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        fresh.replace(path)
    else:
        fresh.unlink()


def is_free(path: Path) -> bool:
    """Whether no log with anything in it lies there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return True
    return stat.S_ISREG(found.st_mode) and found.st_size == 0


@contextmanager
def _still_open(path: Path, identity: tuple[int, int]) -> Iterator[BinaryIO]:
    for entry in OPEN.iterdir():
        with suppress(OSError):
            found = entry.stat()
            if (found.st_dev, found.st_ino) != identity:
                continue
            log = entry.open("rb")
            break
    else:
        raise FileNotFoundError(2, "no process of it has it open", str(path))
    with log:
        yield log


def _give_rights(number: int, found: os.stat_result) -> None:
    os.fchmod(number, found.st_mode & 0o777)
    with suppress(PermissionError):
        os.fchown(number, found.st_uid, found.st_gid)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


__all__ = ["is_free", "write_again"]
