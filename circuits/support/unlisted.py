"""Files for numbers that are nobody else's: they are gone with the process, even when it is killed.

ezkl takes inputs and witnesses from files. In a temporary folder they would stay behind where the
process ends in mid-proof, and tell what was decided on; a file in memory, which no folder lists,
cannot.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DESCRIPTORS = Path("/proc/self/fd")


@contextmanager
def unlisted_file() -> Iterator[Path]:
    """An empty file that this process alone can open by its path, while the block lasts.

    In memory on Linux; elsewhere in a temporary folder, for the owner alone.
    """
    if not (hasattr(os, "memfd_create") and DESCRIPTORS.is_dir()):
        with tempfile.TemporaryDirectory(prefix="zkagent-") as folder:
            yield Path(folder, "file")
        return
    descriptor = os.memfd_create("zkagent")
    try:
        yield DESCRIPTORS / str(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["unlisted_file"]
