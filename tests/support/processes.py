"""Processes, as /proc shows them, and the environment in which tests start some."""

import os
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
