"""What no chain makes is refused before it is sent: code, and what makes it with its arguments."""

from typing import Any

import pytest
from eth_abi.abi import encode

from zkagent.verifier_contracts.deployment.sizes import check_sizes, creation_bytes
from zkagent.verifier_contracts.errors import ContractTooLarge
from zkagent.verifier_contracts.toolchain.compile import Contract


def made(making: int, code: int = 1, *kinds: str) -> Contract:
    inputs = [{"name": "", "type": kind} for kind in kinds]
    abi = ({"type": "constructor", "inputs": inputs},) if kinds else ()
    return Contract("Kennel", "Kennel.sol", abi, b"\0" * making, b"\0" * code, {})


@pytest.mark.parametrize("has_examples", [True, False])
def test_code_up_to_the_limit_is_accepted_and_a_byte_more_is_not(has_examples: bool) -> None:
    check_sizes(made(49_152, 24_576), has_examples=has_examples)
    with pytest.raises(ContractTooLarge, match=r"Kennel .* 24,577 bytes of code, where 24,576"):
        check_sizes(made(49_152, 24_577), has_examples=has_examples)
    with pytest.raises(ContractTooLarge, match=r"49,153 bytes .* 49,152 .* 1 too many"):
        check_sizes(made(49_153, 24_576), has_examples=has_examples)


def test_arguments_count() -> None:
    reader = ("address", "string", "bytes32", "address")
    check_sizes(made(49_152 - 192, 1, *reader))
    with pytest.raises(ContractTooLarge, match=r"49,153 bytes"):
        check_sizes(made(49_153 - 192, 1, *reader))
    given = ("0x" + "00" * 20, "1", bytes(32), "0x" + "00" * 20)
    check_sizes(made(49_152 - 192, 1, *reader), given)
    with pytest.raises(ContractTooLarge, match=r"49,184 bytes"):
        check_sizes(made(49_152 - 192, 1, *reader), (given[0], "1" * 33, *given[2:]))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("uint8[3]", [0] * 3),
        ("uint256[2][3]", [[0] * 2] * 3),
        ("bytes4", b""),
        ("string", "1"),
        ("address[]", []),
        ("string[]", []),
        ("bool", True),
    ],
)
def test_what_nobody_gave_counts_as_the_least(kind: str, value: Any) -> None:
    contract = made(10, 1, kind)
    assert creation_bytes(contract) == 10 + len(encode([kind], [value]))
    assert creation_bytes(contract, [value]) == creation_bytes(contract)


def test_the_remedy_is_the_one_that_helps() -> None:
    with pytest.raises(ContractTooLarge, match=r"fewer or shorter prompts under `means`"):
        check_sizes(made(49_153), has_examples=True)
    with pytest.raises(ContractTooLarge, match="contract of their own") as refused:
        check_sizes(made(49_153))
    assert "means" not in str(refused.value)
