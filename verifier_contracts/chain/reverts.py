"""Turns revert data into a sentence: the error's name with its arguments, from the ABI.

Pure decoding, no chain. Called by chain.py for every failed call and by whoever finds revert data
inside other data (nested calls, simulate).
"""

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eth_abi.exceptions import DecodingError
from eth_utils.abi import collapse_if_tuple
from eth_utils.crypto import keccak

from zkagent.verifier_contracts.chain.decoding import decode

AbiEntry = Mapping[str, Any]

# Solidity documentation, "Panic via assert and Error via require".
PANICS = {
    0x01: "assertion failed",
    0x11: "arithmetic overflow or underflow",
    0x12: "division by zero",
    0x21: "value out of range of the enum",
    0x22: "badly encoded storage byte array",
    0x31: "pop of an empty array",
    0x32: "array index out of bounds",
    0x41: "too much memory asked for",
    0x51: "call of an uninitialised function variable",
}
BUILT_IN: tuple[AbiEntry, ...] = (
    {"type": "error", "name": "Error", "inputs": [{"name": "reason", "type": "string"}]},
    {"type": "error", "name": "Panic", "inputs": [{"name": "code", "type": "uint256"}]},
)


@dataclass(frozen=True)
class Revert:
    """Decoded revert data; name is "" when no known error matches."""

    name: str
    arguments: Mapping[str, Any]
    data: bytes

    def __str__(self) -> str:
        if self.name == "Error":
            return str(self.arguments["reason"])
        if self.name == "Panic":
            code = self.arguments["code"]
            return f"Panic(0x{code:02x}: {PANICS.get(code, 'unknown code')})"
        if self.name:
            shown = (f"{name}={_show(value)}" for name, value in self.arguments.items())
            return f"{self.name}({', '.join(shown)})"
        return f"unknown error 0x{self.data.hex()}" if self.data else "reverted without a reason"


def parse_revert(data: bytes, abis: Iterable[AbiEntry] = ()) -> Revert:
    """`data` read as the first of `abis` whose selector and arguments fit.

    abis: ABI entries of any type; those that are not errors are skipped.
    """
    for entry in (*BUILT_IN, *abis):
        if entry.get("type") != "error" or _selector(_signature(entry)) != data[:4]:
            continue
        inputs = entry["inputs"]
        try:
            values = decode([collapse_if_tuple(item) for item in inputs], data[4:])
        except (DecodingError, UnicodeDecodeError, OverflowError):
            continue
        names = (item["name"] or str(place) for place, item in enumerate(inputs))
        return Revert(entry["name"], dict(zip(names, values, strict=True)), data)
    return Revert("", {}, data)


def decode_revert(data: bytes, abis: Iterable[AbiEntry] = ()) -> str:
    """One line for people: `NotOwner(caller=0x12...)`, a reason string, or the raw bytes."""
    return str(parse_revert(data, abis))


def _signature(entry: AbiEntry) -> str:
    return f"{entry['name']}({','.join(collapse_if_tuple(item) for item in entry['inputs'])})"


@functools.cache
def _selector(signature: str) -> bytes:
    return keccak(text=signature)[:4]


def _show(value: Any) -> str:
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_show(item) for item in value) + "]"
    if isinstance(value, str) and not value.startswith("0x"):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


__all__ = ["AbiEntry", "Revert", "decode_revert", "parse_revert"]
