"""SQLite's log of changes, removed while it is in use: whoever has it open still reads it, so it is
written down once more under its name, where the next start looks for it.

It is copied, and not moved into the database's file: without a log, a file that is changed in part,
for want of room or because of a kill, is damaged as a whole.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

OPEN = Path("/proc/self/fd")


def write_again(path: Path, identity: tuple[int, int]) -> None:
    """identity: device and inode of what lay there, which this process has open. Nobody may be
    writing to it, or doing the same. Raises OSError; FileExistsError where another file has taken
    its place."""
    beginning = f".{path.name}-"
    for left_over in path.parent.glob(f"{beginning}*"):  # of who was killed in the middle
        left_over.unlink(missing_ok=True)
    with _still_open(path, identity) as log:
        found = os.fstat(log.fileno())
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=beginning) as fresh:
                shutil.copyfileobj(log, fresh)
                fresh.flush()
                _give_rights(fresh.fileno(), found)
                os.fsync(fresh.fileno())
                os.link(fresh.name, path)
        except OSError as exc:
            needed = f"{exc.strerror}, where it takes {(found.st_size >> 20) + 1} MiB"
            raise OSError(exc.errno, needed, str(path)) from exc
    _sync(path.parent)


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


__all__ = ["write_again"]
