"""uvicorn, with what it lacks: patience limits for request heads, and streams that end on stop."""

import asyncio
import json
import logging
import resource
import signal
import socket
from collections import OrderedDict
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
ACCEPTED_AT_ONCE = 50  # then others have their turn
BACKLOG = 2048
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


class Connections:
    """Those of one server. When there are too many, the address with most of them loses the one
    that has been idle longest; who asks for something is never cut off."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._by_address: dict[str, OrderedDict[PatientProtocol, None]] = {}

    def add(self, one: "PatientProtocol") -> None:
        self._by_address.setdefault(one.address, OrderedDict())[one] = None
        self._count += 1
        if self._count > self._most:
            crowd = max(self._by_address.values(), key=len)
            idle = (other for other in crowd if other.is_idle and other is not one)
            next(idle, one).turn_away()

    def touch(self, one: "PatientProtocol") -> None:
        """It did something."""
        crowd = self._by_address.get(one.address)
        if crowd and one in crowd:
            crowd.move_to_end(one)

    def remove(self, one: "PatientProtocol") -> None:
        crowd = self._by_address.get(one.address)
        if crowd and one in crowd:
            del crowd[one]
            self._count -= 1
            if not crowd:
                del self._by_address[one.address]


class PatientProtocol(H11Protocol):
    """Ends connections whose request head does not arrive in time (slow-loris), and those that are
    too many."""

    all = Connections(CONNECTIONS)
    address = ""
    _alarm: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn = Connection(h11.SERVER)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._set_alarm()
        self.all.add(self)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def turn_away(self) -> None:
        self.all.remove(self)
        self.transport.write(_TOO_MANY)
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.all.touch(self)
        super().data_received(data)
        if self.is_idle:
            self._set_alarm()
        else:
            self._clear_alarm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_alarm()
        self.all.remove(self)
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
) -> tuple[Server, socket.socket]:
    """A server and its bound socket; port 0 takes a free one. Raises StartRefused."""
    _allow_files(connections + OTHER_FILES)
    protocol = type("Protocol", (PatientProtocol,), {"all": Connections(connections)})
    config = uvicorn.Config(
        service.app,
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=ACCEPTED_AT_ONCE,
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


class Listener(socket.socket):
    """Lets many wait to be accepted, however few are accepted at once."""

    def listen(self, _: int = 0, /) -> None:
        super().listen(BACKLOG)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one. Raises StartRefused."""
    try:
        (family, kind, number, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with ExitStack() as undo:
            listener = undo.enter_context(Listener(family, kind, number))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            undo.pop_all()
    except OSError as exc:
        raise StartRefused(f"cannot listen on {host} port {port}: {exc.strerror}") from exc
    return listener


__all__ = ["Server", "listen", "make_server"]
