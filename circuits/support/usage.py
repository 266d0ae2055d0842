"""Marks a folder as being in use, so that nobody removes it meanwhile.

The mark is a shared lock on the folder itself: it leaves no file behind, and ends with the process.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def hold(folder: Path) -> None:
    """Use `folder` until this process ends."""
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)


@contextmanager
def unused(folder: Path) -> Iterator[bool]:
    """Whether nobody holds the folder; if so, nobody can within the block."""
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(number)


__all__ = ["hold", "unused"]
