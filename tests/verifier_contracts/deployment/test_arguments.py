"""Arguments of a constructor as people write them: every ABI type at its bounds."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from eth_abi.abi import encode
from eth_utils.abi import collapse_if_tuple

from tests.support.command_line import exit_code
from zkagent.errors import plain
from zkagent.verifier_contracts.deployment.arguments import (
    constructor_arguments,
    shown_arguments,
)
from zkagent.verifier_contracts.errors import ArgumentMissing, ArgumentTwice, ArgumentUnreadable
from zkagent.verifier_contracts.toolchain.compile import Contract

ONE = "0x" + "ab" * 20
CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"


class Wanting:
    """A contract whose constructor has these parameters."""

    def __init__(self, *inputs: Mapping[str, Any]) -> None:
        self.abi = [{"type": "constructor", "inputs": list(inputs)}]


def read(kind: str, text: str, *components: Mapping[str, Any]) -> Any:
    """The value, encoded and all."""
    parameter = {"name": "it", "type": kind, "components": list(components)}
    (value,) = arguments([parameter], {"it": text})
    encode([collapse_if_tuple(cast(Any, parameter))], [value])
    return value


def arguments(
    inputs: list[Mapping[str, Any]],
    given: Mapping[str, str],
    known: Mapping[str, str] | None = None,
) -> tuple[Any, ...]:
    return constructor_arguments(cast(Contract, Wanting(*inputs)), given, known or {})


def bounds() -> Iterator[tuple[str, str, Any]]:
    """(type, text, value)"""
    for bits in range(8, 257, 8):
        most, signed = (1 << bits) - 1, 1 << (bits - 1)
        yield from ((f"uint{bits}", str(v), v) for v in (0, most))
        yield from ((f"int{bits}", str(v), v) for v in (-signed, signed - 1))
        yield f"uint{bits}", hex(most), most
    for size in range(1, 33):
        yield f"bytes{size}", "0x" + "9f" * size, b"\x9f" * size
    yield from [("bytes", "0x", b""), ("bytes", "0xABcd", b"\xab\xcd"), ("string", "", "")]
    yield from [("bool", "true", True), ("bool", "false", False), ("string", "ü[1", "ü[1")]
    yield from [("address", CHECKSUMMED, CHECKSUMMED), ("function", "0x" + "11" * 24, b"\x11" * 24)]


def beyond() -> Iterator[tuple[str, str]]:
    """(type, text)"""
    for bits in range(8, 257, 8):
        yield from ((f"uint{bits}", str(v)) for v in (-1, 1 << bits))
        yield from ((f"int{bits}", str(v)) for v in (-(1 << (bits - 1)) - 1, 1 << (bits - 1)))
    for size in range(1, 33):
        yield from ((f"bytes{size}", "0x" + "9f" * n) for n in (0, size - 1, size + 1))
    yield from (("bytes", text) for text in ("", "ab", "0xa", "0xgg", "0x1 2", "0x\n"))
    yield from (("bool", text) for text in ("True", "1", "", "yes"))
    yield from (("uint256", text) for text in ("", "1.0", "1e3", " 1", "0x", "٣", "--1", "1,000"))
    wrong = ("", "0x12", ONE + "00", "0x" + CHECKSUMMED[2:].swapcase(), CHECKSUMMED[2:])
    yield from (("address", text) for text in wrong)
    yield from [("string", "\udcff"), ("function", "0x" + "11" * 23), ("function", "0x")]


@pytest.mark.parametrize(("kind", "text", "value"), list(bounds()))
def test_a_value_at_its_bounds_is_taken(kind: str, text: str, value: Any) -> None:
    assert read(kind, text) == value


@pytest.mark.parametrize(("kind", "text"), list(beyond()))
def test_a_value_beyond_them_is_refused_by_name(kind: str, text: str) -> None:
    with pytest.raises(ArgumentUnreadable) as caught:
        read(kind, text)
    said = {"address": "an address: 0x and 40 hex digits, ", "bool": "true or false"}
    expected = said.get(kind, f"a value of type {kind}")
    assert str(caught.value).startswith(f"--arg it={plain(text)} is not {expected}")


PAIR = ({"name": "who", "type": "address"}, {"name": "tag", "type": "bytes4"})


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("bytes4[]", '["0x12345678"]', [b"\x12\x34\x56\x78"]),
        ("bytes4[]", "[]", []),
        ("bytes2[2][]", '[["0x1234", "0x5678"]]', [[b"\x12\x34", b"\x56\x78"]]),
        ("bool[]", '[true, false, "true"]', [True, False, True]),
        ("uint8[3]", '[1, "2", 255]', [1, 2, 255]),
        ("string[]", '["a", "1"]', ["a", "1"]),
        ("tuple", f'["{CHECKSUMMED}", "0x12345678"]', [CHECKSUMMED, b"\x12\x34\x56\x78"]),
        ("tuple[]", f'[["{CHECKSUMMED}", "0x12345678"]]', [[CHECKSUMMED, b"\x12\x34\x56\x78"]]),
    ],
)
def test_lists_and_structs_are_json(kind: str, text: str, value: Any) -> None:
    assert read(kind, text, *PAIR) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bytes4[]", '["0x1234"]'),
        ("bytes4[1][]", '[["0x12345678"], ["0x123456"]]'),
        ("uint8[3]", "[1, 2]"),
        ("uint8[3]", "[1, 2, 256]"),
        ("uint8[]", "[true]"),
        ("uint8[]", "[1.0]"),
        ("uint8[]", "1"),
        ("string[]", "[null]"),
        ("string[]", "[[]]"),
        ("tuple", f'["{CHECKSUMMED}", "0x1234"]'),
        ("tuple", f'["{CHECKSUMMED}"]'),
        ("tuple", f'["{CHECKSUMMED}", "0x12345678", 1]'),
        ("tuple[]", f'[["{CHECKSUMMED}", "0x1234567890"]]'),
        ("tuple", "{}"),
    ],
)
def test_what_does_not_fit_within_them_is_refused(kind: str, text: str) -> None:
    with pytest.raises(ArgumentUnreadable):
        read(kind, text, *PAIR)


def uint(name: str) -> Mapping[str, Any]:
    return {"name": name, "type": "uint256"}


def test_two_values_for_a_parameter_are_refused() -> None:
    for given in ({"limits": "1", "limits_": "2"}, {"_limits": "1", "Limits": "1"}):
        with pytest.raises(ArgumentTwice, match="--arg limits is given more than once"):
            arguments([uint("limits")], given)
    assert arguments([uint("limits_")], {"limits": "1"}, {"limits": "2"}) == (1,)


def test_parameters_that_differ_in_underscores_alone_are_told_apart() -> None:
    both = [uint("limits"), uint("limits_")]
    assert arguments(both, {"limits_": "2", "limits": "1"}) == (1, 2)
    with pytest.raises(ArgumentUnreadable, match="one of limits, limits_"):
        arguments(both, {"_limits": "1", "limits": "1"})


def test_what_has_no_name_cannot_be_given() -> None:
    with pytest.raises(ArgumentMissing, match="a uint256 of the constructor has no name"):
        arguments([uint("")], {})


@pytest.mark.parametrize("second", ["true", "false"])
def test_the_command_refuses_two_values_as_well(
    second: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["agent", "deploy", "A.sol", "--arg", "frozen=false", "--arg", f"frozen={second}"]
    assert exit_code(*words, "--rpc", "http://127.0.0.1:9", "--key-file", "key") == 2
    assert "frozen is given more than once" in capsys.readouterr().err


def test_all_that_a_constructor_is_given_is_shown_whole_and_on_one_line_each() -> None:
    kinds = {
        "agent": "address",
        "_hash": "bytes32",
        "most": "uint256",
        "open": "bool",
        "text": "string",
        "list": "uint8[]",
    }
    inputs = [{"name": name, "type": kind} for name, kind in kinds.items()]
    hashed = "0x" + "0f" * 32
    given = {"agent": CHECKSUMMED, "_hash": hashed, "most": str(2**256 - 1), "open": "true"}
    given |= {"text": "a\nagent = 0x00", "list": "[1, 2]"}
    shown = shown_arguments(cast(Contract, Wanting(*inputs)), arguments(inputs, given))
    most = f"most = {2**256 - 1}"
    assert shown[:4] == [f"agent = {CHECKSUMMED}", f"_hash = {hashed}", most, "open = true"]
    assert shown[5:] == ["list = [1, 2]"]
    assert shown[4].startswith("text = a")
    assert "\n" not in shown[4]
