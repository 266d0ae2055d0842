"""A folder with an agent to go on from."""

import re
from pathlib import Path

from zkagent.models.whole import write_folder
from zkagent.verifier_contracts.errors import NameRefused
from zkagent.verifier_contracts.toolchain.compile import SOURCES
from zkagent.verifier_contracts.toolchain.own import remapping_lines

HERE = Path(__file__).parent
TEMPLATE = "NewAgent"
NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,63}", re.ASCII)


def new_project(folder: Path, name: str) -> tuple[Path, ...]:
    """Write the files of an agent called `name` into `folder`, which is made, or not at all. The
    files.

    Raises NameRefused, FileExistsError for a folder that is there, ToolchainError.
    """
    check_name(name)
    texts = {
        f"{name}.sol": _named("NewAgent.sol", name),
        f"{name}.t.sol": _named("NewAgent.t.sol", name),
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
    if name in {path.stem for path in SOURCES.rglob("*.sol")} | {"Test", "Coin"}:
        raise NameRefused(name, "a contract that agents are made of has it")


def _named(template: str, name: str) -> str:
    return (HERE / template).read_text().replace(TEMPLATE, name)


__all__ = ["check_name", "new_project"]
