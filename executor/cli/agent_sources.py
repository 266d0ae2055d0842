"""`zkagent agent new`, `init`, `build`, `remappings`: contracts of one's own, without a chain."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import JSON_OPTION
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.verifier_contracts.toolchain.compile import Contract

SOURCE = click.Path(path_type=Path, dir_okay=False)
PLACE = click.Path(path_type=Path)
#: As `scaffold.KINDS` has them, which is not loaded for this.
KINDS = ("wallet", "numeric", "reader")


NEW_FOLDER_OPTION = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="A new folder for the files; by default one called NAME.",
)


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="wallet",
    show_default=True,
    help="What it decides by: prompts about tokens, numbers on chain, or prompts about whatever "
    "its tools say that they do.",
)
@NEW_FOLDER_OPTION
def new_command(name: str, kind: str, folder: Path | None) -> None:
    """Begin an agent called NAME in a new folder: contracts that compile and run as they are, tests
    of them, a model where its kind has one of its own, and a Makefile."""
    _begin(name, kind, folder)


@click.command("init")
@click.argument("name")
@NEW_FOLDER_OPTION
def init_command(name: str, folder: Path | None) -> None:
    """Begin a wallet's agent called NAME: as `agent new NAME`."""
    _begin(name, "wallet", folder)


def _begin(name: str, kind: str, folder: Path | None) -> None:
    from zkagent.executor.errors import FileInTheWay
    from zkagent.executor.places import check_new_folder
    from zkagent.verifier_contracts.scaffold import check_name, load_project, new_project

    if folder is None:
        check_name(name)
    place = folder or Path(name)
    if place.exists():
        raise FileInTheWay(place)
    check_new_folder(place)
    for path in new_project(place, name, kind):
        output.show(path)
    output.show(f"next    {typed('agent', 'test', place)}", err=True)
    wanted = "--rpc URL --deployment chain/deployment.json --key-file chain/owner.key".split()
    wanted += [f"--arg={each}=ADDRESS" for each in load_project(place).kind.arguments]
    output.show(f"        {typed('agent', 'deploy', place, *wanted)}", err=True)


@click.command("build")
@click.argument("file", type=PLACE, metavar="AGENT")
@click.option("--out", type=SOURCE, help="Write the ABI and code of all contracts as JSON.")
@JSON_OPTION
def build_command(file: Path, out: Path | None, as_json: bool) -> None:
    """Compile the contracts of AGENT, a file or the folder of an agent, as `deploy` does. Their
    errors are shown by name from now on, whichever command meets them. Ends with 1 where the agent
    is larger than a chain takes."""
    from zkagent.executor.cli.agent_project import made_target
    from zkagent.executor.cli.progress import working
    from zkagent.executor.places import check_place, write_whole

    place = check_place(out, replaceable=_is_build) if out else None
    target = made_target(file)
    with working("compiling"):
        compiled = compiled_file(target.source)
    if place:
        write_whole(place, json.dumps({name: _artifact(each) for name, each in compiled.items()}))
    if as_json:
        output.show(json.dumps([_shown(each) for each in compiled.values()]))
    else:
        for each in compiled.values():
            output.show(_line(each))
    target.check_sizes(compiled)


@click.command("remappings")
def remappings_command() -> None:
    """Print where contracts find what they import, as plain forge's remappings.txt has it."""
    from zkagent.verifier_contracts.toolchain.own import remapping_lines

    for line in remapping_lines():
        output.show(line)


def compiled_file(file: Path) -> "dict[str, Contract]":
    """Its contracts by name; their errors are remembered. Raises CompileError."""
    from zkagent.verifier_contracts.toolchain.own import compile_file
    from zkagent.verifier_contracts.toolchain.own_errors import remember_errors

    compiled = compile_file(file)
    for each in compiled.values():
        remember_errors(each.abi)
    return compiled


def _line(compiled: "Contract") -> str:
    from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
    from zkagent.verifier_contracts.deployment.sizes import MAX_CREATION_BYTES, creation_bytes

    size = len(compiled.deployed_bytecode)
    if not size:
        return f"{compiled.name}  an interface, or abstract"
    wanted = ", ".join(f"{kind} {name}" for name, kind in _parameters(compiled))
    return f"{compiled.name}({wanted})  {size:,d} of {MAX_CODE_BYTES:,d} bytes" + (
        f", made by {creation_bytes(compiled):,d} of {MAX_CREATION_BYTES:,d}"
    )


def _shown(compiled: "Contract") -> dict[str, object]:
    from zkagent.verifier_contracts.deployment.sizes import creation_bytes

    size = len(compiled.deployed_bytecode)
    return {
        "contract": compiled.name,
        "code_bytes": size,
        "creation_bytes": creation_bytes(compiled) if size else 0,
        "constructor": [{"name": name, "type": kind} for name, kind in _parameters(compiled)],
    }


def _is_build(text: str) -> bool:
    """Whether it is a file of `build`."""
    from zkagent.models.strict_json import load_json

    try:
        built = load_json(text, most_bytes=len(text.encode()))
    except ValueError:
        return False
    artifacts = built.values() if isinstance(built, dict) else [built]
    kinds = [set(each) for each in artifacts if isinstance(each, dict)]
    return bool(kinds) and all(kind == {"abi", "bytecode", "deployedBytecode"} for kind in kinds)


def _artifact(compiled: "Contract") -> dict[str, object]:
    return {
        "abi": list(compiled.abi),
        "bytecode": "0x" + compiled.bytecode.hex(),
        "deployedBytecode": "0x" + compiled.deployed_bytecode.hex(),
    }


def _parameters(compiled: "Contract") -> list[tuple[str, str]]:
    inputs = [entry["inputs"] for entry in compiled.abi if entry["type"] == "constructor"]
    return [(each["name"], each["type"]) for parameters in inputs for each in parameters]


__all__ = ["build_command", "compiled_file", "init_command", "new_command", "remappings_command"]
