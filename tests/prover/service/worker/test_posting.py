"""What receivers of callbacks may answer: nothing but the status is wanted, so little is read."""

import asyncio
import contextlib
import socket
from typing import Any

import pytest

from tests.support.liars import Lie, lying_service, says
from zkagent.prover.service.errors import CallbackFailed
from zkagent.prover.service.worker.posting import MOST_BYTES, post

COOKIE = f"Set-Cookie: a=b; max-age={'9' * 400}\r\n"


def posted(url: str, **headers: str) -> int:
    async def once() -> int:
        async with asyncio.timeout(10):
            return await post(f"{url}/done?a=%2F", "127.0.0.1", "{}", headers, 3.0)

    return asyncio.run(once())


def floods(data: bytes, first: bytes = b"") -> Lie:
    def lie(client: socket.socket) -> None:
        client.sendall(first)
        while True:
            client.sendall(data * 4000)

    return lie


@pytest.mark.parametrize(
    ("lie", "status"),
    [
        (says({}), 200),
        (says({}, "503 Busy"), 503),
        (says({}, "307 Moved", "Location: x:y\r\n"), 307),
        (says({}, headers=COOKIE), 200),
        (says(b"x" * 100 * MOST_BYTES), 200),
        (floods(b"\0", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), 200),
        (says({}, headers=f"X: {'a' * (MOST_BYTES // 2)}\r\n"), 200),
    ],
)
def test_the_status_is_what_it_says(lie: Lie, status: int) -> None:
    with lying_service(lie) as url:
        assert posted(url) == status


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (floods(b"HTTP/1.1 100 \r\n\r\n"), "AnswerTooLong"),
        (floods(b"HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n"), "AnswerTooLong"),
        (floods(b"a: b\r\n", b"HTTP/1.1 200 OK\r\n"), "AnswerTooLong"),
        (says(b"", "\x00"), "RemoteProtocolError"),
        (lambda client: None, "RemoteProtocolError"),
    ],
)
def test_who_says_none_has_failed_before_anybody_had_to_wait(lie: Lie, why: str) -> None:
    with lying_service(lie) as url, pytest.raises(CallbackFailed, match=why):
        posted(url)


def test_who_does_not_answer_or_listen_has_failed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        with pytest.raises(CallbackFailed, match="ReadTimeout"):
            asyncio.run(post(url, "127.0.0.1", "", {}, 0.1))
    with pytest.raises(CallbackFailed, match="ConnectError"):
        posted(url)


def test_the_request_is_for_the_name_and_goes_to_the_address() -> None:
    heard: list[bytes] = []

    def lie(client: socket.socket) -> None:
        client.sendall(b"HTTP/1.1 204 None\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        async def both() -> int:
            def answer() -> None:
                client, _ = server.accept()
                with client, contextlib.suppress(OSError):
                    heard.append(client.recv(1 << 16))
                    lie(client)

            asked: Any = post(f"http://hooks.test:{port}/a?b=%2F", "127.0.0.1", "{}", {"x": "y"}, 3)
            status, _ = await asyncio.gather(asked, asyncio.to_thread(answer))
            return int(status)

        assert asyncio.run(both()) == 204
    lines = heard[0].decode().split("\r\n")
    assert lines[0] == "POST /a?b=%2F HTTP/1.1"
    assert {f"host: hooks.test:{port}", "content-length: 2", "x: y"} <= set(lines)
