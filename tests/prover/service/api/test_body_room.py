"""Bodies that come at once, many and large: what is kept of them has bounds."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from zkagent.prover.service.api.body_room import BodyRoom, NoRoom
from zkagent.prover.service.api.guard import Guard, GuardRules

MEGABYTE = 1 << 20


def test_a_caller_has_a_share_and_all_have_a_room() -> None:
    room = BodyRoom(most=10, share=6)
    with room.place("a") as first, room.place("b") as second:
        first.take(6)
        with pytest.raises(NoRoom) as refused:
            first.take(1)
        assert refused.value.own
        second.take(4)
        with pytest.raises(NoRoom) as refused:
            second.take(1)
        assert not refused.value.own
    assert room.held.total() == 0
    assert not room.held


class Scene:
    """A guard whose callers are told by a header, and an application that counts requests."""

    def __init__(self) -> None:
        self.answered, self.statuses = 0, list[int]()
        doorkeeper: Any = SimpleNamespace(admit=self.admit)
        pages: Any = None
        self.guard = Guard(self.application, GuardRules(local_only=False), doorkeeper, pages)
        self.refusals: list[dict[str, Any]] = []

    def admit(self, text: str | None, *, remembered: bool = False) -> Any:
        return SimpleNamespace(key_id=text or "local")

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        self.answered += 1
        await send({"type": "http.response.start", "status": 202, "headers": []})

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.statuses.append(message["status"])
        elif message.get("body"):
            self.refusals.append(json.loads(message["body"]))

    async def post(self, key: str, last: asyncio.Event) -> None:
        """Two megabytes, whose last byte comes with the event."""
        pieces = iter([2 * MEGABYTE - 1])

        async def receive() -> dict[str, Any]:
            if size := next(pieces, 0):
                return {"type": "http.request", "body": b" " * size, "more_body": True}
            await last.wait()
            return {"type": "http.request", "body": b" ", "more_body": False}

        headers = [(b"content-type", b"application/json"), (b"authorization", key.encode())]
        headers.append((b"content-length", str(2 * MEGABYTE).encode()))
        scope = {"type": "http", "method": "POST", "path": "/v1/proofs", "headers": headers}
        await self.guard(scope, receive, self.send)


@pytest.mark.parametrize(
    ("keys", "each", "taken", "status"), [(1, 40, 8, 429), (6, 7, 32, 503), (2, 7, 14, None)]
)
def test_bodies_that_never_end_are_refused_beyond_the_room(
    keys: int, each: int, taken: int, status: int | None
) -> None:
    async def together() -> Scene:
        scene, last = Scene(), asyncio.Event()
        senders = [
            asyncio.create_task(scene.post(f"key {number % keys}", last))
            for number in range(keys * each)
        ]
        while len(scene.statuses) < keys * each - taken:
            await asyncio.sleep(0.01)
        last.set()
        await asyncio.gather(*senders)
        return scene

    scene = asyncio.run(together())
    assert scene.answered == taken
    assert set(scene.statuses) == {202, *([status] if status else [])}
    assert len(scene.refusals) == keys * each - taken
    assert not scene.guard._room.held


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/proofs/00/events"),  # which is answered for as long as a proof takes
        ("GET", "/v1/proofs/00"),
        ("GET", "/v1/proofs"),
        ("POST", "/v1/proofs/"),
        ("POST", "/v1/proofs/00/events"),
        ("DELETE", "/v1/proofs/00"),
        ("GET", "/metrics"),
        ("PUT", "/v1/verify"),
    ],
)
@pytest.mark.parametrize("told", [True, False])
def test_bodies_that_nobody_reads_take_no_room(method: str, path: str, *, told: bool) -> None:
    """Whoever follows proofs with megabytes each, by four keys, kept all others from submitting."""

    async def ask(size: int) -> Scene:
        scene, length = Scene(), [(b"content-length", str(size).encode())] if told else []
        pieces = iter([b" " * 1000, b" " * (size - 1000)])

        async def receive() -> dict[str, Any]:
            piece = next(pieces)
            return {"type": "http.request", "body": piece, "more_body": len(piece) == 1000}

        scope = {"type": "http", "method": method, "path": path, "headers": length}
        await scene.guard(scope, receive, scene.send)
        return scene

    refused = asyncio.run(ask(1025))
    assert (refused.answered, refused.statuses) == (0, [413])
    assert asyncio.run(ask(1024)).answered == 1
