"""Disks in trouble: a small one of our own, to be filled, where the system lets us have one; and
a limit on the length of files."""

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str = "64m") -> Iterator[Path]:
    """A file system of that size, mounted on `folder`. Skips without the right to mount."""
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "zkagent-test", str(folder)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a disk of one's own takes the right to mount: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, name: str = "filler") -> Callable[[], None]:
    """Fill the folder's disk to the last byte; call what comes back to free it."""
    path = folder / name
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    os.sync()
    return path.unlink


@contextmanager
def file_limit(most: int) -> Iterator[None]:
    """`ulimit -f` for this process."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """As in a container's image: nobody writes below it, not even root. Skips without the right to
    mount."""
    words = ["mount", "--bind", str(folder), str(folder)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a disk of one's own takes the right to mount: {mounted.stderr.strip()}")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def mounted_alone(path: Path) -> Iterator[None]:
    """As containers get one file of their host. Skips without the right to mount."""
    words = ["mount", "--bind", str(path), str(path)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a mount of one's own takes the right to it: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """The file is there, and whoever reads it is told of an input/output error."""
    kept = path.with_name(f"{path.name}.kept")
    path.rename(kept)
    path.symlink_to("/proc/self/mem")
    try:
        yield
    finally:
        path.unlink()
        kept.rename(path)
