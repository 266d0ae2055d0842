"""What receivers of callbacks may answer: nothing but the status is wanted, so little is read."""

import asyncio
import contextlib
import os
import socket
from pathlib import Path
from typing import Any

import certifi
import pytest

from tests.support.liars import LOCALHOST, Lie, lying_service, says, tls_of
from zkagent.prover.service.errors import CallbackFailed
from zkagent.prover.service.worker.posting import MOST_BYTES, MOST_RAW_BYTES, post

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


def raw(data: bytes) -> Lie:
    """Past the TLS that was agreed on."""

    def lie(client: socket.socket) -> None:
        os.write(client.fileno(), data)
        client.recv(1)

    return lie


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who calls back trusts localhost's certificate."""
    monkeypatch.setattr(certifi, "where", lambda: str(LOCALHOST))


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


@pytest.mark.usefixtures("trusted")
def test_a_long_chain_of_certificates_fits(tmp_path: Path) -> None:
    _, mark, certificate = LOCALHOST.read_text().partition("-----BEGIN CERTIFICATE-----")
    chain = tmp_path / "chain.pem"
    chain.write_text(LOCALHOST.read_text() + (mark + certificate) * 60)
    with lying_service(says(b"x" * MOST_BYTES, "503 Busy"), tls_of(chain)) as url:
        assert posted(url) == 503


@pytest.mark.usefixtures("trusted")
def test_what_tls_keeps_for_itself_counts_as_read() -> None:
    """Of these tickets no byte is ever the answer's."""
    tls = tls_of()
    tls.num_tickets = 50_000_000
    with lying_service(says({}), tls) as url, pytest.raises(CallbackFailed, match="AnswerTooLong"):
        posted(url)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (raw(b"\x17\x03\x03\x00\x40" + b"\0" * 64), "SSLError"),  # a record of a wrong code
        (raw(b"\x99\x03\x03\x00\x40" + b"\0" * 64), "SSLError"),  # of no known type
        (raw(b"\x15\x03\x03\x00\x02\x02\x28"), "SSLError"),  # an alert in plain text
        (raw(b"HTTP/1.1 200 OK\r\n\r\n"), "SSLError"),
        (floods(b"HTTP/1.1 100 \r\n\r\n"), "AnswerTooLong"),
        (says(b"", headers=f"X: {'a' * MOST_RAW_BYTES}\r\n"), "AnswerTooLong"),
        (lambda client: None, "RemoteProtocolError"),
    ],
)
def test_who_breaks_off_in_tls_has_failed(lie: Lie, why: str) -> None:
    with lying_service(lie, tls_of()) as url, pytest.raises(CallbackFailed, match=why):
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
