"""Writes down what a release's contracts compile to, so that later versions know them on a chain.

`make released VERSION=0.2.0` does it with the tree as it is; `known_code.py` reads one file, and
`deciders.py` the other, once that version decides otherwise. The sources are kept beside the tests,
which compile them again.
"""

import argparse
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zkagent.verifier_contracts.deployment.deciders import DECIDING
from zkagent.verifier_contracts.deployment.known_code import FOLDER, has_functions, known
from zkagent.verifier_contracts.errors import ContractsError
from zkagent.verifier_contracts.toolchain.compile import (
    SOURCES,
    compile_sources,
    default_settings,
    units_apart,
)

FORMAT = "zkagent-released-1"
DECIDING_FORMAT = "zkagent-deciding-1"
PINS = FOLDER.parent / "toolchain" / "pins.json"
COMPILED_IN = ("solc", "@openzeppelin/contracts", "solady")
STAMP = (1980, 1, 1, 0, 0, 0)  # of every file in an archive: the same sources, the same bytes


def tree_sources() -> dict[str, str]:
    """The sources of src/ by the names that the compiler knows them by."""
    paths = sorted(SOURCES.rglob("*.sol"))
    return {f"src/{path.relative_to(SOURCES).as_posix()}": path.read_text() for path in paths}


def released_text(version: str, sources: Mapping[str, str]) -> str:
    """The file of a release with these sources. Raises CompileError."""
    compiled = compile_sources(sources)
    contracts = {
        name: _entry(known(version, contract))
        for name, contract in sorted(compiled.items())
        if has_functions(contract)
    }
    content = {
        "format": FORMAT,
        "version": version,
        "compiled_with": compiler(),
        "contracts": contracts,
    }
    if apart := {unit: asdict(each) for unit, each in units_apart().items() if unit in sources}:
        content["compiled_apart"] = apart
    return json.dumps(content, indent=1) + "\n"


def deciding_text(version: str, sources: Mapping[str, str]) -> str:
    """The code of a release's encoder and decoder, zeros in the place of immutables. Raises
    CompileError."""
    compiled = compile_sources(sources)
    codes = {name: "0x" + compiled[name].deployed_bytecode.hex() for name in sorted(DECIDING)}
    content = {"format": DECIDING_FORMAT, "version": version, "contracts": codes}
    return json.dumps(content, indent=1) + "\n"


def compiler() -> dict[str, Any]:
    """What else decides about code than the sources, and than which of them are compiled by way of
    Yul. No library is linked: all are inlined."""
    packages = json.loads(PINS.read_text())["packages"]
    settings = asdict(default_settings()) | {"metadata": "none"}
    return settings | {name: packages[name]["version"] for name in COMPILED_IN}


def _entry(contract: Any) -> dict[str, Any]:
    return {
        "runtime": "0x" + contract.runtime.hex(),
        "runtime_length": contract.runtime_length,
        "creation": "0x" + contract.creation.hex(),
        "creation_length": contract.creation_length,
        "immutables": {name: list(at) for name, at in sorted(contract.immutables.items())},
    }


def write_archive(path: Path, sources: Mapping[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(sources.items()):
            archive.writestr(zipfile.ZipInfo(name, STAMP), text, zipfile.ZIP_DEFLATED)


def read_archive(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("archives", type=Path, help="folder for the sources")
    chosen = parser.parse_args()
    codes, archive = FOLDER / f"released-{chosen.version}.json", f"{chosen.version}.zip"
    if codes.exists():
        raise ContractsError(f"{codes} is there: what was released does not change")
    sources = tree_sources()
    codes.write_text(released_text(chosen.version, sources))
    (FOLDER / f"deciding-{chosen.version}.json").write_text(deciding_text(chosen.version, sources))
    write_archive(chosen.archives / archive, sources)


if __name__ == "__main__":
    main()
