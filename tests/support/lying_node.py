"""A proxy before a real node that answers otherwise: a node that is broken, or lies."""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eth_utils.crypto import keccak


@dataclass(frozen=True)
class Garbage:
    """These bytes in place of a response."""

    body: bytes


@dataclass(frozen=True)
class Refusal:
    """An error of JSON-RPC."""

    message: str


@dataclass(frozen=True)
class Silence:
    """No answer, as long as the proxy is there."""


@dataclass(frozen=True)
class Honest:
    """The node's own answer, be it a result or an error."""


#: From the honest answer, asked for when it is called, to the result, or one of the above.
Lie = Callable[[Callable[[], Any]], Any]


@dataclass
class LyingNode:
    """`lies`: by method, may be changed at any time. `asked`: what was asked for, in order;
    `sent`: raw transactions that were handed in, also those that it did not pass on; `parameters`:
    of the request that is being answered; `over`: nobody waits for an answer any more."""

    url: str
    node: str
    lies: dict[str, Lie] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    parameters: list[Any] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def says(self, method: str, answer: Any) -> None:
        """From now on."""
        self.lies[method] = lambda honest: answer

    def respond(self, request: Any) -> bytes | None:
        """The response's body; None for none."""
        if isinstance(request, list):  # of a fork of the node's chain
            return b"[" + b",".join(self.respond(each) or b"" for each in request) + b"]"
        method = request["method"]
        self.asked.append(method)
        self.parameters = request.setdefault("params", [])
        if method == "eth_sendRawTransaction":
            self.sent.append(request["params"][0])
        lie = self.lies.get(method)
        if lie is None:
            return self._pass_on(request)
        answer = lie(lambda: json.loads(self._pass_on(request)).get("result"))
        match answer:
            case Garbage(body):
                return body
            case Silence():
                self.over.wait()
                return None
            case Honest():
                return self._pass_on(request)
            case Refusal(message):
                told = {"error": {"code": -32000, "message": message}}
            case _:
                told = {"result": answer}
        return json.dumps({"jsonrpc": "2.0", "id": request["id"], **told}).encode()

    def _pass_on(self, request: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        sent = urllib.request.Request(self.node, json.dumps(request).encode(), headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(sent, timeout=300) as response:
            body: bytes = response.read()
        return body


@contextmanager
def lying_node(node: str) -> Iterator[LyingNode]:
    """A proxy for the node at this address, which ends with the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            body = liar.respond(json.loads(self.rfile.read(size)))
            if body is None:
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """Nothing: tests look at `asked`."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that were killed hang up."""

    server = Server(("127.0.0.1", 0), Handler)
    liar = LyingNode(f"http://127.0.0.1:{server.server_port}", node)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield liar
    finally:
        liar.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def lie_to(liar: LyingNode, signature: str, answer: bytes) -> None:
    """Of this function, from now on, of whatever contract the node is asked."""
    selector, before = "0x" + keccak(text=signature)[:4].hex(), liar.lies.get("eth_call")

    def lie(honest: Callable[[], Any]) -> Any:
        asked = liar.parameters[0].get("data") or liar.parameters[0].get("input") or ""
        if asked.startswith(selector):
            return "0x" + answer.hex()
        return before(honest) if before else Honest()

    liar.lies["eth_call"] = lie
