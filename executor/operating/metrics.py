"""What an operator did, in numbers: for its table, for `--json`, and as text that Prometheus
reads."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from zkagent.executor.operating.events import (
    Answered,
    Begun,
    Event,
    Lost,
    Proven,
    PutOff,
    Reverted,
    Sent,
    Suspended,
    Trouble,
    Undone,
    Waits,
)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: name -> what it counts
HELP = {
    "begun_total": "Times that a run was planned for a request.",
    "proofs_total": "Runs that were proven.",
    "proving_seconds_total": "Seconds of proving.",
    "sent_total": "Transactions that were signed.",
    "replaced_total": "Of those, in place of another one of the same nonce.",
    "answered_total": "Requests answered, settled.",
    "fees_wei_total": "Fees of answered requests.",
    "suspended_total": "Transactions, settled, after which a run waits for a tool.",
    "gas_wei_total": "Paid for gas for requests that came to an end, failed transactions included.",
    "reverted_total": "Transactions that failed in a block.",
    "undone_total": "Transactions whose block is gone.",
    "lost_total": "Requests that ended otherwise after a transaction was signed for them.",
    "put_off_total": "Times that a request was put off.",
    "trouble_total": "Times that the node could not be worked with.",
}


@dataclass
class Metrics:
    """A Listener. open, waiting, on_the_way: requests, now; of the open ones, those whose run waits
    for a tool."""

    counts: Counter[str] = field(default_factory=Counter)
    open: int = 0
    waiting: int = 0
    on_the_way: int = 0
    seconds: float = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case Begun():
                self.counts["begun_total"] += 1
            case Proven(seconds=seconds):
                self.counts["proofs_total"] += 1
                self.seconds += seconds
            case Sent(replaces=replaces):
                self.counts["sent_total"] += 1
                self.counts["replaced_total"] += replaces
            case Answered(fee=fee, cost_wei=cost):
                self.counts["answered_total"] += 1
                self.counts["fees_wei_total"] += fee
                self.counts["gas_wei_total"] += cost
            case Suspended():
                self.counts["suspended_total"] += 1
            case Waits():
                pass  # `waiting` counts them
            case Reverted():
                self.counts["reverted_total"] += 1
            case Undone():
                self.counts["undone_total"] += 1
            case Lost(cost_wei=cost):
                self.counts["lost_total"] += 1
                self.counts["gas_wei_total"] += cost
            case PutOff():
                self.counts["put_off_total"] += 1
            case Trouble():
                self.counts["trouble_total"] += 1

    def text(self) -> str:
        """In Prometheus' format."""
        lines = []
        for name, what in HELP.items():
            value = self.seconds if name == "proving_seconds_total" else self.counts[name]
            lines += [f"# HELP zkagent_operator_{name} {what}"]
            lines += [f"# TYPE zkagent_operator_{name} counter", f"zkagent_operator_{name} {value}"]
        for name, what, number in (
            ("open_requests", "Requests that have no answer.", self.open),
            ("waiting_requests", "Of those, whose run waits for a tool.", self.waiting),
            ("on_the_way", "Transactions that are in no settled block.", self.on_the_way),
        ):
            lines += [f"# HELP zkagent_operator_{name} {what}"]
            lines += [f"# TYPE zkagent_operator_{name} gauge", f"zkagent_operator_{name} {number}"]
        return "\n".join(lines) + "\n"


@contextmanager
def served(metrics: Metrics, port: int) -> Iterator[int]:
    """On this machine alone, at /metrics. port: 0 for any that is free. Yields the port. Raises
    OSError."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404)
                return
            body = metrics.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody wants to read of it."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


__all__ = ["Metrics", "served"]
