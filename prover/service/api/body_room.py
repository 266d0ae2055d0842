"""How much of requests' bodies is kept at once: of all, and of each caller. Bodies that never come
to an end cost the service no more memory than this, whoever sends them."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MOST_BYTES = 64 << 20
MOST_BYTES_PER_CALLER = 16 << 20


class NoRoom(Exception):
    """own: the caller has its share, else all have theirs together."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no room for more of a body")
        self.own = own


@dataclass
class BodyRoom:
    """Counts bytes; of one thread alone."""

    most: int = MOST_BYTES
    share: int = MOST_BYTES_PER_CALLER
    held: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def place(self, caller: str) -> Iterator["Place"]:
        """For one body, until the request is answered."""
        place = Place(self, caller)
        try:
            yield place
        finally:
            self.held[caller] -= place.size
            if not self.held[caller]:
                del self.held[caller]


@dataclass
class Place:
    """One body's."""

    room: BodyRoom
    caller: str
    size: int = 0

    def take(self, count: int) -> None:
        """So many bytes more. Raises NoRoom."""
        if self.room.held[self.caller] + count > self.room.share:
            raise NoRoom(own=True)
        if self.room.held.total() + count > self.room.most:
            raise NoRoom(own=False)
        self.room.held[self.caller] += count
        self.size += count


__all__ = ["BodyRoom", "NoRoom", "Place"]
