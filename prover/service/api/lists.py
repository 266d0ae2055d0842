"""Lists of proofs: long ones take time to make, and memory until they are taken.

They are made by a thread, keys in turn, and sent piece by piece, each when the one before was
taken. A list has its key's place until its last piece went out.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from zkagent.prover.service.api.keys_in_turn import KeysInTurn
from zkagent.prover.service.errors import ListsBusy

PATIENCE_S = 30.0
PIECE_BYTES = 64 << 10


class Lists(KeysInTurn):
    """The line for lists."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        super().__init__("lists", patience_s, ListsBusy)


class PiecewiseResponse(Response):
    """Lets go of what it holds when it was taken, or nobody is there any more."""

    def __init__(self, content: bytes, held: ExitStack, media_type: str) -> None:
        super().__init__(content, media_type=media_type)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            for piece in _pieces(bytes(self.body)):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


def _pieces(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), PIECE_BYTES):
        yield content[start : start + PIECE_BYTES]


__all__ = ["Lists", "PiecewiseResponse"]
