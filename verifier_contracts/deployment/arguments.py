"""Constructor arguments as people write them: NAME=VALUE, by the parameter's name and type. Arrays
and structs are JSON lists.

What is not given is looked up by the parameter's name among what is known of a deployment, so that
an agent's constructor may ask for `executor`, `model` or `book` and get them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from eth_abi.abi import is_encodable
from eth_abi.grammar import ABIType, BasicType, TupleType, parse
from eth_utils.abi import collapse_if_tuple
from eth_utils.address import to_checksum_address

from zkagent.errors import plain
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.chain.addresses import is_address
from zkagent.verifier_contracts.errors import ArgumentMissing, ArgumentTwice, ArgumentUnreadable
from zkagent.verifier_contracts.toolchain.compile import Contract

NUMBER = re.compile(r"-?[0-9][0-9_]*|0x[0-9a-fA-F]+", re.ASCII)
BYTES = re.compile(r"0x([0-9a-fA-F]{2})*", re.ASCII)
FUNCTION = "bytes24"  # address and selector
BOOLS = {"true": True, "false": False}
#: Types of which more can be said than their name.
FORMS = {
    "address": "an address: 0x and 40 hex digits, in capitals and small letters as its checksum",
    "bool": "true or false",
}


def constructor_arguments(
    compiled: Contract, given: Mapping[str, str], known: Mapping[str, str]
) -> tuple[Any, ...]:
    """Values for all parameters, in order. Names are compared without underscores, except where two
    parameters differ in nothing else.

    Raises ArgumentMissing for a parameter without a value, ArgumentUnreadable for a value that does
    not fit its type, or that no parameter takes, ArgumentTwice.
    """
    parameters = _parameters(compiled)
    texts = _texts([parameter["name"] for parameter in parameters], given)
    return tuple(_value(parameter, texts, known) for parameter in parameters)


def shown_arguments(compiled: Contract, values: Sequence[Any]) -> list[str]:
    """What a constructor is given, one line for each parameter: NAME = VALUE, whole."""
    names = [parameter["name"] for parameter in _parameters(compiled)]
    return [f"{name} = {_shown(value)}" for name, value in zip(names, values, strict=True)]


def _parameters(compiled: Contract) -> list[Mapping[str, Any]]:
    return [
        parameter
        for entry in compiled.abi
        if entry["type"] == "constructor"
        for parameter in entry["inputs"]
    ]


def _shown(value: Any) -> str:
    """As it is written to give it."""
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return plain(str(value).lower() if isinstance(value, bool) else str(value))


def _texts(names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """What was given, by the parameters' own names."""
    texts: dict[str, str] = {}
    for written, text in given.items():
        alike = [name for name in names if _plain(name) == _plain(written)]
        (name,) = (written,) if written in alike else alike if len(alike) == 1 else ("",)
        if not name:
            expected = f"one of {', '.join(names)}" if names else "none"
            raise ArgumentUnreadable(written, text, f"a parameter of the constructor: {expected}")
        if name in texts:
            raise ArgumentTwice(name)
        texts[name] = text
    return texts


def _value(parameter: Mapping[str, Any], texts: Mapping[str, str], known: Mapping[str, str]) -> Any:
    name, kind = parameter["name"], collapse_if_tuple(dict(parameter))
    text = texts.get(name, known.get(_plain(name)))
    if text is None:
        raise ArgumentMissing(name, kind)
    try:
        value = _read(text, parse(FUNCTION if kind == "function" else kind))
        if not is_encodable(kind, value):
            raise ValueError
    except (ValueError, TypeError, KeyError) as exc:
        raise ArgumentUnreadable(name, text, _form(kind)) from exc
    return value


def _form(kind: str) -> str:
    """What a value of this type looks like."""
    return FORMS.get(kind, f"a value of type {kind}")


def _read(text: str, kind: ABIType) -> Any:
    """Raises ValueError, KeyError for what is of another kind."""
    return _basic(text, kind) if _is_basic(kind) else _listed(load_json(text), kind)


def _is_basic(kind: ABIType) -> TypeGuard[BasicType]:
    return isinstance(kind, BasicType) and not kind.is_array


def _basic(text: str, kind: BasicType) -> Any:
    match kind.base:
        case "address":
            return _address(text)
        case "int" | "uint" if NUMBER.fullmatch(text):
            return int(text.replace("_", ""), 0 if text.startswith("0x") else 10)
        case "bool":
            return BOOLS[text]
        case "string":
            text.encode()
            return text
        case "bytes" if BYTES.fullmatch(text):
            value = bytes.fromhex(text[2:])
            if kind.sub is None or len(value) == kind.sub:  # the encoder pads shorter ones
                return value
    raise ValueError


def _listed(value: Any, kind: ABIType) -> Any:
    """Of JSON: lists for arrays and structs, in them strings, numbers, true and false."""
    if _is_basic(kind):
        if type(value) not in {str, int, bool}:
            raise ValueError
        return _basic(str(value).lower() if type(value) is bool else str(value), kind)
    if not isinstance(value, list):
        raise ValueError
    inner = kind.components if isinstance(kind, TupleType) and not kind.is_array else None
    kinds = [kind.item_type] * len(value) if inner is None else inner
    return [_listed(item, each) for item, each in zip(value, kinds, strict=True)]


def _address(text: str) -> str:
    if not is_address(text):
        raise ValueError
    return str(to_checksum_address(text))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


__all__ = ["constructor_arguments", "shown_arguments"]
