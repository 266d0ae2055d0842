"""uvicorn, with what it lacks: patience limits for request heads, and streams that end on stop."""

import asyncio
import gc
import logging
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from zkagent.prover.service.api.acceptor import Acceptor
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.connections import RESERVE, Connections
from zkagent.prover.service.api.raw_answers import (
    HEAD_S,
    NO_LENGTH,
    TOO_MANY,
    TOO_SLOW,
    response,
)
from zkagent.prover.service.errors import StartRefused

log = logging.getLogger(__name__)

KEEP_ALIVE_S = 30
CONNECTIONS = 1000
BACKLOG = 2048
SCRAP_BYTES = 1024
SCRAPS = 2  # that a request may come in; then it is read every REST_S only
REST_S = 0.2
TAKEN_S = 5.0  # in which a piece of an answer has to be taken, and a second for each TAKEN_RATE
TAKEN_RATE = 16_384
TURN_S = 0.0005  # of one thread, while others have something to do
SENT_BYTES = 64 << 10  # that the system keeps of an answer, and as much again of its own
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
    """Ends connections whose request head does not arrive in time (slow-loris), and those that are
    too many; reads those that send a byte at a time no more often than it must. What an answer
    consists of waits until what came before it was taken, and who does not take it is cut off."""

    all = Connections(CONNECTIONS)
    address = ""
    _alarm: asyncio.TimerHandle | None = None
    _untaken: asyncio.TimerHandle | None = None
    _scraps = 0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn.__class__ = Connection  # making another costs as much as accepting

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        transport.set_write_buffer_limits(high=0)  # so that we are told of whatever is not taken
        self._set_alarm()
        self.all.add(self)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered, and what was is taken."""
        return self._has_answered and not self.is_stuck

    @property
    def is_stuck(self) -> bool:
        """Whether something is not being taken."""
        return self._untaken is not None

    @property
    def _has_answered(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _unsupported_upgrade_warning(self) -> None:
        """uvicorn would tell whoever reads the log what to install: to be upgraded is a wish, and
        who has it is answered as if they had none."""

    def turn_away(self) -> None:
        """Words to who is in the middle of something would be taken for an answer."""
        if self.is_idle:
            self.transport.write(TOO_MANY)
            if not self.is_stuck:
                self.transport.close()
                return
        self.transport.abort()  # closing would wait until everything is taken

    def pause_writing(self) -> None:
        """Something is not taken at once: it has its time."""
        super().pause_writing()
        size = self.transport.get_write_buffer_size()
        patience_s = TAKEN_S + size / TAKEN_RATE
        self._untaken = self.loop.call_later(patience_s, self.transport.abort)
        self.all.touch(self)

    def resume_writing(self) -> None:
        self._taken()
        self.all.touch(self)
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.all.touch(self)
        if self._has_answered:
            self._set_alarm()
        else:
            self._clear_alarm()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._scraps = 0
        elif len(data) < SCRAP_BYTES:
            self._rest()

    def on_response_complete(self) -> None:
        """Who sends the next request before it has the answer gets this one and no other: so many
        bytes of ours for a few of theirs would be answered in one burst."""
        if self.conn.trailing_data[0]:
            self.transport.close()
        super().on_response_complete()
        self.all.touch(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_alarm()
        self._taken()
        self.all.remove(self)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP is told so in the same form as everything else."""
        if isinstance(self.conn, Connection) and self.conn.chunked:
            self.transport.write(NO_LENGTH)
            self.transport.close()
            return
        document = {
            "type": "urn:zkagent:problem:not-http",
            "title": "Bad Request",
            "status": 400,
            "detail": msg,
        }
        self.transport.write(response("400 Bad Request", document))
        self.transport.close()

    def _rest(self) -> None:
        """Read nothing for a moment, once there were too many scraps of one request: hundreds who
        drip would keep us busy, while each of them has all the time."""
        self._scraps += 1
        if self._scraps > SCRAPS:
            self.transport.pause_reading()
            self.loop.call_later(REST_S, self._read_on)

    def _read_on(self) -> None:
        if not self.flow.read_paused:
            self.transport.resume_reading()

    def _taken(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None

    def _set_alarm(self) -> None:
        if self._alarm is None:
            self._alarm = self.loop.call_later(HEAD_S, self._too_slow)

    def _clear_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_slow(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()


class Server(uvicorn.Server):
    """Lets go of those who wait for proofs when it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service, connections: Connections) -> None:
        super().__init__(config)
        self._service = service
        self._connections = connections

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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, so that answers wait for little: the API's description is made; what was loaded so
        far stays for good, so nobody looks through it for garbage each time that connections come
        in hundreds; and a thread that computes gives way soon, not at each of their system calls
        for five milliseconds."""
        self._service.app.openapi()
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(TURN_S)
        await super().startup(sockets=[])
        for listener in sockets or []:
            acceptor = Acceptor(listener, self._make_protocol, self._connections)
            self.servers.append(acceptor)  # type: ignore[arg-type]
            acceptor.start()

    def _make_protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

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
    """A server and its listening socket; port 0 takes a free one. Raises StartRefused."""
    counted = Connections(_fewer_if_needed(connections))
    protocol = type("Protocol", (PatientProtocol,), {"all": counted})
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
    return Server(config, service, counted), listen(host, port)


def _fewer_if_needed(connections: int) -> int:
    """So many connections as this process may have, each a file, beside those that it needs."""
    wanted = connections + OTHER_FILES
    allowed = _allow_files(wanted)
    if allowed >= wanted:
        return connections
    fewer = max(1, allowed - OTHER_FILES, allowed // 2 - RESERVE)
    words = "%d connections at once instead of %d: this process may open %d files (ulimit -Hn)"
    log.warning(words, fewer, connections, allowed)
    return fewer


def _allow_files(count: int) -> int:
    """Let this process have as many open, if it may; how many it may have now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on, so that whoever is told of it gets through; port
    0 takes a free one. Raises StartRefused."""
    try:
        (family, kind, number, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with ExitStack() as undo:
            listener = undo.enter_context(socket.socket(family, kind, number))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_BYTES)  # of connections
            listener.bind(address)
            listener.listen(BACKLOG)
            listener.setblocking(False)
            undo.pop_all()
    except OSError as exc:
        raise StartRefused(f"cannot listen on {host} port {port}: {exc.strerror}") from exc
    return listener


__all__ = ["Server", "listen", "make_server"]
