"""What an agent keeps as one contract's code: two forms of it, word by word."""

from typing import Any, cast

import pytest
from eth_abi.abi import decode

from zkagent.executor.audit.wiring import Metadata, Wiring

TOOLS = ["0x" + digit * 40 for digit in "ab"]
PINS, HASHES = [bytes([number]) * 32 for number in (1, 2)], [bytes([7]) * 32, bytes([8]) * 32]
FORMS = {
    "0.1.0": ("(bytes,bytes,address[],bytes32[])", (b"12", b"base", TOOLS, PINS)),
    "this": (
        "(bytes,bytes,(address[],bytes32[],bytes32[]))",
        (b"12", b"base", (TOOLS, PINS, HASHES)),
    ),
}


class ToolAt:
    def __init__(self, address: str, pinned: bytes) -> None:
        self.address, self.pinned = address, pinned


@pytest.fixture
def wiring() -> Wiring:
    tools = tuple(map(ToolAt, TOOLS, PINS))
    nobody = "0x" + "00" * 20
    return Wiring(
        agent=nobody,
        executor=nobody,
        registry=nobody,
        model_id=12,
        base_prompt=b"base",
        max_iterations=4,
        commitment=bytes(32),
        tools=cast(Any, tools),
        metadata=cast(Metadata, None),
        owner=nobody,
        wallet=nobody,
        book=nobody,
    )


@pytest.mark.parametrize("version", FORMS)
def test_the_configuration_is_written_as_its_version_writes_it(
    wiring: Wiring, version: str
) -> None:
    form, values = FORMS[version]
    (found,) = decode([form], wiring.config(HASHES, version))
    assert as_lists(found) == as_lists(values)


def as_lists(value: Any) -> Any:
    return [as_lists(each) for each in value] if isinstance(value, tuple | list) else value
