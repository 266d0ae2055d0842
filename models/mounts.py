"""What is mounted by itself, as Linux tells: no other file can get the name of such a one.

Called by whoever names files, and by the service, whose database has others beside it.
"""

import re
from contextlib import suppress
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
ESCAPES = re.compile(r"\\([0-7]{3})")  # of blanks and the like in a mount point


def is_mounted(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether something is mounted at this very path, which has no links in it; no where nothing
    tells."""
    with suppress(OSError):  # elsewhere than on Linux
        lines = mounts.read_text(errors="surrogateescape").splitlines()
        return any(ESCAPES.sub(_unescaped, line.split(" ")[4]) == str(path) for line in lines)
    return False


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 8))


__all__ = ["MOUNTS", "is_mounted"]
