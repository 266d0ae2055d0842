"""Vocabulary of the tests of memories: a clock that tests move, and how they wait."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from zkagent.executor.runtime.memory.store import Store

#: Opens the one store of a test, with limits; again, if it is asked again.
Opener = Callable[..., Store]


@dataclass
class MovedClock:
    now: datetime = field(default=datetime(2026, 1, 1, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def done(*work: Any) -> Any:
    """What the last of some coroutines gives, one after another."""

    async def each() -> Any:
        return [await one for one in work][-1]

    return asyncio.run(each())
