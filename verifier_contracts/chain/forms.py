"""The form of a node's answers, checked before web3 sees them: whoever asks, by whatever function.

web3 turns garbage into Python errors of its own, or lets it pass; fields that are not checked here
do not reach it. What is checked is the form alone; whether an answer can be true is the asker's to
judge. Called by `provider.py`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from zkagent.verifier_contracts.errors import AnswerRefused

#: The value as it may go on, without what nobody here reads; raises ValueError for another form.
Form = Callable[[Any], Any]

QUANTITY = re.compile(r"0x[0-9a-f]{1,64}", re.ASCII | re.IGNORECASE)
#: Without a group, of whose turns `re` would keep a record each: 75 bytes for one of the text.
DATA = re.compile(r"0x[0-9a-f]*+", re.ASCII | re.IGNORECASE)
#: Whatever is counted on a chain stays below: chains, blocks, transactions, seconds, gas spent.
BEYOND_COUNTING = 1 << 63
#: Nodes say null of a transaction or block that they do not have.
ABSENT = frozenset(
    {
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getTransactionByHash",
        "eth_getTransactionReceipt",
    }
)


def matching(pattern: re.Pattern[str], length: int | None = None) -> Form:
    """A text of this pattern; of whole bytes, where it is one of bytes. length: how many."""

    def form(value: Any) -> Any:
        if not isinstance(value, str) or pattern.fullmatch(value) is None:
            raise ValueError(value)
        if pattern is DATA and len(value) % 2:
            raise ValueError(value)
        if length is not None and len(value) != 2 + 2 * length:
            raise ValueError(value)
        return value

    return form


def count(value: Any) -> Any:
    """A quantity of what is counted."""
    if int(quantity(value), 16) >= BEYOND_COUNTING:
        raise ValueError(value)
    return value


def text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def optional(form: Form) -> Form:
    return lambda value: None if value is None else form(value)


def each(form: Form) -> Form:
    def listed(value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError(value)
        return [form(item) for item in value]

    return listed


def record(required: Mapping[str, Form], others: Mapping[str, Form]) -> Form:
    """An object with these fields, and those of `others` where they are there."""
    known = {**required, **others}

    def form(value: Any) -> Any:
        if not isinstance(value, dict) or not required.keys() <= value.keys():
            raise ValueError(value)
        return {key: known[key](value[key]) for key in value.keys() & known.keys()}

    return form


def hash_or_transaction(value: Any) -> Any:
    """Of a block, which has all or their hashes."""
    return TRANSACTION(value) if isinstance(value, dict) else HASH(value)


quantity, data = matching(QUANTITY), matching(DATA)
HASH, ADDRESS = matching(DATA, 32), matching(DATA, 20)
LOG = record(
    {"address": ADDRESS, "topics": each(HASH), "data": data},
    {
        "blockHash": optional(HASH),
        "blockNumber": optional(count),
        "transactionHash": optional(HASH),
        "transactionIndex": optional(count),
        "logIndex": optional(count),
    },
)
#: With the fields that anything here reads.
MINED_LOG = record(
    {"address": ADDRESS, "topics": each(HASH), "data": data, "logIndex": count},
    {
        "blockHash": HASH,
        "blockNumber": count,
        "transactionHash": HASH,
        "transactionIndex": count,
    },
)
TRANSACTION = record(
    {"hash": HASH, "from": ADDRESS, "nonce": count},
    {
        "input": data,
        "value": quantity,
        "to": optional(ADDRESS),
        "blockHash": optional(HASH),
        "blockNumber": optional(count),
        "transactionIndex": optional(count),
        "chainId": optional(count),
        "gas": quantity,
        "gasPrice": optional(quantity),
        "maxFeePerGas": quantity,
        "maxPriorityFeePerGas": quantity,
        "type": count,
    },
)
RECEIPT = record(
    {
        "transactionHash": HASH,
        "blockHash": HASH,
        "blockNumber": count,
        "status": count,
        "gasUsed": count,
        "from": ADDRESS,
        "logs": each(MINED_LOG),
    },
    {
        "to": optional(ADDRESS),
        "contractAddress": optional(ADDRESS),
        "cumulativeGasUsed": count,
        "effectiveGasPrice": quantity,
        "transactionIndex": count,
        "type": count,
        "logsBloom": data,
    },
)
BLOCK = record(
    {
        "number": count,
        "hash": HASH,
        "parentHash": HASH,
        "timestamp": count,
        "gasLimit": quantity,
        "transactions": each(hash_or_transaction),
    },
    {
        "baseFeePerGas": quantity,
        "gasUsed": count,
        "size": optional(quantity),
        "difficulty": optional(quantity),
        "totalDifficulty": optional(quantity),
        "uncles": each(HASH),
        "miner": optional(ADDRESS),
    },
)
SIMULATED = record(
    {"calls": each(record({"status": count}, {"logs": each(LOG)}))},
    {},
)


def frame(value: Any) -> Any:
    """A call of geth's callTracer, with those within, which are no deeper than calls go."""
    return _frame(value, MOST_DEPTH)


def _frame(value: Any, depth: int) -> Any:
    if depth == 0:
        raise ValueError("too deep")
    found = FRAME(value)
    found["calls"] = [_frame(inner, depth - 1) for inner in found.get("calls", [])]
    return found


MOST_DEPTH = 300  # of calls; gas allows a few dozen
FRAME = record(
    {"from": ADDRESS, "gasUsed": count, "input": data},
    {"to": optional(ADDRESS), "output": data, "error": text, "calls": each(lambda inner: inner)},
)
FORMS: Mapping[str, tuple[Form, str]] = {
    **dict.fromkeys(
        (
            "eth_estimateGas",
            "eth_gasPrice",
            "eth_getBalance",
            "eth_maxPriorityFeePerGas",
        ),
        (quantity, "a hexadecimal number"),
    ),
    **dict.fromkeys(
        ("eth_blockNumber", "eth_chainId", "eth_getTransactionCount"),
        (count, "a hexadecimal number below 2^63"),
    ),
    **dict.fromkeys(("eth_call", "eth_getCode"), (data, "bytes in hexadecimal")),
    **dict.fromkeys(
        ("eth_sendRawTransaction", "eth_sendTransaction"), (HASH, "a transaction's hash")
    ),
    **dict.fromkeys(("eth_getBlockByHash", "eth_getBlockByNumber"), (BLOCK, "a block")),
    "eth_getTransactionByHash": (TRANSACTION, "a transaction"),
    "eth_getTransactionReceipt": (RECEIPT, "a receipt"),
    "eth_getLogs": (each(MINED_LOG), "a list of events"),
    "eth_simulateV1": (each(SIMULATED), "simulated blocks"),
    **dict.fromkeys(("debug_traceCall", "debug_traceTransaction"), (frame, "a trace of calls")),
}


def checked(method: str, response: Any) -> Any:
    """The response, if it has JSON-RPC's form and its result the method's, without fields that
    nobody here reads. Raises AnswerRefused."""
    if not isinstance(response, dict) or not response.keys() & {"error", "result"}:
        raise AnswerRefused(method, response, "a result or an error of JSON-RPC")
    if response.get("error") is not None or "result" not in response:
        return {**response, "error": _error(method, response["error"])}
    result = response["result"]
    if (result is None and method in ABSENT) or method not in FORMS:
        return response
    form, expected = FORMS[method]
    try:
        return {**response, "result": form(result)}
    except ValueError as exc:
        raise AnswerRefused(method, result, expected) from exc


def _error(method: str, error: Any) -> Any:
    """With data that are bytes in hexadecimal, as nodes write them. Raises AnswerRefused."""
    of_form = isinstance(error, dict) and isinstance(error.get("message"), str)
    if not of_form or type(error.get("code")) is not int:
        raise AnswerRefused(method, error, "an error of JSON-RPC")
    found = error.get("data")
    if isinstance(found, dict):
        found = found.get("data") or found.get("result")
    told = {"code": error["code"], "message": error["message"]}
    return told | {"data": found} if isinstance(found, str) else told


__all__ = ["BEYOND_COUNTING", "FORMS", "checked"]
