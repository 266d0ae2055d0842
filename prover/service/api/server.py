"""uvicorn, with what it lacks: patience limits for request heads, and streams that end on stop."""

import asyncio
import json
import logging
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.problems import MEDIA_TYPE
from zkagent.prover.service.errors import StartRefused

HEAD_S = 10.0
KEEP_ALIVE_S = 30
CONNECTIONS = 1000
CONNECTIONS_PER_ADDRESS = 250
OTHER_FILES = 512
GRACE_S = 10
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Connection(h11.Connection):
    """Takes no chunked bodies: chunks of a byte each cost more to read than to send, and nobody
    could tell a small body from one that never ends. What clients send here has a length."""

    chunked = False

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request) and any(
            name == b"transfer-encoding" for name, _ in event.headers
        ):
            self.chunked = True
            raise h11.RemoteProtocolError("a body without a length", error_status_hint=411)
        return event


class PatientProtocol(H11Protocol):
    """Ends connections whose request head does not arrive in time (slow-loris). When there are too
    many, of one address or in all, the one that has been idle longest goes."""

    most_connections = CONNECTIONS
    most_per_address = CONNECTIONS_PER_ADDRESS
    _alarm: asyncio.TimerHandle | None = None
    idle_since = 0.0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn = Connection(h11.SERVER)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        others = [other for other in self.connections if isinstance(other, PatientProtocol)]
        near = [other for other in others if other._address == self._address]
        for some, most in ((near, self.most_per_address), (others, self.most_connections)):
            if len(some) > most:
                idle = (other for other in some if other.is_idle and other is not self)
                min(idle, key=lambda other: other.idle_since, default=self).turn_away()
                break
        if not transport.is_closing():
            self._set_alarm()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def turn_away(self) -> None:
        self.connections.discard(self)
        self.transport.write(_TOO_MANY)
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.idle_since = self.loop.time()
        super().data_received(data)
        if self.is_idle:
            self._set_alarm()
        else:
            self._clear_alarm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_alarm()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP is told so in the same form as everything else."""
        if isinstance(self.conn, Connection) and self.conn.chunked:
            self.transport.write(_NO_LENGTH)
            self.transport.close()
            return
        document = {
            "type": "urn:zkagent:problem:not-http",
            "title": "Bad Request",
            "status": 400,
            "detail": msg,
        }
        self.transport.write(_response("400 Bad Request", document))
        self.transport.close()

    def _set_alarm(self) -> None:
        if self._alarm is None:
            self._alarm = self.loop.call_later(HEAD_S, self._too_slow)

    def _clear_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_slow(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()


def _response(status: str, document: dict[str, Any]) -> bytes:
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\n"
    return f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body


_TOO_SLOW = _response(
    "408 Request Timeout",
    {
        "type": "urn:zkagent:problem:too-slow",
        "title": "Request Timeout",
        "status": 408,
        "detail": f"the request's head did not arrive within {HEAD_S:g} s",
    },
)


_NO_LENGTH = _response(
    "411 Length Required",
    {
        "type": "urn:zkagent:problem:length-required",
        "title": "Length Required",
        "status": 411,
        "detail": "send the body whole, with a Content-Length: chunks are not taken",
    },
)


_TOO_MANY = _response(
    "503 Service Unavailable",
    {
        "type": "urn:zkagent:problem:too-many-connections",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "too many connections at once: try again later",
    },
)


class Server(uvicorn.Server):
    """Lets go of those who wait for proofs when it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's would raise the signal again at the end, before anyone could hand back."""
        previous = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.watchers.close()
        super().handle_exit(sig, frame)

    def end(self) -> None:
        """Stop from another thread, as a signal would."""
        self._service.watchers.close()
        self.should_exit = True


def make_server(
    service: Service,
    host: str,
    port: int,
    *,
    connections: int = CONNECTIONS,
    per_address: int = CONNECTIONS_PER_ADDRESS,
) -> tuple[Server, socket.socket]:
    """A server and its bound socket; port 0 takes a free one. Raises StartRefused."""
    _allow_files(connections + OTHER_FILES)
    limits = {"most_connections": connections, "most_per_address": per_address}
    protocol = type("Protocol", (PatientProtocol,), limits)
    config = uvicorn.Config(
        service.app,
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    return Server(config, service), listen(host, port)


def _allow_files(count: int) -> None:
    """Let this process have as many open, if it may: a connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one. Raises StartRefused."""
    try:
        (family, kind, number, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with ExitStack() as undo:
            listener = undo.enter_context(socket.socket(family, kind, number))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            undo.pop_all()
    except OSError as exc:
        raise StartRefused(f"cannot listen on {host} port {port}: {exc.strerror}") from exc
    return listener


__all__ = ["Server", "listen", "make_server"]
