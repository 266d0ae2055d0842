"""Answers that are not taken: who asks again and again and reads nothing, and who reads slowly."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
import uvicorn
from uvicorn.server import ServerState

from zkagent.prover.service.api import server
from zkagent.prover.service.api.connections import Connections
from zkagent.prover.service.api.server import PatientProtocol, listen

BODY = b"x" * (1 << 20)
REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
Send = Callable[[dict[str, object]], Awaitable[None]]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with listen("127.0.0.1", 0) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        yield opened


class Answering:
    """Answers every request with BODY, over our protocol; counts them."""

    def __init__(self, listener: socket.socket, most: int = 10) -> None:
        self.asked = 0
        self.connections = Connections(most)
        self._listener = listener
        self._state = ServerState()

    async def __aenter__(self) -> "Answering":
        config = uvicorn.Config(
            self._app, interface="asgi3", lifespan="off", log_config=None, ws="none"
        )
        protocol = type("Protocol", (PatientProtocol,), {"all": self.connections})

        def make() -> asyncio.Protocol:
            made: asyncio.Protocol = protocol(config=config, server_state=self._state, app_state={})
            return made

        self._server = await asyncio.get_running_loop().create_server(make, sock=self._listener)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._state.tasks):
            task.cancel()
        for connection in list(self._state.connections):
            connection.transport.abort()  # type: ignore[union-attr]
        await asyncio.sleep(0.05)

    async def _app(self, scope: object, receive: object, send: Send) -> None:
        self.asked += 1
        length = (b"content-length", str(len(BODY)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": BODY})


def asking(listener: socket.socket, times: int = 1) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(listener.getsockname())
    connection.sendall(REQUEST * times)
    connection.settimeout(120)
    return connection


@pytest.mark.parametrize("wish", ["websocket", "h2c", "TLS/1.0", "x" * 5000])
def test_whoever_asks_to_be_upgraded_is_answered_and_writes_nothing_into_the_log(
    listener: socket.socket, wish: str, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: {wish}\r\n\r\n"

    async def ask() -> bytes:
        async with Answering(listener) as answering:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(head.encode())
            answered = await reader.readuntil(b"\r\n")
            writer.close()
            assert answering.asked == 1
            return answered

    assert asyncio.run(ask()) == b"HTTP/1.1 200 OK\r\n"
    assert caplog.messages == []


def all_of(connection: socket.socket, pause_s: float = 0.0) -> int:
    """How many bytes come until it is closed; nothing is read at first."""
    count = 0
    with contextlib.suppress(ConnectionResetError):
        while some := connection.recv(1 << 16):
            count += len(some)
            if count >= len(BODY):
                return count
            time.sleep(pause_s)
    return count


def test_who_asks_and_does_not_take_the_answer_is_cut_off_and_not_answered_again(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TAKEN_S", 0.3)
    monkeypatch.setattr(server, "TAKEN_RATE", 1 << 30)

    async def ask() -> None:
        async with Answering(listener) as answering:
            with asking(listener, 50) as connection:
                async with asyncio.timeout(120):
                    while not answering.asked or answering.connections._places:
                        await asyncio.sleep(0.01)
                assert await asyncio.to_thread(all_of, connection) < len(BODY)
            assert answering.asked == 1

    asyncio.run(ask())


def test_who_takes_an_answer_slowly_and_steadily_gets_all_of_it(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TAKEN_S", 0.1)
    monkeypatch.setattr(server, "TAKEN_RATE", len(BODY) // 300)

    async def ask() -> None:
        async with Answering(listener):
            with asking(listener) as connection:
                assert await asyncio.to_thread(all_of, connection, 0.001) >= len(BODY)

    asyncio.run(ask())


def test_of_too_many_who_do_not_take_their_answers_one_goes_at_once_for_a_newcomer(
    listener: socket.socket,
) -> None:
    async def ask() -> None:
        async with Answering(listener, most=3) as answering:
            with contextlib.ExitStack() as stack:
                crowd = [stack.enter_context(asking(listener)) for _ in range(3)]
                while answering.asked < 3:
                    await asyncio.sleep(0.01)
                newcomer = stack.enter_context(asking(listener))
                assert await asyncio.to_thread(all_of, newcomer) >= len(BODY)
                assert await asyncio.to_thread(all_of, crowd[0]) < len(BODY)
                for other in crowd[1:]:
                    assert await asyncio.to_thread(all_of, other) >= len(BODY)

    asyncio.run(ask())


class One:
    """A connection that notes whether it was turned away."""

    def __init__(self, address: str, state: str) -> None:
        self.address, self.state, self.away = address, state, False

    @property
    def is_idle(self) -> bool:
        return self.state == "idle"

    @property
    def is_stuck(self) -> bool:
        return self.state == "stuck"

    def turn_away(self) -> None:
        self.away = True


@pytest.mark.parametrize(
    ("crowd", "goes"),
    [
        (("busy", "stuck", "idle", "idle"), 2),
        (("busy", "stuck", "busy", "stuck"), 1),
        (("busy", "busy", "busy", "busy"), None),
    ],
)
@pytest.mark.parametrize("newcomer", ["1.1.1.1", "2.2.2.2"])
def test_the_idle_go_then_the_stuck_and_no_other_while_there_is_a_reserve(
    crowd: tuple[str, ...], goes: int | None, newcomer: str
) -> None:
    now = [0.0]
    connections, other = Connections(5, clock=lambda: now[0]), One("3.3.3.3", "busy")
    members = [One("1.1.1.1", state) for state in crowd]
    for one in (other, *members):
        connections.add(one)
    now[0] += 10
    connections.add(One(newcomer, "idle"))
    assert [one.away for one in members] == [number == goes for number in range(4)]
    assert not other.away


SPREAD = [f"127.{number}.0.1" for number in range(300)]
NETWORK = [f"2001:db8::{number:x}" for number in range(300)]


@pytest.mark.parametrize("state", ["idle", "stuck"])
@pytest.mark.parametrize("addresses", [SPREAD, NETWORK, ["127.0.0.1"] * 300])
@pytest.mark.parametrize("pause_s", [0.0, 0.5, 2.0])
def test_those_who_say_or_take_nothing_end_nobodys_answer_wherever_they_come_from(
    addresses: list[str], state: str, pause_s: float
) -> None:
    now = [0.0]
    connections = Connections(100, clock=lambda: now[0])
    answered = [One("9.9.9.9", "busy") for _ in range(20)]
    for one in answered:
        connections.add(one)
    held = [One(address, state) for address in addresses]
    for one in held:
        connections.add(one)
        now[0] += pause_s
    assert not any(one.away for one in answered)
    away = [one.away for one in held]
    assert 136 <= sum(away) <= 220
    assert away == sorted(away, reverse=True)  # those who came first


def test_of_ipv6_all_addresses_of_one_network_count_as_one() -> None:
    now = [0.0]
    connections = Connections(10, clock=lambda: now[0])
    single = [One(f"2001:db8:{number}::1", "idle") for number in range(1, 6)]
    for one in (*single, *(many := [One(address, "idle") for address in NETWORK[:5]])):
        connections.add(one)
    now[0] += 10
    for _ in range(4):
        connections.add(One("1.1.1.1", "busy"))
    assert not any(one.away for one in single)
    assert [one.away for one in many] == [True] * 4 + [False]


def test_who_is_answered_is_idle_no_more_and_who_was_is_again() -> None:
    now = [0.0]
    connections = Connections(2, clock=lambda: now[0])
    first, second = One("1.1.1.1", "idle"), One("2.2.2.2", "busy")
    for one in (first, second):
        connections.add(one)
    first.state, second.state = "busy", "idle"
    for one in (first, second):
        connections.touch(one)
    now[0] += 10
    connections.add(One("3.3.3.3", "busy"))
    assert (first.away, second.away) == (False, True)


def test_newcomers_have_their_moment_while_all_others_are_answered() -> None:
    connections = Connections(10, reserve=4)
    crowd = [One("1.1.1.1", "busy") for _ in range(14)]
    for one in crowd:
        connections.add(one)
    newcomer, next_one = One("2.2.2.2", "idle"), One("3.3.3.3", "idle")
    connections.add(newcomer)
    connections.add(next_one)
    assert not newcomer.away
    assert not next_one.away
    assert [one.away for one in crowd[:3]] == [True, True, False]


def test_above_the_reserve_whoever_has_been_busy_longest_goes_and_no_newcomer() -> None:
    connections = Connections(2, reserve=3)
    members = [One("1.1.1.1", "busy") for _ in range(7)]
    for one in members:
        connections.add(one)
        if one is members[3]:
            connections.touch(members[0])
    away = [number for number, one in enumerate(members) if one.away]
    assert away == [1, 2]


def test_who_has_just_come_is_not_taken_for_idle() -> None:
    now = [0.0]
    connections = Connections(1, clock=lambda: now[0])
    first, second, third = (One("1.1.1.1", "idle") for _ in range(3))
    connections.add(first)
    connections.add(second)
    assert not first.away
    now[0] += 1.0
    connections.add(third)
    assert (first.away, second.away, third.away) == (True, False, False)
