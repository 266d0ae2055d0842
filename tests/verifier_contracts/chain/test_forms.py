"""Whatever a node answers, to whatever it is asked: one error of ours, and never Python's own."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import requests

from zkagent.verifier_contracts.chain import provider
from zkagent.verifier_contracts.chain.forms import ABSENT, DATA, FORMS, checked
from zkagent.verifier_contracts.chain.local import Anvil, connect, send, translated
from zkagent.verifier_contracts.chain.node import new_address
from zkagent.verifier_contracts.errors import AnswerRefused, ChainError

GARBAGE: tuple[Any, ...] = (
    None,
    True,
    7,
    -1,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "0x",
    "0xzz",
    "-0x1",
    "lots",
    "0xabc",
    "0x" + "f" * 65,
    "\ud800",
    [],
    [[]],
    [None],
    {},
    [{}],
    {"hash": None},
    {"calls": {}},
)
#: What is not garbage to these methods, though it is to others.
IN_FORM: dict[str, tuple[Any, ...]] = {
    "eth_call": ("0x",),
    "eth_getCode": ("0x",),
    "eth_getLogs": ([],),
    "eth_simulateV1": ([],),
    **dict.fromkeys(
        (name for name, (_, told) in FORMS.items() if "a hexadecimal number" in told), ("0xabc",)
    ),
}


@pytest.mark.parametrize("method", FORMS)
def test_what_is_of_another_form_is_refused(method: str) -> None:
    for garbage in GARBAGE:
        response = {"jsonrpc": "2.0", "id": 1, "result": garbage}
        absent = garbage is None and method in ABSENT
        if absent or any(garbage == fine for fine in IN_FORM.get(method, ())):
            assert checked(method, response)["result"] == garbage
            continue
        with pytest.raises(AnswerRefused) as caught:
            checked(method, response)
        assert str(caught.value).isprintable()


HASH, ADDRESS = "0x" + "11" * 32, "0x" + "22" * 20
LOG = {
    "address": ADDRESS,
    "topics": [HASH],
    "data": "0x",
    "logIndex": "0x1",
    "blockHash": HASH,
    "blockNumber": "0x1",
    "transactionHash": HASH,
    "transactionIndex": "0x1",
}
MINED = {
    "transactionHash": HASH,
    "blockHash": HASH,
    "blockNumber": "0x1",
    "status": "0x1",
    "gasUsed": "0x1",
    "from": ADDRESS,
    "logs": [LOG],
}
SENT = {"hash": HASH, "from": ADDRESS, "nonce": "0x1", "blockNumber": "0x1", "chainId": "0x1"}
BLOCK = {
    "number": "0x1",
    "hash": HASH,
    "parentHash": HASH,
    "timestamp": "0x1",
    "gasLimit": "0x1",
    "transactions": [],
}
#: Answers with all that is counted, as 0x1, but for a block's gas limit: some nodes set none.
COUNTING: dict[str, Any] = {
    "eth_blockNumber": "0x1",
    "eth_chainId": "0x1",
    "eth_getTransactionCount": "0x1",
    "eth_getTransactionReceipt": MINED,
    "eth_getTransactionByHash": SENT,
    "eth_getBlockByNumber": BLOCK,
    "eth_getLogs": [LOG],
}


def counting(answer: Any) -> Iterator[Callable[[str], Any]]:
    """What makes the answer with another number in one place, for each."""
    if answer == "0x1":
        yield lambda number: number
    parts = answer.items() if isinstance(answer, dict) else enumerate(answer)
    for key, part in parts if isinstance(answer, dict | list) else ():
        for changed in counting(part) if key != "gasLimit" else ():
            whole = answer if isinstance(answer, dict) else dict(enumerate(answer))
            yield partial(_with, type(answer), whole, key, changed)


def _with(
    kind: type, whole: dict[Any, Any], key: Any, changed: Callable[[str], Any], number: str
) -> Any:
    made = whole | {key: changed(number)}
    return made if kind is dict else list(made.values())


@pytest.mark.parametrize("method", COUNTING)
def test_what_no_chain_counts_up_to_is_refused(method: str) -> None:
    places = list(counting(COUNTING[method]))
    assert places
    for place in places:
        most = {"jsonrpc": "2.0", "id": 1, "result": place(hex((1 << 63) - 1))}
        assert checked(method, most)
        for number in (1 << 63, 1 << 64, (1 << 256) - 1):
            with pytest.raises(AnswerRefused):
                checked(method, {"jsonrpc": "2.0", "id": 1, "result": place(hex(number))})


RESPONSES: tuple[Any, ...] = (
    None,
    [],
    "",
    1,
    {},
    {"jsonrpc": "2.0", "id": 1},
    *({"jsonrpc": "2.0", "id": 1, "error": error} for error in ("boom", [1], {}, 7, None)),
    {"id": 1, "error": {"code": "x", "message": {}}},
    {"id": 1, "error": {"code": 3, "message": None}},
)


@pytest.mark.parametrize("response", RESPONSES, ids=str)
def test_what_is_no_response_is_refused(response: Any) -> None:
    with pytest.raises(AnswerRefused):
        checked("eth_call", response)


def test_data_of_an_error_are_hexadecimal_or_nothing() -> None:
    def data(given: Any) -> Any:
        error = {"code": 3, "message": "reverted", "data": given}
        return checked("eth_call", {"id": 1, "error": error})["error"].get("data")

    assert data("0x08c379a0") == data({"data": "0x08c379a0"}) == "0x08c379a0"
    assert data(7) is data({"a": 1}) is data([]) is data(None) is None


BODIES = (
    b"",
    b"<html>",
    b"null",
    b"[1]",
    b'{"jsonrpc":"2.0","id":1,"result":NaN}',
    b'{"jsonrpc":"2.0","id":1,"result":1e400}',
    b'{"jsonrpc":"2.0","id":1,"result":"\xff\xfe"}',
    b"[" * 100_000,
    json.dumps(
        {
            "id": 1,
            "error": {"code": 3, "message": "execution reverted", "data": "0x08c379a0" + "00"},
        }
    ).encode(),
    *(
        json.dumps({"id": 1, "error": {"code": 3, "message": "execution reverted", "data": data}})
        for data in ("0x08c379a000", "0x08c379a0zz", "0x4e487b71", "0x08c379a0" + "ff" * 68)
    ),
)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:40]))
def test_a_body_that_is_none_is_one_error(
    anvil: Anvil, monkeypatch: pytest.MonkeyPatch, body: bytes | str
) -> None:
    web3 = connect(anvil.rpc_url)
    monkeypatch.setattr(
        provider,
        "_limited",
        lambda response, most: body if isinstance(body, bytes) else body.encode(),
    )
    for ask in (
        lambda: web3.eth.call({"to": "0x" + "11" * 20}),  # type: ignore[typeddict-item]
        lambda: web3.eth.get_block("latest"),
        lambda: web3.eth.chain_id,
    ):
        with pytest.raises(ChainError), translated(web3):
            ask()


def test_bytes_are_whole_and_looked_at_without_a_record_of_each() -> None:
    form, _ = FORMS["eth_call"]
    assert form("0x") == "0x"
    assert form("0x" + "Ab" * (1 << 22))
    for wrong in ("0x0", "0x123", "0xg0", "12", "0x12\n"):
        with pytest.raises(ValueError, match=re.escape(wrong)):
            form(wrong)
    assert DATA.groups == 0  # `re` keeps 75 bytes for each turn of one


def test_every_answer_of_a_real_node_is_of_form(anvil: Anvil) -> None:
    """Its blocks, receipts, transactions and traces come through with all that is read of them."""
    web3 = connect(anvil.rpc_url)
    receipt = send(web3, {"data": "0x00"}, web3.eth.accounts[0])
    assert new_address(receipt)  # type: ignore[arg-type]
    sent = web3.eth.get_transaction(receipt["transactionHash"])
    block = web3.eth.get_block(receipt["blockNumber"], full_transactions=True)
    assert block["transactions"] == [sent]
    assert web3.eth.get_transaction_receipt(sent["hash"])["blockHash"] == block["hash"]


def test_a_receipt_of_a_creation_that_created_nothing_is_refused() -> None:
    for receipt in ({}, {"contractAddress": None}):
        with pytest.raises(AnswerRefused):
            new_address(receipt)


def test_only_a_trace_may_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    most: list[int] = []
    monkeypatch.setattr(provider, "_limited", lambda response, limit: most.append(limit) or b"")
    monkeypatch.setattr(requests.Session, "post", lambda *a, **k: requests.Response())
    monkeypatch.setattr(requests.Response, "close", lambda self: None)
    for method in ("debug_traceCall", "eth_call"):
        request = {"jsonrpc": "2.0", "method": method, "params": [{"data": "debug_trace"}]}
        provider.LimitedSession().post("http://here", data=json.dumps(request).encode())
    assert most == [provider.MOST_TRACE_BYTES, provider.MOST_ANSWER_BYTES]
    assert provider.MOST_ANSWER_BYTES <= 1 << 26
