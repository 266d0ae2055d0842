"""Where circuits and set-up files are kept, and how a file is told from a damaged one."""

import hashlib
import os
from pathlib import Path

from platformdirs import user_cache_dir


def cache_root(cache: Path | None = None) -> Path:
    """`cache` if given, else $ZKAGENT_HOME, else the platform's cache folder."""
    if cache is not None:
        return cache.absolute()
    home = os.environ.get("ZKAGENT_HOME")
    return Path(home).expanduser().absolute() if home else Path(user_cache_dir("zkagent"))


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex, without holding it in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


__all__ = ["cache_root", "file_digest"]
