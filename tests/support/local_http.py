"""A web server on this machine that remembers what it was asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """headers: with names in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


#: Status, headers, body.
Answer = tuple[int, dict[str, str], bytes]
Answering = Callable[[Asked], Answer]


@dataclass
class LocalHttp:
    port: int
    asked: list[Asked] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"


@contextmanager
def local_http(answering: Answering) -> Iterator[LocalHttp]:
    """Answers each request by `answering`, on localhost."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, self.rfile.read(length))
            found.asked.append(asked)
            status, more, body = answering(asked)
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = LocalHttp(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()
