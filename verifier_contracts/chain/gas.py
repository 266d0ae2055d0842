"""Gas of a contract's work, without what every transaction pays for itself.

Called by all that compare a proof's verification with a model's evaluation, which must count alike.
"""

from typing import Any

from zkagent.verifier_contracts.chain.transactions import Sender, send

# Prices since EIP-2028, Cancun's included.
TRANSACTION_GAS = 21_000
ZERO_BYTE_GAS, BYTE_GAS = 4, 16


def calldata_of(function: Any) -> bytes:
    """What a bound function of web3 sends: selector and arguments."""
    return bytes.fromhex(function._encode_transaction_data().removeprefix("0x"))


def calldata_gas(data: bytes) -> int:
    """What a transaction pays for its calldata."""
    zeros = data.count(0)
    return ZERO_BYTE_GAS * zeros + BYTE_GAS * (len(data) - zeros)


def call_gas(web3: Any, function: Any, sender: Sender) -> int:
    """Gas that a contract's function uses, measured by a transaction: what the receipt says less
    what the transaction pays for itself and its calldata. Raises like `send`."""
    receipt = send(web3, function, sender)
    return int(receipt["gasUsed"]) - TRANSACTION_GAS - calldata_gas(calldata_of(function))


__all__ = ["BYTE_GAS", "TRANSACTION_GAS", "ZERO_BYTE_GAS", "calldata_gas", "calldata_of"]
__all__ += ["call_gas"]
