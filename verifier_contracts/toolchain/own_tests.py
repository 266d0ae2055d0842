"""Solidity tests of an agent of one's own, by forge with the project's compiler and libraries.

What a foundry.toml in the folder says is for plain forge: here the settings are those that `agent
deploy` compiles with, nothing of the folder is run but its tests, and output stays in the cache.
"""

import hashlib
import json
from pathlib import Path

from zkagent.circuits.support.cache import cache_folder
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.toolchain.compile import default_settings
from zkagent.verifier_contracts.toolchain.forge import ForgeReport, run_tests
from zkagent.verifier_contracts.toolchain.install import toolchain
from zkagent.verifier_contracts.toolchain.own import remapped_folders


def run_own_tests(folder: Path) -> ForgeReport:
    """Of all files called *.t.sol in the folder. Raises ForgeError where they do not compile,
    CompileError, ToolchainError."""
    root = folder.resolve()
    return run_tests(root=root, config=_configuration(root))


def _configuration(root: Path) -> Path:
    """A whole foundry.toml, in the cache."""
    tools, settings = toolchain(), default_settings()
    kept = cache_folder("forge", hashlib.sha256(str(root).encode()).hexdigest()[:16])
    folders = {prefix: path for prefix, path in remapped_folders(root).items() if prefix != "/"}
    values: dict[str, object] = {
        "src": ".",
        "test": ".",
        "libs": [],
        "out": str(kept / "out"),
        "cache_path": str(kept / "cache"),
        "solc": str(tools.solc),
        "offline": True,
        "auto_detect_remappings": False,
        "remappings": [f"{prefix}={path}/" for prefix, path in folders.items()],
        "evm_version": settings.evm_version,
        "optimizer": True,
        "optimizer_runs": settings.optimizer_runs,
        "via_ir": settings.via_ir,
        "bytecode_hash": "none",
        "cbor_metadata": False,
        "ignored_warnings_from": [str(tools.node_modules)],
    }
    # A JSON string, number, list of strings, true or false is a TOML one, too.
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    path = kept / "foundry.toml"
    write_file(path, "\n".join(["[profile.default]", *lines, ""]).encode())
    return path


__all__ = ["run_own_tests"]
