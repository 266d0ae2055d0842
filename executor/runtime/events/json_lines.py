"""A file of events, one JSON object a line, that is only ever appended to.

For logs that others read. What a run is taken up from again is the event store (durable/), which is
encrypted and has all; a file has contents only where they are included, and is never read back but
for the numbers that are in it.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.events.contents import NOTHING, Include, shown

FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
OWN = 0o600


class JsonLines:
    """Appends to the file, which its owner alone may read; it is made if it is not there.

    A run that goes on in a later process tells its events again: those that the file has are not
    written twice. A line that was cut off when a process died stays, and is no JSON. Raises
    MemoryFault: it cannot be opened, or others may read it.
    """

    def __init__(self, path: Path, include: Include = NOTHING) -> None:
        self._path, self._include = path, include
        self._file = _opened(path)
        self._last = _numbers(path)

    async def take(self, event: Event) -> None:
        if event.number is not None:
            if event.number <= self._last.get(event.run_id, -1):
                return
            self._last[event.run_id] = event.number
        _write(self._file, _line(shown(event, self._include).to_json()))

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in such a file; lines that are none are left out."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


def _line(told: dict[str, Any]) -> bytes:
    """Half of a surrogate pair, which models may say, is no UTF-8: it stays escaped."""
    try:
        return (json.dumps(told, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(told) + "\n").encode()


def _opened(path: Path) -> int:
    try:
        file = os.open(path, FLAGS, OWN)
    except OSError as exc:
        raise MemoryFault(f"events cannot be written to {path}: {exc.strerror}") from exc
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            raise MemoryFault(f"events cannot be written to {path}: it is no file")
        if state.st_mode & 0o077:
            raise MemoryFault(f"others may read {path}: chmod 600 it, or name another file")
        if state.st_size and os.pread(file, 1, state.st_size - 1) != b"\n":
            _write(file, b"\n")
    except BaseException:
        os.close(file)
        raise
    return file


def _numbers(path: Path) -> dict[str, int]:
    """The highest number of each run in the file."""
    last: dict[str, int] = {}
    for found in read_lines(path):
        run_id, number = found.get("run_id"), found.get("number")
        if isinstance(run_id, str) and type(number) is int:
            last[run_id] = max(number, last.get(run_id, -1))
    return last


def _write(file: int, data: bytes) -> None:
    """In one piece, as several processes may append; a full disk writes less, and then raises."""
    while data:
        data = data[os.write(file, data) :]


__all__ = ["JsonLines", "read_lines"]
