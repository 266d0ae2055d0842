"""A folder for what nobody else may read or change while it is worked on: copies of files that are
checked and then used, and what another program writes for us to check.
"""

import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zkagent.circuits.errors import HomeRefused

MEND = "set TMPDIR to the absolute path of a folder of your own"


@contextmanager
def private_folder() -> Iterator[Path]:
    """Below the system's temporary folder, for the owner alone, and gone after the block. Raises
    HomeRefused where everybody may put another folder in its place; OSError."""
    with tempfile.TemporaryDirectory(prefix="zkagent-") as name:
        folder = Path(name).resolve()
        for parent in folder.parents:
            if _is_everybodys(parent):
                raise HomeRefused(f"the temporary folder is {folder.parent}", _why(parent), MEND)
        yield folder


def _is_everybodys(folder: Path) -> bool:
    """Whether others may rename what is theirs no more than ours: without the sticky bit."""
    mode = folder.stat().st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def _why(parent: Path) -> str:
    return f"everybody may move what lies in {parent}"


__all__ = ["private_folder"]
