"""Solidity that builds a circuit's instances from arrays by the names of its network.

A generated verifier takes one list of field elements: inputs, then outputs, in the network's order.
Who has several of them would count offsets by hand and write negative numbers as field elements.
The library lies beside the verifier and does both, with the names as far as Solidity allows them.
"""

import re
from collections.abc import Iterator, Sequence

from zkagent.circuits.bn254.field import R
from zkagent.circuits.faces import Face

FILE = "CircuitValues.sol"
NO_NAME = re.compile(r"[^A-Za-z0-9_]+")
# Of Solidity 0.8, those that a network might use; a name that meets one gets an underscore.
RESERVED = frozenset(
    """
    abstract address after alias anonymous apply as assembly assert auto bool break byte bytes
    calldata case catch constant constructor continue contract copyof default define delete do else
    emit enum error event external fallback false final fixed for from function global hex if
    immutable implements import in indexed inline int interface internal is let library macro
    mapping match memory modifier mutable new null of override partial payable pragma private
    promise public pure receive reference relocatable require return returns revert sealed sizeof
    static storage string struct super supports switch this throw transient true try type typedef
    typeof uint ufixed unchecked unicode using var view virtual while
    """.split()
)

SOURCE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice The public values of one circuit by the names of its network, for a verifier's
/// `verify(bytes proof, uint256[] instances)`. Integers as the circuit has them.
library CircuitValues {{
    /// Order of BN254's scalar field: v < 0 is FIELD - |v|.
    uint256 internal constant FIELD = {field};

    struct Inputs {{
{inputs}
    }}

    struct Outputs {{
{outputs}
    }}

    error WrongLength(uint256 position, uint256 found, uint256 expected);

    /// @return all inputs, then outputs, as field elements.
    function instances(Inputs memory inputs, Outputs memory outputs)
        internal
        pure
        returns (uint256[] memory all)
    {{
        all = new uint256[]({count});
{puts}
    }}

    function _put(uint256[] memory all, uint256 at, int64[] memory values, uint256 size)
        private
        pure
    {{
        if (values.length != size) revert WrongLength(at, values.length, size);
        for (uint256 i = 0; i < size; ++i) {{
            int256 value = values[i];
            all[at + i] = value < 0 ? FIELD - uint256(-value) : uint256(value);
        }}
    }}
}}
"""


def library(inputs: Sequence[tuple[Face, int]], outputs: Sequence[tuple[Face, int]]) -> str:
    """The library's source. inputs, outputs: what is public, with its bits of fraction."""
    sides = (("inputs", inputs), ("outputs", outputs))
    names = {side: identifiers([face.name for face, _ in faces]) for side, faces in sides}
    puts, at = list[str](), 0
    for side, faces in sides:
        for name, (face, _) in zip(names[side], faces, strict=True):
            puts.append(f"        _put(all, {at}, {side}.{name}, {face.size});")
            at += face.size
    return SOURCE.format(
        field=R,
        inputs="\n".join(_fields(names["inputs"], inputs)),
        outputs="\n".join(_fields(names["outputs"], outputs)),
        count=at,
        puts="\n".join(puts),
    )


def identifiers(names: Sequence[str]) -> list[str]:
    """Each name as Solidity takes it, no two alike."""
    found: list[str] = []
    for name in names:
        plain = NO_NAME.sub("_", name) or "_"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if plain in RESERVED or _is_type(plain) else plain
        number, unique = 2, plain
        while unique in found:
            unique, number = f"{plain}_{number}", number + 1
        found.append(unique)
    return found


def _is_type(name: str) -> bool:
    return re.fullmatch(r"u?int\d+|bytes\d+|u?fixed\d+x\d+", name) is not None


def _fields(names: Sequence[str], faces: Sequence[tuple[Face, int]]) -> Iterator[str]:
    for name, (face, bits) in zip(names, faces, strict=True):
        shape = " x ".join(map(str, face.shape)) or "one number"
        scale = f", v stands for v / 2^{bits}" if bits else ""
        yield f"        int64[] {name}; // {shape}{scale}"


__all__ = ["FILE", "identifiers", "library"]
