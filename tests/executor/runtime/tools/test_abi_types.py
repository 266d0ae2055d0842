"""Solidity's types as JSON, both ways."""

from typing import Any

import pytest
from eth_abi.abi import encode

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.tools.abi_types import (
    from_abi,
    schema_of,
    selector,
    signature,
    to_abi,
    type_of,
)
from zkagent.executor.runtime.tools.schema import InputSchema

ORDER = {
    "type": "tuple[]",
    "name": "orders",
    "components": [
        {"type": "address", "name": "to"},
        {"type": "uint256[2]", "name": "amounts"},
        {"type": "tuple", "name": "note", "components": [{"type": "bytes4"}, {"type": "bool"}]},
    ],
}
VALUE = [
    {
        "to": "0x00000000000000000000000000000000000000AA",
        "amounts": [1, "2"],
        "note": {"arg0": "0x01020304", "arg1": True},
    }
]


def test_structs_and_arrays_have_their_canonical_type() -> None:
    assert type_of(ORDER) == "(address,uint256[2],(bytes4,bool))[]"
    function = {"name": "transfer", "inputs": [{"type": "address"}, {"type": "uint256"}]}
    assert signature(function) == "transfer(address,uint256)"
    assert selector(function).hex() == "a9059cbb"


def test_values_go_in_and_come_back() -> None:
    InputSchema("x", {"type": "object", "properties": {"v": schema_of(ORDER)}}).check({"v": VALUE})
    made = to_abi(ORDER, VALUE, "v")
    assert encode([type_of(ORDER)], [made])
    shown: Any = from_abi(ORDER, made)
    assert shown == [{**VALUE[0], "amounts": ["1", "2"]}]


@pytest.mark.parametrize(
    ("kind", "fits", "beyond"),
    [
        ("uint8", 255, 256),
        ("uint8", 0, -1),
        ("int8", -128, -129),
        ("int8", 127, 128),
        ("uint256", str(2**256 - 1), str(2**256)),
        ("int256", str(-(2**255)), str(-(2**255) - 1)),
        ("uint", "10", "010"),
        ("uint256", "10", " 10"),
    ],
)
def test_numbers_have_the_bounds_of_their_type(kind: str, fits: Any, beyond: Any) -> None:
    assert to_abi({"type": kind}, fits, "n") == int(fits)
    with pytest.raises(ToolInputRefused, match="n:"):
        to_abi({"type": kind}, beyond, "n")


def test_a_number_that_may_have_lost_digits_is_refused() -> None:
    entry = {"type": "uint256"}
    assert to_abi(entry, str(10**23), "n") == to_abi(entry, 10**23, "n") == 10**23
    for value in (1e23, 5.0, True):
        with pytest.raises(ToolInputRefused, match="write it as decimal text"):
            to_abi(entry, value, "n")


def test_a_mistyped_address_is_refused() -> None:
    good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    for address in (good, good.lower(), "0x" + good[2:].upper()):
        assert to_abi({"type": "address"}, address, "a") == good
    with pytest.raises(ToolInputRefused, match="checksum"):
        to_abi({"type": "address"}, good.replace("a", "A", 1), "a")


@pytest.mark.parametrize("kind", ["fixed128x18", "function", "uint256[", "", "mapping"])
def test_a_type_that_is_none_is_refused(kind: str) -> None:
    with pytest.raises(AgentConfigRefused):
        schema_of({"type": kind})
