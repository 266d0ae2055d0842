"""Who waits for what takes long to make: a few of each key, and keys in turn.

Such answers are made one after another, beside everything else: in a thread of their own for each
kind, so that whoever wants many, or one that hangs, keeps nobody from anything but that kind.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

import anyio

from zkagent.prover.service.errors import QuotaExceeded

Found = TypeVar("Found")
MOST_PER_KEY = 8
COME_AGAIN_S = 1.0


class KeysInTurn:
    """The line for one kind of answers, in one event loop. what: these answers, for people.
    patience_s: for one's turn to come; late: the error of whoever has waited that long."""

    def __init__(self, what: str, patience_s: float, late: Callable[[float], Exception]) -> None:
        self._what = what
        self._patience_s = patience_s
        self._late = late
        self._places: Counter[str] = Counter()
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._busy = False
        self._thread: anyio.CapacityLimiter | None = None

    @contextmanager
    def place(self, key_id: str) -> Iterator[None]:
        """One of the key's places, for as long as this lasts. Raises QuotaExceeded."""
        if self._places[key_id] >= MOST_PER_KEY:
            raise QuotaExceeded(f"{self._what} at once per key", MOST_PER_KEY, COME_AGAIN_S)
        self._places[key_id] += 1
        try:
            yield
        finally:
            self._places[key_id] -= 1
            self._places = +self._places  # without keys that have none

    async def make(self, key_id: str, ask: Callable[[], Found]) -> Found:
        """What `ask` makes, when it is this key's turn. Raises what is said when it does not come,
        and what it raises."""
        async with self._turn(key_id):
            self._thread = self._thread or anyio.CapacityLimiter(1)
            return await anyio.to_thread.run_sync(ask, limiter=self._thread)

    @asynccontextmanager
    async def _turn(self, key_id: str) -> AsyncIterator[None]:
        if self._busy:
            await self._wait(key_id)
        self._busy = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, key_id: str) -> None:
        """In the key's line, until called; then the turn is ours."""
        called = asyncio.get_running_loop().create_future()
        self._lines.setdefault(key_id, deque()).append(called)
        try:
            async with asyncio.timeout(self._patience_s):
                await called
        except BaseException as exc:
            if called.done() and not called.cancelled():  # called in the same moment
                self._pass_on()
            else:
                self._take_out(key_id, called)
            if isinstance(exc, TimeoutError):
                raise self._late(self._patience_s) from exc
            raise

    def _pass_on(self) -> None:
        """To the first one of the key whose last turn is longest ago. Who has given up stands in
        line until it is told so."""
        while self._lines:
            key_id, line = self._lines.popitem(last=False)
            waiting = deque(called for called in line if not called.done())
            if waiting:
                called = waiting.popleft()
                if waiting:
                    self._lines[key_id] = waiting
                called.set_result(None)
                return
        self._busy = False

    def _take_out(self, key_id: str, called: asyncio.Future[None]) -> None:
        """If it is still there."""
        line = deque(other for other in self._lines.get(key_id, ()) if other is not called)
        if line:
            self._lines[key_id] = line
        else:
            self._lines.pop(key_id, None)


__all__ = ["MOST_PER_KEY", "KeysInTurn"]
