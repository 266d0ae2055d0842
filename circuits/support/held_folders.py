"""Temporary folders of helper processes, which later ones remove where a kill left them behind.

Whoever works in such a folder, and its child, hold a lock on it, which ends with the last of them,
however that is. What has no lock any more, and is ours by owner, mode and a mark in it, is removed
when a process of this machine makes its first one. Called by `child_process.py`.
"""

import fcntl
import functools
import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

BEGIN = "zkagent-child-"
NAME = re.compile(BEGIN + "[a-z0-9_]{8}", re.ASCII)
MARK = ".held"  # is in a folder as soon as it is locked
BOOT = Path("/proc/sys/kernel/random/boot_id")
MOST_MARK = 200  # bytes


class HeldFolder:
    """Below the system's temporary folder, for the owner alone, until `remove`. Raises OSError."""

    def __init__(self) -> None:
        remove_left(tempfile.gettempdir())
        self._folder = tempfile.TemporaryDirectory(prefix=BEGIN)
        self.path = Path(self._folder.name)
        self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(OSError):  # without a lock there is no mark, and nobody removes it
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            (self.path / MARK).write_bytes(_machine())

    @property
    def passed(self) -> tuple[int, ...]:
        """Descriptors for a child that works in it, which holds it as well."""
        return (self._lock,)

    def remove(self) -> None:
        """Harmless when done before."""
        self._folder.cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


@functools.cache
def remove_left(folder: str) -> None:
    """Those below `folder` whose processes have ended; once in a process."""
    with suppress(OSError):
        for path in Path(folder).iterdir():
            if NAME.fullmatch(path.name):
                with suppress(OSError):  # it is somebody else's, in use, or gone already
                    _remove(path)


def _remove(path: Path) -> None:
    """By descriptor, so that nothing that is put in its place meanwhile is emptied."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(folder)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) != 0o700:
            return
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _mark(folder) != _machine():
            return
        for name in sorted(os.listdir(folder), key=lambda name: name == MARK):  # noqa: PTH208 - of a descriptor
            if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                shutil.rmtree(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)
        path.rmdir()
    finally:
        os.close(folder)


def _mark(folder: int) -> bytes:
    number = os.open(MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        return os.read(number, MOST_MARK)
    finally:
        os.close(number)


@functools.cache
def _machine() -> bytes:
    """Since it was started: locks of others in a folder on a network are not seen everywhere."""
    try:
        return BOOT.read_bytes()
    except OSError:
        return os.uname().nodename.encode()[:MOST_MARK]


__all__ = ["HeldFolder", "remove_left"]
