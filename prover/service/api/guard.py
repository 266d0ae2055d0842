"""What is decided before the application sees a request: whether the process lives, who is calling,
and whether the body may come and comes fast enough. A caller without a key gets no further than its
head, and neither does anybody on open pages."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import anyio
import sqlalchemy as sa

from zkagent.prover.errors import ProverError
from zkagent.prover.service.api.beside import NOTHING_BESIDE
from zkagent.prover.service.api.body_room import BodyRoom, NoRoom, Place
from zkagent.prover.service.api.doorkeeper import Doorkeeper
from zkagent.prover.service.api.open_pages import LIVES, READ, OpenPages, is_open
from zkagent.prover.service.api.problems import problem, refusal
from zkagent.prover.service.api.raw_answers import ALIVE
from zkagent.prover.service.queue.keys import Caller

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

JSON_PATHS = {"/v1/proofs", "/v1/verify"}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}
FORWARDED = (b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip")
CALLER = "zkagent.caller"
LIVE = json.dumps(ALIVE).encode()


@dataclass(frozen=True)
class GuardRules:
    """local_only: answer only to names of this machine, and not through proxies. Without keys that
    is what keeps web pages in a local browser from using the service through a name that leads here
    (DNS rebinding), and a proxy's callers from being taken for local ones.

    A body has to arrive within body_s, and from grace_s on with body_rate bytes a second. Where
    nobody reads it, it may have idle_bytes: who waits as long as a proof takes holds no more.
    """

    most_bytes: int = 2 << 20
    idle_bytes: int = 1024
    body_s: float = 10.0
    grace_s: float = 2.0
    body_rate: float = 16_384.0
    local_only: bool = True


class Liveness:
    """ASGI middleware: answers `/healthz` by itself, whatever else is stuck, and once for each
    connection, so that nobody else waits for who asks it all the time."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["path"] == LIVES
        if not asked or scope["method"] not in READ:
            await self._app(scope, receive, send)
            return
        length = str(len(LIVE)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        headers += [(b"cache-control", b"no-store"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else LIVE
        await send({"type": "http.response.body", "body": body})


class Guard:
    """ASGI middleware. Reads each body whole, so that nothing half-read is ever acted upon."""

    def __init__(
        self,
        app: Application,
        rules: GuardRules,
        doorkeeper: Doorkeeper,
        pages: OpenPages,
        reads: Callable[[str], bool] = NOTHING_BESIDE.reads,
    ) -> None:
        """reads: paths beside JSON_PATHS where the body of a POST is read."""
        self._app = app
        self._reads = reads
        self._rules = rules
        self._doorkeeper = doorkeeper
        self._pages = pages
        self._door: anyio.CapacityLimiter | None = None
        self._room = BodyRoom()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        answer = self._foreign(scope, headers) or await self._unasked(scope, headers)
        answer = answer or self._objection(scope, headers)
        if answer is not None:
            await _end_with(answer, scope, receive, send)
            return
        with self._room.place(scope[CALLER].key_id) as place:
            await self._read_and_answer(scope, receive, send, place)

    async def _read_and_answer(
        self, scope: Message, receive: Receive, send: Send, place: Place
    ) -> None:
        try:
            body = await self._read(receive, place, self._most(scope))
        except NoRoom as exc:
            await _end_with(_no_room(exc), scope, receive, send)
        except TimeoutError:
            detail = f"the body did not arrive in time ({self._rules.body_s:g} s at most)"
            await _end_with(problem(408, "too-slow", detail), scope, receive, send)
        except _TooLarge:
            await _end_with(_too_large(self._most(scope)), scope, receive, send)
        except _Gone:
            return
        else:
            await self._app(scope, _replay(body, receive), send)

    def _foreign(self, scope: Message, headers: dict[bytes, bytes]) -> Any:
        if not self._rules.local_only:
            return None
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if name not in LOCAL_HOSTS:
            return problem(421, "foreign-host", f"this service is not {host[:100]!r}")
        if scope.get("http_version") == "1.0" or any(name in headers for name in FORWARDED):
            detail = "without API keys it answers no proxies: start it with --require-keys"
            return problem(421, "behind-a-proxy", detail)
        return None

    async def _unasked(self, scope: Message, headers: dict[bytes, bytes]) -> Any:
        """A refusal, or the caller in the scope; the answer on open pages, where nobody is asked
        who they are."""
        if is_open(scope["path"]):
            return await self._pages.answer(scope["method"], scope["path"])
        given = headers.get(b"authorization")
        text = None if given is None else given.decode("latin-1")
        try:
            scope[CALLER] = await self._admitted(text, remembered=scope["path"] == "/metrics")
        except (ProverError, sa.exc.SQLAlchemyError) as exc:
            return refusal(exc)
        return None

    async def _admitted(self, text: str | None, *, remembered: bool) -> Caller:
        if text is None:  # no key to look up, nothing to wait for
            return self._doorkeeper.admit(None)
        self._door = self._door or anyio.CapacityLimiter(20)
        return await anyio.to_thread.run_sync(
            lambda: self._doorkeeper.admit(text, remembered=remembered), limiter=self._door
        )

    def _objection(self, scope: Message, headers: dict[bytes, bytes]) -> Any:
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return problem(400, "bad-length", "Content-Length is no number")
        if int(length) > (most := self._most(scope)):
            return _too_large(most)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if self._is_read(scope) and kind != b"application/json":
            return problem(415, "not-json", "the body must be application/json")
        return None

    def _most(self, scope: Message) -> int:
        return self._rules.most_bytes if self._is_read(scope) else self._rules.idle_bytes

    def _is_read(self, scope: Message) -> bool:
        """Whether anybody reads the body; all the others are read here and thrown away."""
        path = scope["path"]
        return scope["method"] == "POST" and (path in JSON_PATHS or self._reads(path))

    async def _read(self, receive: Receive, place: Place, most: int) -> bytes:
        """The body. Raises TimeoutError when it is late, or too slow, NoRoom."""
        loop = asyncio.get_running_loop()
        body, began = bytearray(), loop.time()
        async with asyncio.timeout_at(began + self._rules.grace_s) as patience:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Gone
                piece = message.get("body", b"")
                if len(body) + len(piece) > most:
                    raise _TooLarge
                place.take(len(piece))
                body += piece
                if not message.get("more_body", False):
                    return bytes(body)
                allowed_s = self._rules.grace_s + len(body) / self._rules.body_rate
                patience.reschedule(began + min(allowed_s, self._rules.body_s))


async def _end_with(answer: Any, scope: Message, receive: Receive, send: Send) -> None:
    """Whatever else is being sent is not read."""
    answer.headers["connection"] = "close"
    await answer(scope, receive, send)


def _too_large(most: int) -> Any:
    detail = f"the body is larger than {most} bytes"
    return problem(413, "too-large", detail)


def _no_room(exc: NoRoom) -> Any:
    again = {"retry-after": "1"}
    if exc.own:
        detail = "the bodies that this caller sends at once are too large together: send fewer"
        return problem(429, "limit-reached", detail, headers=again)
    detail = "the bodies that are being sent are too large together: try again"
    return problem(503, "too-much-at-once", detail, headers=again)


class _TooLarge(Exception):
    pass


class _Gone(Exception):
    """The client went away in mid-request."""


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body in one message, then whatever comes next (a disconnect)."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


__all__ = ["CALLER", "Guard", "GuardRules", "Liveness"]
