"""What a contract that evaluates a model answers, asked a thousand times: web3's own functions take
ten times as long about hundreds of numbers as the contract does."""

from collections.abc import Sequence

from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from zkagent.verifier_contracts.chain.local import Anvil

EVALUATE = keccak(text="evaluate(int256[])")[:4]


def evaluated(chain: Anvil, contract: str, x: Sequence[int]) -> list[int]:
    """Its outputs. Raises web3's errors for what reverts."""
    data = EVALUATE + encode(["int256[]"], [list(x)])
    answer = chain.web3.eth.call({"to": contract, "data": data})  # type: ignore[typeddict-item]
    (y,) = decode(["int256[]"], bytes(answer))
    return list(y)


__all__ = ["evaluated"]
