"""What needs no key is answered before the application, and once for each connection."""

import asyncio
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.fleet import Fleet
from zkagent.prover.service.api.guard import Guard, GuardRules
from zkagent.prover.service.api.monitor import Monitor
from zkagent.prover.service.api.open_pages import OpenPages
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.wire.schemas import Health

OPEN = {
    "/": 404,
    "/nothing": 404,
    "/docs": 404,
    "/redoc": 404,
    "/v1": 404,
    "/v2/proofs": 404,
    "//v1/proofs": 404,
    "/V1/proofs": 404,
    "/readyz/": 404,
    "/readyz": 200,
    "/openapi.json": 200,
}


def answered(method: str, path: str) -> tuple[int, bytes, dict[bytes, bytes]]:
    """What a guard says before an application that nobody may reach."""

    async def application(*_: Any) -> None:
        raise AssertionError("the application was asked")

    async def nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def health() -> Health:
        return Health(status="ok", detail="", workers=1)

    said: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        said.append(message)

    monitor: Any = SimpleNamespace(health=health)
    doorkeeper: Any = None
    pages = OpenPages(monitor, lambda: b"{}")
    guard = Guard(application, GuardRules(local_only=False), doorkeeper, pages)
    scope = {"type": "http", "method": method, "path": path, "headers": []}
    asyncio.run(guard(scope, nothing, send))
    start, body = said
    return start["status"], body["body"], dict(start["headers"])


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "ODD"])
@pytest.mark.parametrize("path", OPEN)
def test_open_pages_are_answered_before_the_application_and_end_the_connection(
    path: str, method: str
) -> None:
    status, body, headers = answered(method, path)
    wrong = method not in ("GET", "HEAD") and OPEN[path] == 200
    assert status == (405 if wrong else OPEN[path])
    assert headers[b"connection"] == b"close"
    assert headers.get(b"allow") == (b"GET, HEAD" if wrong else None)
    assert (b"urn:zkagent:problem:" in body) is (status != 200)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/nothing", "/v1/proofs"])
@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
def test_without_a_key_a_connection_is_good_for_one_question(
    path: str, method: bytes, fleet: Fleet
) -> None:
    """On a service that needs none the last of these is answered on and on."""
    head = b" ".join((method, path.encode(), b"HTTP/1.1\r\nhost: localhost\r\n"))
    if path == "/v1/proofs":
        head += b"authorization: Bearer zk_wrong\r\n"
    with socket.create_connection(("127.0.0.1", fleet.port), 10) as connection:
        connection.sendall(head + b"\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b"\r\nconnection: close\r\n" in answer.lower()


def test_however_many_ask_whether_it_is_ready_it_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(f"sqlite:///{tmp_path}/service.sqlite")
    database.prepare()
    looks: list[float] = []
    look = Monitor._look_afresh

    async def counted(monitor: Monitor) -> None:
        looks.append(0)
        await look(monitor)

    monkeypatch.setattr(Monitor, "_look_afresh", counted)
    monitor = Monitor(database, least_free_bytes=0)

    async def all_ask() -> list[Health]:
        return await asyncio.gather(*(monitor.health() for _ in range(300)))

    found = asyncio.run(all_ask())
    monitor.close()
    database.close()
    assert len(looks) <= 1
    assert all(health == found[0] for health in found)
