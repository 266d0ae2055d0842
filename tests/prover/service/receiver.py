"""An HTTP server that is called back."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Receiver:
    """Takes notes of what it is sent. answers: statuses for the first calls; then 204."""

    def __init__(self, port: int = 0) -> None:
        self.answers: list[int] = []
        self.calls: list[tuple[dict[str, str], bytes]] = []
        self.paths: list[str] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                status = outer.answers.pop(0) if outer.answers else 204
                outer.paths.append(self.path)
                self.send_response(status)
                if status in (301, 302, 307, 308):
                    self.send_header("location", "/elsewhere")
                self.end_headers()
                outer.calls.append(({k.lower(): v for k, v in self.headers.items()}, body))

            do_GET = do_POST  # noqa: N815 - the server asks for these names

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.url = f"{self.origin}/done"


@contextmanager
def receiving(port: int = 0) -> Iterator[Receiver]:
    """A receiver that runs meanwhile; port 0 takes a free one."""
    receiver = Receiver(port)
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        thread.join()
        receiver.server.server_close()
