"""Which file is which, whatever its name: SQLite's may be removed or replaced while in use."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import BinaryIO

OPEN = Path("/proc/self/fd")
Identity = tuple[int, int]  # device and inode


def identity(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino


def identity_at(path: Path) -> Identity | None:
    """None for what is not there. Raises OSError."""
    try:
        return identity(path.stat())
    except FileNotFoundError:
        return None


def numbers_of(file: Identity) -> Iterator[int]:
    """The descriptors by which this process has it open, as far as that can be seen (Linux)."""
    with suppress(OSError):
        for entry in OPEN.iterdir():
            with suppress(OSError, ValueError):
                if identity(os.fstat(int(entry.name))) == file:
                    yield int(entry.name)


class HeldFile:
    """What this process has open, read by the descriptors of whoever opened it: of SQLite's index,
    to close one of ours would end the locks that SQLite has."""

    def __init__(self, file: Identity) -> None:
        self._file = file
        self._number = -1  # by which it was read last

    def read(self, size: int, offset: int = 0) -> bytes | None:
        """Less at its end; None if nobody has it open."""
        for number in chain((self._number,), numbers_of(self._file)):
            with suppress(OSError):
                found = os.pread(number, size, offset)
                if identity(os.fstat(number)) == self._file:
                    self._number = number
                    return found
        return None


def open_again(file: Identity) -> BinaryIO | None:
    """To read what may have no name any more. A number may be another file's by now."""
    for number in numbers_of(file):
        with suppress(OSError):
            found = (OPEN / str(number)).open("rb")
            if identity(os.fstat(found.fileno())) == file:
                return found
            found.close()
    return None


__all__ = ["HeldFile", "Identity", "identity", "identity_at", "numbers_of", "open_again"]
