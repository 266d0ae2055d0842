"""A folder with an agent to go on from."""

import re
from pathlib import Path

from zkagent.models.folders import write_folder
from zkagent.verifier_contracts.errors import NameRefused
from zkagent.verifier_contracts.toolchain.compile import SOURCES
from zkagent.verifier_contracts.toolchain.own import remapping_lines

HERE = Path(__file__).parent
TEMPLATE = "NewAgent"
FILES = SOURCE, TEST = f"{TEMPLATE}.sol", f"{TEMPLATE}.t.sol"
NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,63}", re.ASCII)
IMPORTED = re.compile(r"^import \{([^}]*)\}", re.MULTILINE)
DECLARED = re.compile(r"^(?:abstract contract|contract|interface|library) (\w+)", re.MULTILINE)


def new_project(folder: Path, name: str) -> tuple[Path, ...]:
    """Write the files of an agent called `name` into `folder`, which is made, or not at all. The
    files.

    Raises NameRefused, FileExistsError for a folder that is there, ToolchainError.
    """
    check_name(name)
    texts = {
        f"{name}.sol": _named(SOURCE, name),
        f"{name}.t.sol": _named(TEST, name),
        "foundry.toml": (HERE / "foundry.toml").read_text(),
        "remappings.txt": "".join(f"{line}\n" for line in remapping_lines()),
    }
    contents = {file: text.encode() for file, text in texts.items()}
    write_folder(folder, contents, new=True)
    return tuple(folder / file for file in texts)


def check_name(name: str) -> None:
    """Raises NameRefused for what an agent cannot be called."""
    if not NAME.fullmatch(name):
        raise NameRefused(name, "it has to be 1 to 64 letters and digits, the first a capital")
    if name in {path.stem for path in SOURCES.rglob("*.sol")} | _names_used():
        raise NameRefused(name, "a contract that agents are made of has it")


def _names_used() -> set[str]:
    """What the files declare and import by names of their own."""
    text = "\n".join((HERE / file).read_text() for file in FILES)
    imported = {name.strip() for names in IMPORTED.findall(text) for name in names.split(",")}
    found = imported | set(DECLARED.findall(text))
    return {name for name in found if not name.startswith(TEMPLATE)}


def _named(template: str, name: str) -> str:
    return (HERE / template).read_text().replace(TEMPLATE, name)


__all__ = ["check_name", "new_project"]
