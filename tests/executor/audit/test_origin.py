"""In which block a contract appeared, by halving."""

from typing import Any, cast

import pytest

from zkagent.executor.audit.origin import first_block
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader


class Appearing:
    """A chain on which the contract stands from block `first` on; nothing is before block 0."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.asked: list[int] = []

    def code(self, address: str, block: Block) -> bytes:
        assert block.number >= 0
        self.asked.append(block.number)
        return b"code" if block.number >= self.first else b""


@pytest.mark.parametrize("latest", [0, 1, 2, 7, 1000, 1001])
def test_the_first_block_with_code_is_found(latest: int) -> None:
    for first in {0, 1, 2, 3, latest // 3, latest - 1, latest} & set(range(latest + 1)):
        chain = Appearing(first)
        assert first_block(cast("ContractReader", cast("Any", chain)), "0x", latest) == first
        assert len(chain.asked) <= latest.bit_length() + 1
