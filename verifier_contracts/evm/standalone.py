"""A generated contract as a file that compiles by itself, in any tool."""

import re
from collections.abc import Iterator, Mapping

from zkagent.verifier_contracts.evm.model import EvmModel
from zkagent.verifier_contracts.toolchain.compile import IMPORT, imports_of, resolve, with_imports
from zkagent.verifier_contracts.toolchain.install import toolchain

UNIT = "EvmModel.sol"
HEAD = re.compile(r"^(// SPDX-License-Identifier:|pragma solidity)[^\n]*\n", re.MULTILINE)


def standalone_source(model: EvmModel) -> str:
    """The Solidity with what it imports in front of it: the same bytecode under the same
    settings."""
    units = with_imports({UNIT: model.source}, toolchain())
    head = "".join(match.group(0) for match in HEAD.finditer(model.source))
    bodies = (IMPORT.sub("", HEAD.sub("", units[name])).strip() for name in _ordered(UNIT, units))
    return head + "\n" + "\n\n".join(dict.fromkeys(bodies)) + "\n"


def is_standalone(text: str) -> bool:
    """Whether it is of this kind, of whichever model and version."""
    made = "/// @notice Generated from the ONNX file with SHA-256 "
    return text.startswith("// SPDX-License-Identifier: MIT\n") and f"\n{made}" in text


def _ordered(unit: str, units: Mapping[str, str]) -> Iterator[str]:
    """What `unit` imports, transitively, then itself; a unit may come twice."""
    for imported in imports_of(units[unit]):
        yield from _ordered(resolve(unit, imported), units)
    yield unit


__all__ = ["is_standalone", "standalone_source"]
