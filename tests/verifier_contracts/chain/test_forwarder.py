"""What reads a chain by another address learns neither the node's nor more than the chain."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import requests

from zkagent.verifier_contracts.chain import provider
from zkagent.verifier_contracts.chain.forwarder import MOST_QUESTION_BYTES, READS, forwarded

HEAD: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "params": []}
BLOCK = {**HEAD, "method": "eth_blockNumber"}


@dataclass
class Node:
    """`asked`: path, credentials and body of each request."""

    port: int
    status: int = 200
    body: bytes = b'{"jsonrpc": "2.0", "id": 7, "result": "0x1"}'
    asked: list[tuple[str, str, bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://me:s3cr3t@127.0.0.1:{self.port}/v2/s3cr3t?key=s3cr3t"


@pytest.fixture
def node() -> Iterator[Node]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            found.asked.append((self.path, self.headers.get("Authorization", ""), asked))
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(found.body)))
            self.send_header("Location", found.url)
            self.end_headers()
            self.wfile.write(found.body)

        def log_message(self, *arguments: Any) -> None:
            """Tests look at `asked`."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Node(server.server_port)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def ask(address: str, body: bytes) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False
        return session.post(address, data=body, timeout=120)


def words(response: requests.Response) -> str:
    return f"{response.status_code} {response.headers} {response.text}"


def test_questions_reach_the_node_by_its_own_address(node: Node) -> None:
    with forwarded(node.url) as address:
        assert "s3cr3t" not in address
        for question in (BLOCK, [BLOCK, {**HEAD, "method": "eth_getCode"}]):
            body = json.dumps(question).encode()
            response = ask(address, body)
            assert (response.status_code, response.content) == (200, node.body)
            path, credentials, asked = node.asked.pop()
            assert (path, json.loads(asked)) == ("/v2/s3cr3t?key=s3cr3t", question)
            assert credentials.startswith("Basic ")
    with pytest.raises(requests.ConnectionError):
        ask(address, json.dumps(BLOCK).encode())


WRITES = (
    "eth_sendRawTransaction",
    "eth_sendTransaction",
    "eth_sign",
    "eth_accounts",
    "personal_unlockAccount",
    "admin_peers",
    "debug_traceTransaction",
    "txpool_content",
    "anvil_setBalance",
    "ETH_BLOCKNUMBER",
    "",
    None,
    7,
    ["eth_blockNumber"],
)
NO_QUESTIONS = (
    b"",
    b"{}",
    b"7",
    b"null",
    b"[7]",
    b"[]",
    b"[[]]",
    b'[[{"method": "eth_blockNumber"}]]',
    b'{"METHOD": "eth_blockNumber"}',
    b'{"method": "eth_blockNumber", "m\\u0065thod": "eth_accounts"}',
    b"eth_blockNumber",
    b'{"method": "eth_blockNumber", "method": "eth_accounts"}',
    b"[" * 10_000,
    b"\xff",
)


def test_nothing_but_what_a_fork_reads_reaches_the_node(node: Node) -> None:
    writes = [{**HEAD, "method": method} for method in WRITES]
    bodies = [json.dumps(each).encode() for each in writes]
    bodies += [json.dumps([BLOCK, each]).encode() for each in writes]
    with forwarded(node.url) as address:
        for body in (*bodies, *NO_QUESTIONS):
            assert ask(address, body).status_code == 403, body
        assert ask(address, b" " * (MOST_QUESTION_BYTES + 1)).status_code == 413
    assert node.asked == []
    assert not READS & set(map(str, WRITES))


@pytest.mark.parametrize("more", ["METHOD", "Method", "Params", "ID", "Jsonrpc", "from", "method "])
@pytest.mark.parametrize("listed", [False, True])
def test_a_node_gets_no_key_that_it_may_read_otherwise(
    node: Node, more: str, *, listed: bool
) -> None:
    """Go's takes the last of keys that differ by their case alone."""
    block = {**BLOCK, "params": ["0x1", {"to": "0x2"}], more: "eth_sendTransaction"}
    body = json.dumps([block, block] if listed else block).encode()
    with forwarded(node.url) as address:
        assert ask(address, body).status_code == 200
    ((_, _, asked),) = node.asked
    passed_on = {key: block[key] for key in ("jsonrpc", "id", "method", "params")}
    assert json.loads(asked) == ([passed_on, passed_on] if listed else passed_on)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 429, 500, 503])
def test_words_beside_a_status_are_not_passed_on(node: Node, status: int) -> None:
    """Nor are its redirections followed."""
    node.status, node.body = status, b"no such project at /v2/s3cr3t"
    with forwarded(node.url) as address:
        response = ask(address, json.dumps(BLOCK).encode())
    assert response.status_code == status
    assert "s3cr3t" not in words(response)
    assert len(node.asked) == 1


def test_a_node_that_is_not_there_or_says_too_much_is_a_bad_gateway(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "MOST_ANSWER_BYTES", 10)
    for url in (node.url, node.url.replace(str(node.port), "1")):
        with forwarded(url) as address:
            response = ask(address, json.dumps(BLOCK).encode())
        assert response.status_code == 502
        assert "s3cr3t" not in words(response)
