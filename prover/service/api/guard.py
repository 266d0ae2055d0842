"""What is refused before the application sees it: bodies too large or too slow, foreign hosts."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from zkagent.prover.service.api.problems import problem

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

JSON_PATHS = {"/v1/proofs", "/v1/verify"}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}


@dataclass(frozen=True)
class GuardRules:
    """local_only: answer only to names of this machine. Without keys that is what keeps web pages
    in a local browser from using the service through a name that leads here (DNS rebinding)."""

    most_bytes: int = 2 << 20
    body_s: float = 10.0
    local_only: bool = True


class Guard:
    """ASGI middleware. Reads each body whole, so that nothing half-read is ever acted upon."""

    def __init__(self, app: Application, rules: GuardRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        refusal = self._objection(scope, headers)
        body = b""
        if refusal is None:
            try:
                async with asyncio.timeout(self._rules.body_s):
                    body = await self._read(receive)
            except TimeoutError:
                detail = f"the body did not arrive within {self._rules.body_s:g} s"
                refusal = problem(408, "too-slow", detail, headers={"connection": "close"})
            except _TooLarge:
                refusal = self._too_large()
            except _Gone:
                return
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    def _objection(self, scope: Message, headers: dict[bytes, bytes]) -> Any:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if self._rules.local_only and name not in LOCAL_HOSTS:
            return problem(421, "foreign-host", f"this service is not {host[:100]!r}")
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return problem(400, "bad-length", "Content-Length is no number")
        if int(length) > self._rules.most_bytes:
            return self._too_large()
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        posted = scope["method"] == "POST" and scope["path"] in JSON_PATHS
        if posted and kind != b"application/json":
            return problem(415, "not-json", "the body must be application/json")
        return None

    async def _read(self, receive: Receive) -> bytes:
        body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            body += bytes(message.get("body", b""))
            if len(body) > self._rules.most_bytes:
                raise _TooLarge
            if not message.get("more_body", False):
                return body

    def _too_large(self) -> Any:
        detail = f"the body is larger than {self._rules.most_bytes} bytes"
        return problem(413, "too-large", detail, headers={"connection": "close"})


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


__all__ = ["Guard", "GuardRules"]
