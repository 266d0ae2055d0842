"""Constructor arguments as people write them: NAME=VALUE, by the parameter's name and type.

What is not given is looked up by the parameter's name among what is known of a deployment, so that
an agent's constructor may ask for `executor`, `model` or `book` and get them.
"""

import re
from collections.abc import Mapping
from typing import Any

from eth_abi.abi import is_encodable
from eth_utils.abi import collapse_if_tuple
from eth_utils.address import is_address, to_checksum_address

from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.errors import ArgumentMissing, ArgumentUnreadable
from zkagent.verifier_contracts.toolchain.compile import Contract

INTEGER = re.compile(r"u?int\d+")
NUMBER = re.compile(r"-?[0-9][0-9_]*|0x[0-9a-fA-F]+", re.ASCII)
BYTES = re.compile(r"bytes\d*")
BOOLS = {"true": True, "false": False}


def constructor_arguments(
    compiled: Contract, given: Mapping[str, str], known: Mapping[str, str]
) -> tuple[Any, ...]:
    """Values for all parameters, in order. Names are compared without underscores.

    Raises ArgumentMissing for a parameter without a value, ArgumentUnreadable for a value that does
    not fit its type, or that no parameter takes.
    """
    parameters = [
        parameter
        for entry in compiled.abi
        if entry["type"] == "constructor"
        for parameter in entry["inputs"]
    ]
    names = {_plain(parameter["name"]): parameter for parameter in parameters}
    for name, text in given.items():
        if _plain(name) not in names:
            expected = f"one of {', '.join(p['name'] for p in parameters)}" if names else "none"
            raise ArgumentUnreadable(name, text, f"a parameter of the constructor: {expected}")
    values = {**known, **{_plain(name): text for name, text in given.items()}}
    return tuple(_value(parameter, values) for parameter in parameters)


def _value(parameter: Mapping[str, Any], values: Mapping[str, str]) -> Any:
    name, kind = parameter["name"], collapse_if_tuple(dict(parameter))
    text = values.get(_plain(name))
    if text is None:
        raise ArgumentMissing(name, kind)
    try:
        value = _read(text, kind)
        if not is_encodable(kind, value):
            raise ValueError
    except (ValueError, TypeError, KeyError) as exc:
        raise ArgumentUnreadable(name, text, kind) from exc
    return value


def _read(text: str, kind: str) -> Any:
    """Raises ValueError, TypeError, KeyError for what is of another kind."""
    if kind == "address":
        return _address(text)
    if INTEGER.fullmatch(kind) and NUMBER.fullmatch(text):
        return int(text.replace("_", ""), 0) if text[:2] == "0x" else int(text.replace("_", ""))
    if kind == "bool":
        return BOOLS[text]
    if kind == "string":
        return text
    if BYTES.fullmatch(kind):
        if not text.startswith("0x"):
            raise ValueError
        return bytes.fromhex(text[2:])
    return _listed(load_json(text), kind)


def _listed(value: Any, kind: str) -> Any:
    """Arrays are JSON, their items strings or numbers."""
    inner, opening, _ = kind.rpartition("[")
    if opening and isinstance(value, list):
        return [
            _listed(item, inner) if inner.endswith("]") else _read(str(item), inner)
            for item in value
        ]
    raise ValueError


def _address(text: str) -> str:
    if not is_address(text):
        raise ValueError
    return str(to_checksum_address(text))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


__all__ = ["constructor_arguments"]
