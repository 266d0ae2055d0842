"""Finds or installs anvil, forge, solc and the Solidity libraries, so that nobody has to.

All of them come from npm, in the exact versions of `pins.json`, into a folder of the
user's cache that is named by the digest of those pins. Called by compile, chain and forge.
"""

import functools
import hashlib
import json
import logging
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.errors import PackagesMissing
from zkagent.circuits.support.cache import cache_root, home_refused
from zkagent.circuits.support.npm import Node, check_pinned, find_node, run_npm
from zkagent.circuits.support.surroundings import without_settings
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.errors import ToolchainError

log = logging.getLogger(__name__)

HERE = Path(__file__).parent
ADAPTER = HERE / "solc-adapter.js"
INSTALL_TIMEOUT_S = 900
FORGE_STD = "@layerzerolabs/toolbox-foundry/lib/forge-std"
#: A program's environment, cut down to what it needs.
BARE = '/usr/bin/env -i PATH="$PATH" HOME="$HOME"'
#: Beside a program of this process id, which ends with whoever started it, however that ended.
WATCHED = "(while sleep 1 && kill -0 $$; do kill -0 $PPID || kill -KILL $$; done)"
WATCHED += " </dev/null >/dev/null 2>&1 &"


@dataclass(frozen=True)
class Toolchain:
    """Paths of one complete installation; all of them exist."""

    root: Path
    node: Path
    anvil: Path
    forge: Path
    solc: Path  # a script: runs anywhere, even without node on PATH
    node_modules: Path

    @property
    def remappings(self) -> dict[str, Path]:
        """Import prefix -> folder, for Solidity sources."""
        return {
            "@openzeppelin/": self.node_modules / "@openzeppelin",
            "solady/": self.node_modules / "solady",
            "forge-std/": self.node_modules / FORGE_STD,
        }

    @property
    def solc_version(self) -> str:
        """Full version with commit, as solc states it."""
        return (self.root / "solc-version").read_text().strip()


def toolchain() -> Toolchain:
    """The installed toolchain; the first call on a machine installs it (about 60 MB, seconds).

    Raises ToolchainError when there is no Node.js, no package for this platform, or npm fails, and
    HomeRefused when the cache cannot be written.
    """
    cache = cache_root()
    try:
        return _toolchain(cache)
    except OSError as exc:
        raise home_refused(cache, exc) from exc


@functools.lru_cache
def _toolchain(cache: Path) -> Toolchain:
    with _translated():
        node = find_node()
    pins = read_pins()
    folder = cache / "toolchain"
    folder.mkdir(parents=True, exist_ok=True)
    # Its scripts name it, and a link to it may be gone tomorrow.
    root = folder.resolve() / pins_digest(pins)
    with FileLock(root.with_suffix(".lock")):
        if not _is_complete(root, pins):
            shutil.rmtree(root, ignore_errors=True)
            _install(root, pins, node)
        solc = _write_solc(root, node.executable)
    return Toolchain(
        root=root,
        node=node.executable,
        anvil=_binary(root, "anvil"),
        forge=_binary(root, "forge"),
        solc=solc,
        node_modules=root / "node_modules",
    )


def platform_name() -> str:
    """This machine's platform as the foundry packages spell it, such as linux-amd64."""
    machine = platform.machine().lower()
    cpu = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(machine)
    return f"{sys.platform}-{cpu or machine}"


def read_pins() -> dict[str, dict[str, str]]:
    """Package -> version and, where known, integrity; for this platform."""
    pins = json.loads((HERE / "pins.json").read_text())
    foundry, here = pins["foundry"], platform_name()
    if here not in foundry["platforms"]:
        raise ToolchainError(
            f"no anvil and forge for {here}; available: {', '.join(foundry['platforms'])}"
        )
    packages: dict[str, dict[str, str]] = pins["packages"] | pins["dependencies_of_solc"]
    for tool in ("anvil", "forge"):
        pin = {"version": foundry["version"]}
        if known := foundry["integrity"].get(f"{tool}-{here}"):
            pin["integrity"] = known
        packages[f"@foundry-rs/{tool}-{here}"] = pin
    return packages


def pins_digest(pins: Mapping[str, Any]) -> str:
    """Names the installation: pins, platform (in the package names) and adapter."""
    content = json.dumps(pins, sort_keys=True).encode() + ADAPTER.read_bytes()
    return hashlib.sha256(content).hexdigest()[:16]


def _binary(root: Path, tool: str) -> Path:
    suffix = ".exe" if os.name == "nt" else ""
    package = root / "node_modules" / "@foundry-rs" / f"{tool}-{platform_name()}"
    return package / "bin" / f"{tool}{suffix}"


def _is_complete(root: Path, pins: Mapping[str, Any]) -> bool:
    files = [_binary(root, "anvil"), _binary(root, "forge"), root / "solc-version"]
    packages = [root / "node_modules" / name / "package.json" for name in pins]
    return all(path.is_file() for path in files + packages)


def _install(root: Path, pins: Mapping[str, dict[str, str]], node: Node) -> None:
    """Into a temporary folder first, so that `root` either is complete or does not exist."""
    log.info("installing anvil, forge and solc from npm (about 60 MB) into %s", root)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=root.parent, prefix="installing-") as temporary:
        folder = Path(temporary) / "toolchain"
        folder.mkdir()
        _npm_install(folder, pins, node)
        _check_integrity(folder, pins)
        shutil.copyfile(ADAPTER, folder / ADAPTER.name)
        (folder / "solc-version").write_text(_ask_solc_version(folder, node))
        folder.rename(root)
    log.info("toolchain installed in %.0f s", time.monotonic() - started)


def _npm_install(folder: Path, pins: Mapping[str, dict[str, str]], node: Node) -> None:
    versions = {name: pin["version"] for name, pin in pins.items()}
    (folder / "package.json").write_text(
        json.dumps({"name": "zkagent-toolchain", "private": True, "dependencies": versions})
    )
    with _translated():
        run_npm(node, folder, "install --no-package-lock", "the toolchain", INSTALL_TIMEOUT_S)


def _check_integrity(folder: Path, pins: Mapping[str, dict[str, str]]) -> None:
    with _translated():
        check_pinned(folder, pins)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except PackagesMissing as exc:
        raise ToolchainError(str(exc)) from exc


def _ask_solc_version(folder: Path, node: Node) -> str:
    command = [str(node.executable), ADAPTER.name, "--version"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=without_settings(),
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as exc:
        raise ToolchainError(f"solc does not run with {node.executable}: {exc}") from exc
    return done.stdout.rsplit("Version: ", 1)[-1].strip()


def _write_solc(root: Path, node: Path) -> Path:
    """The executable `solc`, which takes next to nothing from the environment and does not outlive
    whoever asked; rewritten when Node.js has moved since the installation."""
    windows = os.name == "nt"
    script = root / ("solc.cmd" if windows else "solc")
    adapter = root / ADAPTER.name
    text = (
        f'@"{node}" "{adapter}" %*\r\n'
        if windows
        else f'#!/bin/sh\n{WATCHED}\nexec {BARE} "{node}" "{adapter}" "$@"\n'
    )
    if not script.is_file() or script.read_text() != text:
        write_file(script, text.encode())
        script.chmod(0o755)
    return script


def main() -> None:
    """`python -m` on this module: install if needed and print where things are."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        found = toolchain()
    except ToolchainError as exc:
        sys.exit(f"zkagent: {exc}")
    for name in ("node", "anvil", "forge", "solc", "node_modules"):
        print(f"{name:13} {getattr(found, name)}")


__all__ = ["Node", "Toolchain", "find_node", "toolchain"]

if __name__ == "__main__":
    main()
