"""Which contracts the transactions of a block made, where some failed."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.lying_node import lying_node
from zkagent.executor.chain.reader import ContractReader
from zkagent.verifier_contracts.chain.local import Anvil, connect
from zkagent.verifier_contracts.chain.node import AnswerRefused

RUNS, REVERTS = "0x6001600c60003960016000f300", "0x60006000fd"


def create(anvil: Anvil, code: str) -> None:
    sender = anvil.accounts[0].address
    fields: Any = {"from": sender, "data": code, "gas": 100_000}
    signed = anvil.accounts[0].sign_transaction(
        {
            **fields,
            "nonce": anvil.web3.eth.get_transaction_count(sender, "pending"),
            "chainId": anvil.web3.eth.chain_id,
            "maxFeePerGas": 10**10,
            "maxPriorityFeePerGas": 10**9,
            "value": 0,
        }
    )
    anvil.web3.eth.send_raw_transaction(signed.raw_transaction)


def without_address(succeeded: bool) -> Callable[[Callable[[], Any]], Any]:
    """As some nodes answer for creations that failed."""

    def lie(honest: Callable[[], Any]) -> Any:
        receipt = honest()
        if succeeded or receipt["status"] == "0x0":
            receipt["contractAddress"] = None
        return receipt

    return lie


@pytest.mark.parametrize("all_of_them", [False, True])
def test_what_failed_made_nothing_and_what_did_not_has_an_address(
    anvil: Anvil, all_of_them: bool
) -> None:
    anvil.rpc("evm_setAutomine", False)
    for code in (REVERTS, RUNS):
        create(anvil, code)
    anvil.rpc("evm_mine")
    anvil.rpc("evm_setAutomine", True)
    number = anvil.web3.eth.block_number
    with lying_node(anvil.rpc_url) as node:
        node.lies["eth_getTransactionReceipt"] = without_address(all_of_them)
        reader = ContractReader(connect(node.url, anvil.web3.eth.chain_id))
        if all_of_them:
            with pytest.raises(AnswerRefused):
                list(reader.creations(number))
        else:
            assert [data.hex() for _, data in reader.creations(number)] == [RUNS[2:]]
