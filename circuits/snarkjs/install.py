"""Installs snarkjs, in the exact version and with the exact packages of `package-lock.json`.

It lies in a folder of the user's cache that is named by the digest of those pins, apart from the
contracts' toolchain: its licence is GPL-3, and nobody gets it who did not ask for it.
"""

import errno
import functools
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from filelock import FileLock

from zkagent.circuits.errors import PackagesMissing
from zkagent.circuits.support.cache import cache_folder, cache_root, home_refused
from zkagent.circuits.support.npm import (
    Node,
    check_pinned,
    find_node,
    installed_packages,
    run_npm,
)

log = logging.getLogger(__name__)

PINS = Path(__file__).parent / "package-lock.json"
PREFIX = "node_modules/"


def snarkjs_folder() -> Path:
    """The package's folder; the first call on a machine installs it (64 MB, seconds). Raises
    PackagesMissing, HomeRefused."""
    cache = cache_root()
    try:
        return _installed(cache)
    except OSError as exc:
        raise home_refused(cache, exc) from exc


def look() -> None:
    """Whether it is installed, or can be: nothing is. Raises PackagesMissing, HomeRefused."""
    find_node()
    cache = cache_root()
    root = _root(cache)
    if not _is_complete(root):
        folder = cache_folder("snarkjs", cache=cache)
        if not os.access(folder, os.W_OK | os.X_OK):
            reason = OSError(errno.EACCES, "snarkjs is not installed there, and cannot be")
            raise home_refused(cache, reason)


def _root(cache: Path) -> Path:
    return cache / "snarkjs" / hashlib.sha256(PINS.read_bytes()).hexdigest()[:16]


@functools.lru_cache
def _installed(cache: Path) -> Path:
    """What is complete is used as it is: nothing is written, not even a lock."""
    root = _root(cache)
    if _is_complete(root):
        return root / PREFIX / "snarkjs"
    cache_folder("snarkjs", cache=cache)
    with FileLock(root.with_suffix(".lock")):
        if not _is_complete(root):
            shutil.rmtree(root, ignore_errors=True)
            _install(root, find_node())
    return root / PREFIX / "snarkjs"


def pins() -> dict[str, dict[str, str]]:
    """Version and integrity of every package, by path below node_modules."""
    packages = json.loads(PINS.read_text())["packages"]
    return {
        path.removeprefix(PREFIX): {key: pin[key] for key in ("version", "integrity")}
        for path, pin in packages.items()
        if path
    }


def _is_complete(root: Path) -> bool:
    return all((root / PREFIX / name / "package.json").is_file() for name in pins())


def _install(root: Path, node: Node) -> None:
    """Into a temporary folder first, so that `root` either is complete or does not exist."""
    log.info("installing snarkjs (GPL-3) from npm (64 MB) into %s", root)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=root.parent, prefix="installing-") as temporary:
        folder = Path(temporary) / "snarkjs"
        folder.mkdir()
        lock = json.loads(PINS.read_text())
        (folder / "package.json").write_text(json.dumps(lock["packages"][""]))
        (folder / PINS.name).write_bytes(PINS.read_bytes())
        run_npm(node, folder, "ci", "snarkjs")
        check_installed(folder)
        folder.rename(root)
    log.info("snarkjs installed in %.0f s", time.monotonic() - started)


def check_installed(folder: Path) -> None:
    """Every package is the pinned one, and there is no other. Raises PackagesMissing."""
    pinned = pins()
    check_pinned(folder, pinned)
    found = {path.removeprefix(PREFIX) for path in installed_packages(folder)}
    if more := sorted(found - pinned.keys()):
        raise PackagesMissing(f"npm installed {more[0]} beside snarkjs, which was not pinned")


__all__ = ["check_installed", "look", "pins", "snarkjs_folder"]
