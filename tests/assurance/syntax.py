"""The Solidity compiler, for syntax trees and for code that nobody keeps."""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from zkagent.verifier_contracts.toolchain.compile import default_settings
from zkagent.verifier_contracts.toolchain.install import toolchain

TIMEOUT_S = 600
TREES = {"*": {"*": ["abi"], "": ["ast"]}}


def syntax_trees(units: Mapping[str, str]) -> dict[str, Any]:
    """The compiler's answer with the syntax trees (`sources`), and with contracts as build tools
    expect them, their code left empty: to generate it takes most of the time."""
    output = compiled(units, TREES)
    none = {"object": "", "sourceMap": ""}
    for contracts in output["contracts"].values():
        for contract in contracts.values():
            contract["evm"] = {"bytecode": none, "deployedBytecode": none}
    return output


def compiled(units: Mapping[str, str], selection: Mapping[str, Any]) -> dict[str, Any]:
    """The compiler's answer, errors among it; without the optimizer."""
    done = subprocess.run(
        [str(toolchain().solc), "--standard-json"],
        input=json.dumps(job(units, selection)),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    output: dict[str, Any] = json.loads(done.stdout)
    return output


def job(units: Mapping[str, str], selection: Mapping[str, Any] = TREES) -> dict[str, Any]:
    settings = default_settings().standard_json()
    settings["optimizer"] = {"enabled": False}
    return {
        "language": "Solidity",
        "sources": {unit: {"content": text} for unit, text in sorted(units.items())},
        "settings": {**settings, "outputSelection": selection},
    }


__all__ = ["compiled", "job", "syntax_trees"]
