"""Processes, as /proc shows them, and the environment in which tests start some."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.checkout import ROOT


def marked(mark: str) -> Iterator[tuple[int, str]]:
    """Ids and command lines of processes whose environment carries `mark`; none without /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        if mark.encode() in environment and words:
            yield int(folder.name), words.decode(errors="replace")


def environment(**more: object) -> dict[str, str]:
    """Ours, in which children import this checkout wherever they run, and `more`."""
    added = {name: str(value) for name, value in more.items()}
    return {**os.environ, "PYTHONPATH": str(ROOT), **added}


def started(place: Path) -> list[Path]:
    """In /proc, those whose numbers a line of this file tells, as soon as it does."""
    deadline = time.monotonic() + 120
    while not (place.exists() and place.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return [Path("/proc", number) for number in place.read_text().split()]


def ended(processes: list[Path], within_s: float = 120) -> bool:
    deadline = time.monotonic() + within_s
    while any(map(running, processes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(running, processes))


def running(process: Path) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
