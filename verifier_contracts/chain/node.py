"""A node's answers, taken only in the form and size that JSON-RPC gives them.

web3 turns some garbage into Python errors of its own and lets the rest pass; whatever a signature
depends on is asked for here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from eth_typing import ChecksumAddress
from web3 import Web3
from web3.exceptions import Web3ValidationError
from web3.types import RPCEndpoint

from zkagent.verifier_contracts.errors import AnswerRefused

QUANTITY = re.compile(r"0x[0-9a-f]{1,64}", re.ASCII | re.IGNORECASE)


def ask(web3: Web3, method: str, *parameters: Any) -> Any:
    """The answer as it came. Raises AnswerRefused, and what `translated` translates."""
    with answers(method):
        return web3.manager.request_blocking(RPCEndpoint(method), list(parameters))


def quantity(web3: Web3, method: str, *parameters: Any) -> int:
    """The answer of a method that gives a number of at most 256 bits. Raises like `ask`."""
    return number(method, ask(web3, method, *parameters))


def number(what: str, answer: Any) -> int:
    """Raises AnswerRefused for what JSON-RPC would not call a quantity."""
    if not isinstance(answer, str) or not QUANTITY.fullmatch(answer):
        raise AnswerRefused(what, answer, "a hexadecimal number")
    return int(answer, 16)


def latest_block(web3: Web3) -> Mapping[str, Any]:
    """Its header, values as they came. Raises like `ask`."""
    found = ask(web3, "eth_getBlockByNumber", "latest", False)
    if not isinstance(found, Mapping):
        raise AnswerRefused("eth_getBlockByNumber", found, "a block")
    return found


def new_address(receipt: Mapping[str, Any]) -> ChecksumAddress:
    """Of the contract that a transaction made. Raises AnswerRefused."""
    if not isinstance(address := receipt.get("contractAddress"), str):
        raise AnswerRefused("contractAddress of a receipt", address, "an address")
    return Web3.to_checksum_address(address)


@contextmanager
def answers(what: str) -> Iterator[None]:
    """What web3 stumbles over inside the block, as AnswerRefused."""
    try:
        yield
    except json.JSONDecodeError:  # which `translated` knows
        raise
    except (
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        Web3ValidationError,
    ) as exc:
        raise AnswerRefused(what, exc, "an answer of JSON-RPC") from exc


__all__ = ["answers", "ask", "latest_block", "new_address", "number", "quantity"]
