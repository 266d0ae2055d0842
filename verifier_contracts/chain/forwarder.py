"""An address on this machine in place of a node's, whose own has a key in it.

What anvil is given to fork stands in the list of processes, in anvil's log and in its answer to
`anvil_nodeInfo`, which every account of the machine may ask for. So a rehearsal's anvil (the only
caller) is given a forwarder's, which passes on what a fork reads of a chain and nothing else:
whoever finds it has no more of the node than he has by asking that anvil.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import requests

from zkagent.circuits.support.deadline import within
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.chain.provider import REQUEST_TIMEOUT_S, node_session

#: What anvil asks for while a deployment is rehearsed on its fork.
READS = frozenset(
    {
        "eth_blockNumber",
        "eth_call",
        "eth_chainId",
        "eth_gasPrice",
        "eth_getAccountInfo",
        "eth_getBalance",
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getCode",
        "eth_getStorageAt",
        "eth_getTransactionByHash",
        "eth_getTransactionCount",
        "eth_getTransactionReceipt",
    }
)
MOST_QUESTION_BYTES = 1 << 20
JSON_TYPE = "application/json"
POLL_S = 0.05


@contextmanager
def forwarded(rpc_url: str) -> Iterator[str]:
    """An address for whoever reads the chain of the node at `rpc_url`, for the length of the
    block."""

    class Handler(_Handler):
        node = rpc_url

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked hangs up."""


class _Handler(BaseHTTPRequestHandler):
    """One connection, and one to the node for it. Of an answer that is none of JSON-RPC only the
    status is passed on: its words may name the node's address."""

    node: str
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 2 * REQUEST_TIMEOUT_S

    def setup(self) -> None:
        super().setup()
        self.session = node_session(self.node)

    def finish(self) -> None:
        self.session.close()
        super().finish()

    def do_POST(self) -> None:
        """A question of JSON-RPC, or a list of them."""
        length = self.headers.get("Content-Length", "")
        if not (length.isdecimal() and int(length) <= MOST_QUESTION_BYTES):
            self.close_connection = True
            return self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        question = self.rfile.read(int(length))
        if not (reads := _reads(question)):
            return self._answer(HTTPStatus.FORBIDDEN)
        return self._answer(*self._asked(reads))

    def log_message(self, *arguments: Any) -> None:
        """Nobody reads it."""

    def _asked(self, question: bytes) -> tuple[int, bytes]:
        ask = self.session.post
        headers = {"Content-Type": JSON_TYPE}
        try:
            response = within(
                REQUEST_TIMEOUT_S,
                lambda: ask(self.node, data=question, headers=headers, timeout=REQUEST_TIMEOUT_S),
            )
        except (requests.RequestException, TimeoutError):
            return HTTPStatus.BAD_GATEWAY, b""
        status = response.status_code
        return status, response.content if status == HTTPStatus.OK else b""

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", JSON_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _reads(question: bytes) -> bytes:
    """The same in our words, nothing for what does anything but read: a node may read keys that
    differ by their case alone, or stand twice, otherwise than we do."""
    try:
        asked = load_json(question)
        if isinstance(asked, list):
            again: Any = [_read(one) for one in asked]
        else:
            again = _read(asked)
    except (ValueError, TypeError, KeyError, AttributeError):
        return b""
    return json.dumps(again).encode() if again else b""


def _read(one: Any) -> dict[str, Any]:
    """Raises ValueError for what is none, and TypeError, KeyError or AttributeError."""
    if one["method"] not in READS:
        raise ValueError(one["method"])
    head = {"jsonrpc": "2.0", "id": one.get("id"), "method": one["method"]}
    return {**head, "params": one.get("params", [])}


__all__ = ["forwarded"]
