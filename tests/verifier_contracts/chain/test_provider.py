"""Nodes that hang, drip, flood or send elsewhere: each request ends, with an error that says so."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from web3 import Web3

from zkagent.verifier_contracts.chain import provider
from zkagent.verifier_contracts.chain.local import connect
from zkagent.verifier_contracts.chain.provider import BoundedProvider
from zkagent.verifier_contracts.errors import ChainTimedOut, ChainUnreachable

PATIENCE_S = 0.5
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHAIN_ID = b'{"jsonrpc":"2.0","id":0,"result":"0x7a69"}'
Talk = Callable[[socket.socket], None]


@contextmanager
def node(*talks: Talk) -> Iterator[str]:
    """The address of a server that treats each request in turn as the next of `talks` does, all
    further ones as the last."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, list(talks)), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(120)


def _serve(server: socket.socket, talks: list[Talk]) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        talk = talks.pop(0) if len(talks) > 1 else talks[0]
        threading.Thread(target=_talk, args=(client, talk), daemon=True).start()


def _talk(client: socket.socket, talk: Talk) -> None:
    with client:
        client.recv(1 << 16)
        try:
            talk(client)
        except OSError:
            return  # the other side had enough


def answers(client: socket.socket) -> None:
    client.sendall(OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(CHAIN_ID))
    client.sendall(CHAIN_ID)


def hangs(client: socket.socket) -> None:
    client.settimeout(600)
    client.recv(1)


def drips_headers(client: socket.socket) -> None:
    drip(client, OK)


def drips_body(client: socket.socket) -> None:
    client.sendall(OK + b"Content-Length: 100000\r\n\r\n")
    drip(client, b" " * 1000)


def drip(client: socket.socket, data: bytes) -> None:
    for byte in data:
        client.sendall(bytes([byte]))
        time.sleep(PATIENCE_S / 5)


def floods(client: socket.socket) -> None:
    client.sendall(OK + b"Connection: close\r\n\r\n")
    while True:
        client.sendall(b"0" * (1 << 16))


def impatient(url: str) -> Web3:
    """Connected to whoever answers at first, in whatever time that takes on a busy machine."""
    web3 = connect(url, timeout_s=300)
    web3.provider = BoundedProvider(url, PATIENCE_S)
    return web3


@pytest.mark.parametrize("talk", [hangs, drips_headers, drips_body])
def test_a_request_ends_after_its_time(talk: Talk) -> None:
    with node(answers, talk) as url:
        web3 = impatient(url)
        started = time.monotonic()
        with pytest.raises(ChainTimedOut, match=r"no answer to eth_blockNumber within 0\.5 s"):
            _ = web3.eth.block_number
        assert time.monotonic() - started < 60


def test_the_first_request_ends_too() -> None:
    with node(hangs) as url, pytest.raises(ChainTimedOut, match="eth_chainId"):
        connect(url, timeout_s=PATIENCE_S)


def test_who_never_comes_to_an_answer_keeps_no_thread_busy() -> None:
    def for_ever(client: socket.socket) -> None:
        while True:
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 500)

    before = set(threading.enumerate())
    with node(answers, for_ever) as url:
        web3 = impatient(url)
        with pytest.raises(ChainTimedOut):
            _ = web3.eth.block_number
        deadline = time.monotonic() + 120
        while {t.name for t in set(threading.enumerate()) - before} & {"zkagent-request"}:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_an_endless_answer_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "MOST_ANSWER_BYTES", 1 << 20)
    with node(floods) as url, pytest.raises(ChainUnreachable, match="ContentDecodingError"):
        connect(url, timeout_s=300)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"jsonrpc":"2.0","id":0,"result":' + b'{"a":' * 200_000,
        b'{"jsonrpc":"2.0","id":0,"id":1,"result":"0x7a69"}',
        b'{"jsonrpc":"2.0","id":0,"result":NaN}',
        b'{"jsonrpc":"2.0","id":0,"result":' + b"9" * 5000 + b"}",
        b'{"jsonrpc":"2.0","id":0,"result":"\xff"}',
    ],
    ids=["deep lists", "deep objects", "a repeated key", "NaN", "a long number", "no text"],
)
def test_an_answer_that_cannot_be_read_is_an_unreachable_chain(body: bytes) -> None:
    def says(client: socket.socket) -> None:
        client.sendall(OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        client.settimeout(600)
        client.recv(1 << 16)  # what came late, or the end: closing before would lose the answer

    with node(says) as url, pytest.raises(ChainUnreachable, match="not JSON-RPC"):
        connect(url, timeout_s=300)


def test_calls_within_calls_are_read() -> None:
    trace = b'{"calls":[' * 100 + b"]}" * 100
    assert BoundedProvider.decode_rpc_response(b'{"result":%b}' % trace)["result"]["calls"]


def test_a_node_that_sends_elsewhere_is_not_followed() -> None:
    asked: list[int] = []

    def counts(client: socket.socket) -> None:
        asked.append(1)
        answers(client)

    with node(counts) as other:
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {other}/\r\nContent-Length: 0\r\n\r\n".encode()
        with (
            node(lambda client: client.sendall(moved)) as url,
            pytest.raises(ChainUnreachable),
        ):
            connect(url, timeout_s=300)
    assert not asked
