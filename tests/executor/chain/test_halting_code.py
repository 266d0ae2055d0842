"""Code that ends by what is no instruction, or reverts with what no compiler writes, fails as any
that reverts: its owner may have it do so at will, and nobody asks another node for that."""

from types import SimpleNamespace
from typing import Any

import pytest
from web3.exceptions import Web3RPCError

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.errors import NoAgentThere
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.errors import ChainError, RevertError

AT = "0x" + "7a" * 20
HALTS = {
    "INVALID": "fe",
    "no instruction": "0c",
    "stack underflow": "01",
    "stack overflow": "5b60005f565b" + "5f" * 1100,
    "no destination": "5f5f0356",
    "reads behind what was returned": "60205f5f3e",
    "endless": "5b5f56",
}


@pytest.mark.parametrize("how", HALTS)
def test_code_that_halts_reverts_without_a_reason(anvil: Anvil, how: str) -> None:
    snapshot = anvil.snapshot()
    anvil.rpc("anvil_setCode", AT, "0x" + HALTS[how])
    reader = ContractReader(anvil.web3)
    block = reader.block("latest")
    with pytest.raises(RevertError) as reverted:
        reader.call(AT, abi.DECIMALS.call(), block, gas=100_000)
    assert reverted.value.data == b""
    with pytest.raises(NoAgentThere):
        reader.view(AT, abi.DECIMALS, block)
    anvil.revert(snapshot)


#: Reverts with so many bytes of its own code, from its 13th on.
REVERTS = "60{:02x}80600c5f395ffd" + "00" * 3


@pytest.mark.parametrize(
    "data",
    [
        "4e487b71" + "00" * 31 + "11",  # as compilers write it
        "4e487b71" + "00" * 31 + "ff",
        "4e487b71" + "ff" * 32,
        "4e487b71",
        "4e487b7111",
        "556f1830",
        "556f1830" + "ff" * 64,
        "08c379a0",
        "08c379a0" + "ff" * 64,
        "08c379a0" + "00" * 31 + "20" + "00" * 31 + "02" + "ff" * 2,
    ],
)
def test_a_revert_is_one_whatever_it_says(anvil: Anvil, data: str) -> None:
    snapshot = anvil.snapshot()
    code = REVERTS.format(len(data) // 2)
    assert len(code) == 24
    anvil.rpc("anvil_setCode", AT, "0x" + code + data)
    reader = ContractReader(anvil.web3)
    with pytest.raises(RevertError) as reverted:
        reader.call(AT, abi.DECIMALS.call(), reader.block("latest"))
    assert reverted.value.data.hex() == data
    anvil.revert(snapshot)


def asked(words: str) -> None:
    """A reader's call, of a node that says so."""

    def refuse(*_: Any) -> None:
        raise Web3RPCError(words, rpc_response={"error": {"code": -32000, "message": words}})  # type: ignore[typeddict-item]

    web3: Any = SimpleNamespace(eth=SimpleNamespace(call=refuse))
    ContractReader(web3).call(AT, b"", Block(1, "0x" + "11" * 32))


@pytest.mark.parametrize(
    "words",
    [
        "invalid opcode: INVALID",
        "invalid opcode: opcode 0xef not defined",
        "stack underflow (0 <=> 2)",
        "stack limit reached 1024 (1023)",
        "invalid jump destination",
        "write protection",
        "return data out of bounds",
        "gas uint64 overflow",
        "out of gas",
        "VM execution error.",
        "EVM error InvalidFEOpcode",
        "EVM error OutOfOffset",
        "EVM error: CallNotAllowedInsideStatic",
        "EVM error: StateChangeDuringStaticCall",
        "EVM error: NotActivated",
    ],
)
def test_the_words_of_nodes_for_that(words: str) -> None:
    with pytest.raises(RevertError):
        asked(words)


@pytest.mark.parametrize(
    "words",
    [
        "rate limit exceeded",
        "method not found",
        "internal error",
        "execution timeout",
        "eth_call not allowed for this key",
        "method call not allowed",
        "feature not activated for this account",
        "EVM error: Database(disk)",
        "EVM error",
    ],
)
def test_what_is_the_nodes_own_trouble_is_no_revert(words: str) -> None:
    with pytest.raises(ChainError) as refused:
        asked(words)
    assert not isinstance(refused.value, RevertError)
