"""Server-sent events as an answer."""

from collections.abc import AsyncIterator
from contextlib import ExitStack

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


class EventStream(StreamingResponse):
    """Lets go of what it holds when it ends, also when nobody took its first word."""

    def __init__(self, events: AsyncIterator[str], held: ExitStack) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)


__all__ = ["EventStream"]
