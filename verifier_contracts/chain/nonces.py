"""Which transactions a node has, and which used a nonce of an account, as far as it remembers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eth_typing import ChecksumAddress
from requests import HTTPError
from web3 import Web3
from web3.exceptions import TransactionNotFound, Web3RPCError

from zkagent.verifier_contracts.chain.node import ask, number, quantity
from zkagent.verifier_contracts.errors import AnswerRefused

HASH = re.compile(r"0x[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Spent:
    """A transaction in a block, by the node's word. hash: hex with 0x; carries: data, and to unless
    it creates a contract; value: wei."""

    hash: str
    carries: Mapping[str, str]
    value: int


def is_known(web3: Web3, transaction: str) -> bool:
    """Whether the node has the transaction of this hash, in a block or waiting for one."""
    try:
        web3.eth.get_transaction(transaction)  # type: ignore[arg-type]
    except TransactionNotFound:
        return False
    return True


def spent_on(web3: Web3, account: ChecksumAddress, nonce: int) -> Spent | None:
    """None where the node does not say: it forgot the account's state of then, say, or the nonce is
    not used. Asks about twice the logarithm of the blocks since then."""
    try:
        block = _block_of(web3, account, nonce)
        found = None if block is None else ask(web3, "eth_getBlockByNumber", hex(block), True)
        return _of(found, account, nonce)
    except (Web3RPCError, AnswerRefused, HTTPError):  # as some refuse to tell of the past
        return None


def _block_of(web3: Web3, account: ChecksumAddress, nonce: int) -> int | None:
    """The first after which the nonce was used: backwards in longer and longer steps, since nodes
    forget, then halving."""

    def is_used(block: int) -> bool:
        return quantity(web3, "eth_getTransactionCount", account, hex(block)) > nonce

    used = quantity(web3, "eth_blockNumber")
    if not is_used(used):
        return None
    step = 1
    while (unused := max(0, used - step)) < used and is_used(unused):
        used, step = unused, 2 * step
    while used - unused > 1:
        middle = (used + unused) // 2
        used, unused = (middle, unused) if is_used(middle) else (used, middle)
    return used


def _of(block: Any, account: ChecksumAddress, nonce: int) -> Spent | None:
    sent = block.get("transactions") if isinstance(block, Mapping) else None
    for each in sent if isinstance(sent, list) else ():
        if not isinstance(each, Mapping) or str(each.get("from")).lower() != account.lower():
            continue
        if number("a nonce", each.get("nonce")) == nonce:
            to, data, name = each.get("to"), each.get("input"), str(each.get("hash"))
            if not HASH.fullmatch(name):
                raise AnswerRefused("a transaction's hash", name, "32 bytes in hex")
            if not isinstance(data, str):
                raise AnswerRefused("a transaction's input", data, "bytes in hex")
            carries = {"data": data} | ({"to": to} if isinstance(to, str) else {})
            return Spent(name, carries, number("a value", each.get("value")))
    return None


__all__ = ["Spent", "is_known", "spent_on"]
