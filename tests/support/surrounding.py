"""What somebody does around a run: in the block before it, and in its own."""

from collections.abc import Callable, Sequence
from typing import Any

from eth_account.signers.local import LocalAccount

from tests.support.evaluated_stage import Stage

GWEI = 10**9


def surround(
    stage: Stage,
    who: LocalAccount,
    away: Sequence[Any],
    back: Sequence[Any],
    behind: Sequence[Any],
) -> Callable[[Callable[[], Any]], Any]:
    """When the run is handed in: a block with `away`, and one with `back` before the run and
    `behind` after it; all of them calls of contracts, as transactions of `who`."""

    def hand_in(honest: Callable[[], Any]) -> Any:
        rpc = stage.chain.anvil.rpc
        rpc("evm_setAutomine", False)
        _into_the_pool(stage, who, away, 2 * GWEI)
        rpc("evm_mine")
        _into_the_pool(stage, who, back, 90 * GWEI)
        name = honest()
        _into_the_pool(stage, who, behind, 1)
        rpc("evm_mine")
        rpc("evm_setAutomine", True)
        return name

    return hand_in


def _into_the_pool(stage: Stage, who: LocalAccount, calls: Sequence[Any], tip: int) -> None:
    web3 = stage.chain.web3
    first = web3.eth.get_transaction_count(who.address, "pending")
    base = int(web3.eth.get_block("latest")["baseFeePerGas"])
    for nonce, each in enumerate(calls, first):
        fields = {"from": who.address, "nonce": nonce, "gas": 3_000_000}
        fields |= {"maxFeePerGas": 2 * base + tip, "maxPriorityFeePerGas": tip}
        signed = who.sign_transaction(each.build_transaction(fields))
        web3.eth.send_raw_transaction(signed.raw_transaction)
