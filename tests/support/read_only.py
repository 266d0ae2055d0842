"""A folder to which nothing can be written, also by root: mounted anew for one child process, which
sees it read-only."""

import os
import subprocess
from pathlib import Path

import pytest

MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'


def read_only(folder: Path, *words: str) -> list[str]:
    """The command line by which these words run where the folder is read-only. Skips the test where
    nothing can be mounted."""
    inside = ["unshare", *(() if os.geteuid() == 0 else ("-r",)), "-m", "sh", "-c", MOUNTED, "sh"]
    refusing = [*inside, str(folder), "sh", "-c", 'test ! -w "$1"', "sh", str(folder)]
    try:
        tried = subprocess.run(refusing, capture_output=True, check=False, timeout=60)
    except FileNotFoundError:
        pytest.skip("unshare is not there")
    if tried.returncode:
        pytest.skip(f"nothing can be mounted here: {tried.stderr.decode(errors='replace')[:200]}")
    return [*inside, str(folder), *words]
