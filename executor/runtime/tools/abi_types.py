"""Solidity's types as JSON: schemas of a function's inputs, and values both ways.

Whole numbers are taken as numbers or as decimal text, and given as text where they may be larger
than what JSON's readers hold (53 bits); bytes and addresses as hex with 0x; structs as objects by
the names of their fields.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from eth_utils.address import is_checksum_address, to_checksum_address
from eth_utils.crypto import keccak

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.core.json_values import Json

Entry = Mapping[str, Any]  # of an ABI: a function, or one of its inputs
ARRAY = re.compile(r"(.*)\[(\d*)\]")
NUMBER = re.compile(r"(u?)int(\d*)")
BYTES = re.compile(r"bytes(\d+)")
DECIMAL = re.compile(r"-?(0|[1-9]\d{0,77})", re.ASCII)
HEX = re.compile(r"0x([0-9a-fA-F]{2})*", re.ASCII)
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
EXACT_BITS = 53


def type_of(entry: Entry) -> str:
    """Its canonical type, structs written out."""
    kind = str(entry.get("type", ""))
    if not kind.startswith("tuple"):
        return kind
    inner = ",".join(map(type_of, entry.get("components", ())))
    return f"({inner}){kind.removeprefix('tuple')}"


def signature(function: Entry) -> str:
    return f"{function['name']}({','.join(map(type_of, function.get('inputs', ())))})"


def selector(function: Entry) -> bytes:
    return keccak(text=signature(function))[:4]


def names_of(entries: Sequence[Entry]) -> list[str]:
    """Those without a name, or with one that is taken, get one by their place."""
    names = list[str]()
    for place, entry in enumerate(entries):
        name = str(entry.get("name") or f"arg{place}")
        names.append(name if name not in names else f"{name}_{place}")
    return names


def schema_of(entry: Entry) -> dict[str, Json]:
    """Raises AgentConfigRefused for a type that is none of Solidity's."""
    kind = str(entry.get("type", ""))
    if found := ARRAY.fullmatch(kind):
        array: dict[str, Json] = {
            "type": "array",
            "items": schema_of({**entry, "type": found[1]}),
        }
        size = int(found[2]) if found[2] else None
        return array if size is None else array | {"minItems": size, "maxItems": size}
    if kind == "tuple":
        return object_of(entry.get("components", ()))
    plain: dict[str, dict[str, Json]] = {
        "bool": {"type": "boolean"},
        "string": {"type": "string"},
        "address": {"type": "string", "pattern": f"^{ADDRESS.pattern}$"},
        "bytes": {"type": "string", "pattern": f"^{HEX.pattern}$"},
    }
    if kind in plain:
        return plain[kind]
    if NUMBER.fullmatch(kind):
        return {"type": ["integer", "string"], "description": f"{kind}, as number or decimal text"}
    if found := BYTES.fullmatch(kind):
        return {"type": "string", "pattern": f"^0x[0-9a-fA-F]{{{2 * int(found[1])}}}$"}
    raise AgentConfigRefused(f"{kind or entry!r:.80} is no type of the ABI that JSON can be")


def object_of(entries: Sequence[Entry]) -> dict[str, Json]:
    names = names_of(entries)
    return {
        "type": "object",
        "properties": {name: schema_of(each) for name, each in zip(names, entries, strict=True)},
        "required": list(names),
        "additionalProperties": False,
    }


def to_abi(entry: Entry, value: Any, path: str) -> Any:
    """What eth_abi takes. Raises ToolInputRefused for what the type does not hold."""
    kind = str(entry["type"])
    if found := ARRAY.fullmatch(kind):
        inner = {**entry, "type": found[1]}
        return [to_abi(inner, each, f"{path}/{place}") for place, each in enumerate(value)]
    if kind == "tuple":
        entries = entry.get("components", ())
        pairs = zip(names_of(entries), entries, strict=True)
        return tuple(to_abi(each, value[name], f"{path}/{name}") for name, each in pairs)
    if kind == "address":
        return _address(value, path)
    if kind.startswith("bytes"):
        return bytes.fromhex(value[2:])
    if found := NUMBER.fullmatch(kind):
        return _number(value, bool(found[1]), int(found[2] or 256), path)
    return value


def from_abi(entry: Entry, value: Any) -> Json:
    kind = str(entry["type"])
    if found := ARRAY.fullmatch(kind):
        inner = {**entry, "type": found[1]}
        return [from_abi(inner, each) for each in value]
    if kind == "tuple":
        entries = entry.get("components", ())
        named = zip(names_of(entries), entries, value, strict=True)
        return {name: from_abi(inner, each) for name, inner, each in named}
    if found := NUMBER.fullmatch(kind):
        return int(value) if int(found[2] or 256) <= EXACT_BITS else str(value)
    return _plain(kind, value)


def _plain(kind: str, value: Any) -> Json:
    if kind == "address":
        return to_checksum_address(value)
    if kind.startswith("bytes"):
        return "0x" + bytes(value).hex()
    if kind == "string":
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return bool(value)


def _address(value: str, path: str) -> str:
    letters = value[2:]
    if letters not in (letters.lower(), letters.upper()) and not is_checksum_address(value):
        raise ToolInputRefused(
            f"{path}: {value} has a wrong checksum: a letter is mistyped", path=path
        )
    return to_checksum_address(value)


def _number(value: Any, unsigned: bool, bits: int, path: str) -> int:
    """What was written with a point or exponent has lost its last digits already."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ToolInputRefused(
            f"{path}: {value!r:.90} is no whole number: write it as decimal text", path=path
        )
    if isinstance(value, str) and not DECIMAL.fullmatch(value):
        raise ToolInputRefused(f"{path}: {value!r:.90} is no decimal number", path=path)
    number = int(value)
    least, most = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not least <= number <= most:
        kind = f"{'u' if unsigned else ''}int{bits}"
        raise ToolInputRefused(f"{path}: {number} is no {kind}", path=path)
    return number


__all__ = ["Entry", "from_abi", "names_of", "object_of", "schema_of", "selector", "signature"]
__all__ += ["to_abi", "type_of"]
