"""A folder with an agent to go on from, and what commands read of such a folder.

KINDS has what can be begun: a new kind is an entry here and a folder of templates. In templates
`NewAgent` is the agent's name; those of one kind alone lie in a folder of the kind's name.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from zkagent.models.files import read_limited
from zkagent.models.folders import write_folder
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.errors import NameRefused, ProjectRefused
from zkagent.verifier_contracts.scaffold.tools_source import (
    check_tools_source,
    source_place,
    tools_source,
    write_tools_source,
)
from zkagent.verifier_contracts.toolchain.compile import SOURCES
from zkagent.verifier_contracts.toolchain.own import remapping_lines

HERE = Path(__file__).parent
TEMPLATE = "NewAgent"
PROJECT, RECORD = "agent.json", "deployed.json"
FORMAT = "zkagent-project-1"
NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,63}", re.ASCII)
IMPORTED = re.compile(r"^import \{([^}]*)\}", re.MULTILINE)
DECLARED = re.compile(r"^(?:abstract contract|contract|interface|library) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Kind:
    """What an agent decides by. templates: its files, below this folder. model: the shipped one
    that it obeys; empty where the folder has its own. prompt: whether runs have one. arguments: of
    the constructor, that only whoever deploys it knows. registers: whether its model, though it is
    shipped, is registered with the agent, where it is not yet: a reader, of which agents that a
    deployment begins with know nothing. reads: whether it has a tools.yaml, of which Solidity is
    made."""

    description: str
    templates: tuple[str, ...]
    model: str
    prompt: bool
    arguments: tuple[str, ...] = ()
    registers: bool = False
    reads: bool = False


SHARED = ("foundry.toml", "Makefile.txt")
KINDS: Mapping[str, Kind] = {
    "wallet": Kind(
        "prompts about tokens, by the shipped wallet model",
        ("NewAgent.sol", "NewAgent.t.sol"),
        "wallet",
        prompt=True,
    ),
    "numeric": Kind(
        "numbers that it reads on chain, without a prompt, by a small model in the folder",
        (
            *("numeric/NewAgent.sol", "numeric/NewAgent.t.sol", "numeric/Demo.sol"),
            *("numeric/train.py", "numeric/model.json", "numeric/model.onnx"),
        ),
        "",
        prompt=False,
        arguments=("feed", "pool"),
    ),
    "reader": Kind(
        "prompts about whatever its tools say that they do, by the shipped reader",
        (
            *("reader/NewAgent.sol", "reader/NewAgent.t.sol", "reader/tools.yaml"),
            "reader/README.md",
        ),
        "reader",
        prompt=True,
        registers=True,
        reads=True,
    ),
}


@dataclass(frozen=True)
class Project:
    """A folder that `new_project` wrote."""

    folder: Path
    name: str
    kind: Kind

    @property
    def source(self) -> Path:
        return self.folder / f"{self.name}.sol"

    @property
    def record(self) -> Path:
        """Of the agent that was deployed from here."""
        return self.folder / RECORD

    def make_tools(self) -> None:
        """Solidity of tools.yaml, if the kind has one, where it changed. Raises ToolsRefused,
        ToolsSourceInTheWay."""
        if self.kind.reads:
            write_tools_source(self.folder, self.name)

    def check_tools(self) -> None:
        """The same, but nothing is written. Raises ToolsRefused, ToolsSourceOld."""
        if self.kind.reads:
            check_tools_source(self.folder, self.name)

    @property
    def model(self) -> str:
        """By name, or its folder."""
        return self.kind.model or str(self.folder.resolve())


def new_project(folder: Path, name: str, kind: str = "wallet") -> tuple[Path, ...]:
    """Write the files of an agent called `name` into `folder`, which is made, or not at all. The
    files. kind: one of KINDS.

    Raises NameRefused, FileExistsError for a folder that is there, ToolchainError.
    """
    check_name(name)
    files = KINDS[kind].templates
    contents = {_place(file, name): _named(file, name) for file in (*files, *SHARED)}
    contents["remappings.txt"] = "".join(f"{line}\n" for line in remapping_lines()).encode()
    if KINDS[kind].reads:
        contents[source_place(folder, name).name] = tools_source(HERE / kind, name).encode()
    record = {"format": FORMAT, "name": name, "kind": kind}
    contents[PROJECT] = (json.dumps(record, indent=2) + "\n").encode()
    write_folder(folder, contents, new=True)
    return tuple(folder / file for file in contents)


def load_project(folder: Path) -> Project:
    """What `agent.json` in the folder says. Raises ProjectRefused."""
    path = folder / PROJECT
    try:
        content = load_json(read_limited(path))
    except OSError as exc:
        raise ProjectRefused(str(folder), f"{PROJECT} cannot be read ({exc.strerror})") from exc
    except ValueError as exc:
        raise ProjectRefused(str(folder), f"{PROJECT} is not JSON ({exc})") from exc
    if not isinstance(content, dict) or set(content) != {"format", "name", "kind"}:
        raise ProjectRefused(str(folder), f"{PROJECT} has format, name and kind, and no more")
    name, kind = content["name"], content["kind"]
    if content["format"] != FORMAT:
        raise ProjectRefused(str(folder), f"{PROJECT} has another format than {FORMAT}")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ProjectRefused(str(folder), f"the kind {kind!r} is none of {', '.join(KINDS)}")
    try:
        check_name(name if isinstance(name, str) else "")
    except NameRefused as exc:
        raise ProjectRefused(str(folder), str(exc)) from exc
    return Project(folder, name, KINDS[kind])


def check_name(name: str) -> None:
    """Raises NameRefused for what an agent cannot be called."""
    if not NAME.fullmatch(name):
        raise NameRefused(name, "it has to be 1 to 64 letters and digits, the first a capital")
    if name in {path.stem for path in SOURCES.rglob("*.sol")} | _names_used():
        raise NameRefused(name, "a contract that agents are made of has it")


def _names_used() -> set[str]:
    """What the files declare and import by names of their own, of every kind."""
    sources = (file for kind in KINDS.values() for file in kind.templates if file.endswith(".sol"))
    text = "\n".join((HERE / file).read_text() for file in sources)
    imported = {name.strip() for names in IMPORTED.findall(text) for name in names.split(",")}
    found = imported | set(DECLARED.findall(text))
    return {name for name in found if TEMPLATE not in name}


def _place(template: str, name: str) -> str:
    """What it is called in the project."""
    file = template.rpartition("/")[2].replace(TEMPLATE, name)
    return "Makefile" if file == "Makefile.txt" else file


def _named(template: str, name: str) -> bytes:
    data = (HERE / template).read_bytes()
    return (
        data
        if template.endswith((".onnx", ".json"))
        else data.replace(TEMPLATE.encode(), name.encode())
    )


__all__ = ["KINDS", "Kind", "Project", "check_name", "load_project", "new_project"]
