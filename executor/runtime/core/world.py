"""What a run takes from the world and a replay must be able to give again: time and ids."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True)
class World:
    """clock: aware times in UTC; new_id: 32 hex digits that no other run has.

    Tests give their own; so does a replay.
    """

    clock: Callable[[], datetime] = _now
    new_id: Callable[[], str] = _new_id


@dataclass
class CountedIds:
    """Ids for tests: run-0001, run-0002."""

    prefix: str = "run"
    count: int = field(default=0, init=False)

    def __call__(self) -> str:
        self.count += 1
        return f"{self.prefix}-{self.count:04}"


__all__ = ["CountedIds", "World"]
