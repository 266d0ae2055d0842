"""Contracts of one's own, compiled with the project's compiler, settings and libraries.

They import what agents are made of as `zkagent/...`, the libraries as `@openzeppelin/...` and
`solady/...`, and each other by relative paths. A `remappings.txt` beside the file adds more, and
replaces none of these: what is imported by their names is what this version was tested with.
"""

import logging
import re
from collections.abc import Mapping
from pathlib import Path

from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.toolchain.compile import (
    SOURCES,
    Contract,
    compile_sources,
    source_text,
)
from zkagent.verifier_contracts.toolchain.install import toolchain

log = logging.getLogger(__name__)

PREFIX = "zkagent/"
REMAPPINGS = "remappings.txt"
CONTRACT = re.compile(r"\b(contract|library|interface)\s+\w")
PLACE = re.compile(r"--> (.+?):(\d+):(\d+)")  # in what solc says


def compile_file(path: Path) -> dict[str, Contract]:
    """The contracts of a file by name, those of its imports left out. Raises CompileError,
    ToolchainError."""
    text, source = check_source(path), path.resolve()
    try:
        return compile_sources({str(source): text}, folders=_remapped(source.parent))
    except CompileError as exc:
        raise CompileError(_first(str(exc), path)) from exc


def check_source(path: Path) -> str:
    """A file's text. Raises CompileError for what cannot have a contract, before a compiler is
    asked."""
    text = source_text(path)
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


def remapped_folders(folder: Path) -> dict[str, Path]:
    """What is imported by which prefix from a file in `folder`, for tests too. Raises CompileError,
    ToolchainError."""
    return {**toolchain().remappings, **_remapped(folder)}


def _remapped(folder: Path) -> dict[str, Path]:
    """Prefixes of imports, ours first, and the folder's own; its relative paths are meant from
    there on. A line that would replace what is ours is not obeyed, and a warning says so. Raises
    CompileError for a file that cannot be read."""
    ours = {PREFIX: SOURCES, "src/": SOURCES, **toolchain().remappings}
    found = {PREFIX: SOURCES, "/": Path("/")}  # relative imports are absolute by now
    file = folder / REMAPPINGS
    lines = source_text(file).splitlines() if file.is_file() else []
    for number, line in enumerate(lines, start=1):
        prefix, equals, path = line.strip().partition("=")
        if equals and not _is_ours(prefix, Path(path), ours):
            if replaced := _replaced(prefix, folder / path, ours):
                text = "%s:%d: not %s, but what comes with zkagent, is imported as %s; yours can be"
                log.warning(f"{text} by another prefix", file, number, path, replaced)
            else:
                found.setdefault(prefix, folder / path)
    return found


def _is_ours(prefix: str, path: Path, ours: Mapping[str, Path]) -> bool:
    """A line of `remapping_lines`, of this machine, of another, or of another version: what is not
    here replaces nothing."""
    if prefix not in ours or not path.is_absolute():
        return False
    return path.parts[-2:] == ours[prefix].parts[-2:] or not path.exists()


def _replaced(prefix: str, path: Path, ours: Mapping[str, Path]) -> str:
    """The prefix of ours that a line replaces, or some of whose files; empty if none."""
    for each, folder in ours.items():
        below = prefix.startswith(each) and (folder / prefix.removeprefix(each)).exists()
        if (below or each.startswith(prefix)) and not _same(path, folder, prefix, each):
            return each
    return ""


def _same(path: Path, folder: Path, prefix: str, each: str) -> bool:
    return (
        prefix.startswith(each) and path.resolve() == (folder / prefix.removeprefix(each)).resolve()
    )


__all__ = ["check_source", "compile_file", "remapped_folders", "remapping_lines"]
