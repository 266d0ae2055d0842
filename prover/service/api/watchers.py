"""Requests that wait for a proof to change: woken by hints, and now and then without."""

import asyncio
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from zkagent.prover.service.api.addresses import one_peer
from zkagent.prover.service.errors import QuotaExceeded
from zkagent.prover.service.queue.wake import CHANGED

LOOK_AGAIN_S = 2.0  # about: those who came together do not look together for ever
MOST_PER_KEY = 64  # who wait at once; each looks into the database every LOOK_AGAIN_S
MOST_PER_ADDRESS = 256
COME_AGAIN_S = 2.0
LOOKING_AT_ONCE = 4  # so many threads have Python's lock to share with the loop, and no more
Found = TypeVar("Found")


class Watchers:
    """Who waits for which proof. `woken` may be called from any thread."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._followers: Counter[str] = Counter()
        self._looking = asyncio.Semaphore(LOOKING_AT_ONCE)
        self._lock = threading.RLock()  # a signal's handler closes, whatever its thread is at
        self._loop: asyncio.AbstractEventLoop | None = None
        #: Set when the service stops: whoever waits answers with what there is.
        self.closing = False

    @contextmanager
    def following(self, key_id: str, address: str) -> Iterator[None]:
        """Somebody who waits for as long as this lasts; nobody may be all of them. Raises
        QuotaExceeded."""
        limits = (
            (f"key {key_id}", MOST_PER_KEY),
            (f"address {one_peer(address)}", MOST_PER_ADDRESS),
        )
        for name, most in limits:
            if self._followers[name] >= most:
                what = f"answers that wait, and event streams, at once per {name.partition(' ')[0]}"
                raise QuotaExceeded(what, most, COME_AGAIN_S)
        names = [name for name, _ in limits]
        self._followers.update(names)
        try:
            yield
        finally:
            self._followers.subtract(names)
            self._followers = +self._followers  # without those of whom there are none

    async def look(self, ask: Callable[..., Found], *arguments: object) -> Found:
        """What `ask` finds in the database, a few askers at a time: all at once they would keep
        the loop, and with it `/healthz`, from running."""
        async with self._looking:
            return await run_in_threadpool(ask, *arguments)

    @contextmanager
    def watch(self, proof_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the proof may have changed."""
        event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        with self._lock:
            self._waiting[proof_id].add(event)
        try:
            yield event
        finally:
            with self._lock:
                self._waiting[proof_id].discard(event)
                if not self._waiting[proof_id]:
                    del self._waiting[proof_id]

    def woken(self, topic: str, proof_id: str) -> None:
        """A wake-up's listener."""
        if topic == CHANGED:
            with self._lock:
                events = list(self._waiting.get(proof_id, ()))
            self._set(events)

    def close(self) -> None:
        """Let everybody go."""
        self.closing = True
        with self._lock:
            events = [event for some in self._waiting.values() for event in some]
        self._set(events)

    def _set(self, events: list[asyncio.Event]) -> None:
        if events and self._loop and not self._loop.is_closed():
            for event in events:
                self._loop.call_soon_threadsafe(event.set)


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set, or for this long, or until it is time to look without a hint."""
    try:
        async with asyncio.timeout(min(seconds, LOOK_AGAIN_S * random.uniform(0.75, 1.25))):
            await event.wait()
    except TimeoutError:
        return
    event.clear()


__all__ = ["Watchers", "wait"]
