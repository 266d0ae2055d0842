"""Connections in a burst: who is served first, what becomes of the silent, who is read seldom."""

import asyncio
import contextlib
import gc
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
import uvicorn
from uvicorn.server import ServerState

from zkagent.prover.service.api import acceptor, connections
from zkagent.prover.service.api.acceptor import URGENT, Acceptor
from zkagent.prover.service.api.connections import Connections
from zkagent.prover.service.api.raw_answers import TOO_MANY, TOO_SLOW
from zkagent.prover.service.api.server import REST_S, PatientProtocol, listen

Heard = list[bytes]


class Listening(asyncio.Protocol):
    """Notes what comes, and closes."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard.append(data)
        self._transport.close()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with listen("127.0.0.1", 0) as opened:
        yield opened


def connected(listener: socket.socket, words: bytes = b"") -> socket.socket:
    connection = socket.create_connection(listener.getsockname(), 120)
    connection.sendall(words)
    return connection


def run(listener: socket.socket, most: int, body: Callable[[Heard], Awaitable[None]]) -> None:
    """An acceptor for as long as `body` takes."""

    async def accepting() -> None:
        heard: Heard = []
        opened = Acceptor(listener, lambda: Listening(heard), Connections(most))
        opened.start()
        try:
            async with asyncio.timeout(120):
                await body(heard)
        finally:
            opened.close()
            await opened.wait_closed()
            await asyncio.sleep(0.01)

    asyncio.run(accepting())
    gc.collect()  # an open socket would warn


async def answer_to(connection: socket.socket) -> bytes:
    return await asyncio.to_thread(connection.recv, 4096)


def test_who_asks_whether_it_lives_is_served_before_those_who_came_earlier(
    listener: socket.socket,
) -> None:
    question = URGENT + b"HTTP/1.1\r\nhost: "  # the rest is on its way
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connected(listener, b"POST /v1/proofs HTTP/1.1\r\n"))
        stack.enter_context(connected(listener, question))

        async def all_heard(heard: Heard) -> None:
            while len(heard) < 201:
                await asyncio.sleep(0)
            assert heard.index(question) < 100

        run(listener, 1000, all_heard)


def test_who_has_asked_whether_it_lives_is_told_so_and_costs_no_more(
    listener: socket.socket,
) -> None:
    """However many ask: each of them once, and before whoever came earlier."""
    question = URGENT + b"HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connected(listener, b"POST /v1/proofs HTTP/1.1\r\n"))
        asked = [stack.enter_context(connected(listener, question)) for _ in range(100)]

        async def told(heard: Heard) -> None:
            for connection in asked:
                answer = await answer_to(connection)
                assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
                assert b"\r\nconnection: close\r\n" in answer
                assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == "ok"
                assert connection.recv(1) == b""
            assert question not in heard

        run(listener, 1000, told)


def test_the_silent_are_nobody_until_they_speak_and_end_with_the_acceptor(
    listener: socket.socket,
) -> None:
    with connected(listener) as silent, connected(listener) as other:

        async def speak_late(heard: Heard) -> None:
            await asyncio.sleep(0.05)
            assert heard == []
            other.sendall(b"hello")
            while not heard:
                await asyncio.sleep(0)

        run(listener, 10, speak_late)
        assert silent.recv(100) == b""


def test_the_silent_are_told_that_they_are_too_slow(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "HEAD_S", 0.05)
    with connected(listener) as silent:

        async def wait(_: Heard) -> None:
            assert await answer_to(silent) == TOO_SLOW

        run(listener, 10, wait)


def test_of_too_many_the_one_that_has_been_silent_longest_goes(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "NEW_S", 0.0)
    with contextlib.ExitStack() as stack:
        first, second, third = (stack.enter_context(connected(listener)) for _ in range(3))

        async def wait(heard: Heard) -> None:
            assert await answer_to(first) == TOO_MANY
            for other in (second, third):
                other.sendall(b"here")
            while len(heard) < 2:
                await asyncio.sleep(0)

        run(listener, 2, wait)


def test_a_machine_that_may_open_no_more_files_accepts_later(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "FULL_S", 0.05)
    real, refusals = socket.socket.accept, [OSError(24, "Too many open files")]

    def accept(self: socket.socket) -> tuple[socket.socket, object]:
        if refusals:
            raise refusals.pop()
        return real(self)

    monkeypatch.setattr(socket.socket, "accept", accept)
    with connected(listener, b"hello"):

        async def wait(heard: Heard) -> None:
            while not heard:
                await asyncio.sleep(0.01)

        run(listener, 10, wait)


def test_who_sends_a_byte_at_a_time_is_read_every_so_often(listener: socket.socket) -> None:
    reads: list[int] = []

    async def app(scope: object, receive: Callable[[], Awaitable[object]], send: object) -> None:
        await asyncio.sleep(60)

    class Counting(PatientProtocol):
        all = Connections(10)

        def data_received(self, data: bytes) -> None:
            reads.append(len(data))
            super().data_received(data)

    async def drip() -> None:
        config = uvicorn.Config(app, lifespan="off", log_config=None)  # type: ignore[arg-type]
        state = ServerState()

        def protocol() -> asyncio.Protocol:
            return Counting(config=config, server_state=state, app_state={})

        server = await asyncio.get_running_loop().create_server(protocol, sock=listener)
        with connected(
            listener, b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 90\r\n\r\n"
        ) as one:
            for _ in range(50):
                one.sendall(b"1")
                await asyncio.sleep(REST_S / 10)
        for task in list(state.tasks):
            task.cancel()
        server.close()
        await asyncio.sleep(2 * REST_S)

    began = time.monotonic()
    asyncio.run(drip())
    assert 3 <= len(reads) <= 5 + (time.monotonic() - began) / REST_S
