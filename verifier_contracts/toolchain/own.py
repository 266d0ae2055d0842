"""Contracts of one's own, compiled with the project's compiler, settings and libraries.

They import what agents are made of as `zkagent/...`, the libraries as `@openzeppelin/...` and
`solady/...`, and each other by relative paths. A `remappings.txt` beside the file adds more.
"""

import re
from pathlib import Path

from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.toolchain.compile import SOURCES, Contract, compile_sources
from zkagent.verifier_contracts.toolchain.install import toolchain

PREFIX = "zkagent/"
REMAPPINGS = "remappings.txt"
CONTRACT = re.compile(r"\b(contract|library|interface)\s+\w")
PLACE = re.compile(r"--> (.+?):(\d+):(\d+)")  # in what solc says


def compile_file(path: Path) -> dict[str, Contract]:
    """The contracts of a file by name, those of its imports left out. Raises CompileError,
    ToolchainError."""
    source, text = path.resolve(), check_source(path)
    try:
        return compile_sources({str(source): text}, folders=_remapped(source.parent))
    except CompileError as exc:
        raise CompileError(_first(str(exc), path)) from exc


def check_source(path: Path) -> str:
    """A file's text. Raises CompileError for what cannot have a contract, before a compiler is
    asked."""
    try:
        text = path.read_text()
    except OSError as exc:
        raise CompileError(f"{path} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise CompileError(f"{path} cannot be read: it is no text") from exc
    if not CONTRACT.search(text):
        raise CompileError(f"{path} has no contract")
    return text


def _first(message: str, path: Path) -> str:
    """The first of solc's errors on one line, which is the one to mend first."""
    said = message.strip().partition("\n")[0]
    place = PLACE.search(message)
    where = f"{place[1]}:{place[2]}:{place[3]}" if place else str(path)
    return f"{where}: {said}"


def remapping_lines() -> list[str]:
    """For plain forge: `remappings.txt` of this machine. Raises ToolchainError."""
    folders = {PREFIX: SOURCES, **toolchain().remappings}
    return [f"{prefix}={folder}/" for prefix, folder in folders.items()]


def _remapped(folder: Path) -> dict[str, Path]:
    """Prefixes of imports, ours first, and the folder's own; its relative paths are meant from
    there on."""
    found = {PREFIX: SOURCES, "/": Path("/")}  # relative imports are absolute by now
    file = folder / REMAPPINGS
    lines = file.read_text().splitlines() if file.is_file() else []
    for line in lines:
        prefix, equals, path = line.strip().partition("=")
        if equals:
            found.setdefault(prefix, folder / path)
    return found


__all__ = ["check_source", "compile_file", "remapping_lines"]
