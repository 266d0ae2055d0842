"""Tests that measure time run alone, though several processes share the files of a session.

Each test waits at the gate for its turn to enter the room: those marked `alone` when nobody is in
it, the others together. Whoever waits in the gate keeps later ones from entering first.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def room(folder: Path, *, alone: bool) -> Iterator[None]:
    """folder: of all processes of the session."""
    with (folder / "gate").open("a") as gate, (folder / "room").open("a") as inside:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(inside, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(inside, fcntl.LOCK_UN)  # for forks that have the file open, too


__all__ = ["room"]
