"""What a run moved, or would move without being sent: token transfers, out of events.

`eth_simulateV1` runs the whole transaction with its proofs on the latest state and returns its
logs. Nodes without it leave the plan's own words.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from eth_utils.crypto import keccak
from web3 import Web3
from web3.types import RPCEndpoint

from zkagent.executor.chain.agent import TokenTransfer
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import answers
from zkagent.verifier_contracts.errors import ChainError

TRANSFER = keccak(text="Transfer(address,address,uint256)")  # ERC-20


def simulated_transfers(web3: Web3, fields: Mapping[str, Any]) -> tuple[TokenTransfer, ...] | None:
    """The transfers that a transaction of these fields would make; None when the node does not
    simulate, or the transaction fails."""
    call = {key: "0x" + v.hex() if isinstance(v, bytes) else v for key, v in fields.items()}
    call["value"] = hex(int(call.get("value", 0)))
    request = {"blockStateCalls": [{"calls": [call]}]}
    try:
        with translated(web3):
            blocks = web3.manager.request_blocking(
                RPCEndpoint("eth_simulateV1"), [request, "latest"]
            )
    except ChainError:
        return None
    with answers("eth_simulateV1"):
        (result,) = blocks[0]["calls"]
        if int(result["status"], 16) != 1:
            return None
        return transfers_in(result["logs"])


def transfers_in(logs: Iterable[Mapping[str, Any]]) -> tuple[TokenTransfer, ...]:
    """The ERC-20 transfers among events, in order."""
    return tuple(_transfer(log) for log in logs if _is_transfer(log))


def _is_transfer(log: Mapping[str, Any]) -> bool:
    topics = log["topics"]
    return len(topics) == 3 and _bytes(topics[0]) == TRANSFER and len(_bytes(log["data"])) == 32


def _transfer(log: Mapping[str, Any]) -> TokenTransfer:
    sender, recipient = ("0x" + _bytes(topic)[12:].hex() for topic in log["topics"][1:])
    units = int.from_bytes(_bytes(log["data"]), "big")
    return TokenTransfer(str(log["address"]).lower(), sender, recipient, units)


def _bytes(value: Any) -> bytes:
    return bytes.fromhex(value[2:]) if isinstance(value, str) else bytes(value)
