"""How long memories are kept: limits by number and by age, with stated defaults."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from zkagent.executor.runtime.core.errors import MemoryFault

Clock = Callable[[], datetime]
MOST = 100_000
SECONDS_OF_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Retention:
    """most: entries of a stream, or values of a collection; the ones written longest ago go when
    there are more. age_s: seconds after which each goes, None for never. Both are applied where
    something is written, and everywhere by `sweep`. Raises MemoryFault."""

    most: int = MOST
    age_s: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.most <= 10_000_000:
            raise MemoryFault(f"most is {self.most}; keep from 1 to 10,000,000")
        if self.age_s is not None and not 0 < self.age_s <= 36_500 * SECONDS_OF_A_DAY:
            raise MemoryFault(f"age_s is {self.age_s}; keep for more than 0 s, at most 100 years")

    def oldest(self, now_s: float) -> float | None:
        """What was written before this goes; seconds since 1970."""
        return None if self.age_s is None else now_s - self.age_s


@dataclass(frozen=True, slots=True)
class Limits:
    """kept: collections of which nothing ever goes, such as prompts and their versions. A full one
    refuses what is new."""

    streams: Retention = Retention()
    collections: Retention = Retention()
    kept: frozenset[str] = frozenset({"prompts"})


USUAL = Limits()


def now() -> datetime:
    return datetime.now(UTC)


__all__ = ["MOST", "USUAL", "Clock", "Limits", "Retention", "now"]
