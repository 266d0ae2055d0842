"""Who is connected, how many from where, and who has to go when there are too many."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

RESERVE = 64
NEW_S = 1.0  # in which who has come says something, if it has something to say


class Connected(Protocol):
    """A connection, from its first moment to its last. address: where it comes from."""

    address: str

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""

    @property
    def is_stuck(self) -> bool:
        """Whether an answer is not being taken."""

    def turn_away(self) -> None:
        """Say that there are too many, if it is idle, and close at once."""


class Connections:
    """Those of one server. When there are too many, the address with most of them loses the one
    that has been idle longest, else one that does not take its answer. Some more than there may be
    are kept for a moment, for who has come just now and who asks while all others are busy; above
    that whoever has been busy longest goes. So a crowd that holds what it has shuts nobody out, not
    even one of its own."""

    def __init__(
        self,
        most: int,
        *,
        reserve: int = RESERVE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._reserve = reserve
        self._clock = clock
        self._count = 0
        #: by address: when each came, those that did something last at the end
        self._by_address: dict[str, OrderedDict[Connected, float]] = {}

    def add(self, one: Connected) -> None:
        """Turns somebody away when it is one too many."""
        self._by_address.setdefault(one.address, OrderedDict())[one] = self._clock()
        self._count += 1
        if self._count > self._most:
            refused = self._least_wanted()
            if refused is not None:
                self.remove(refused)
                refused.turn_away()

    def touch(self, one: Connected) -> None:
        """It did something."""
        crowd = self._by_address.get(one.address)
        if crowd and one in crowd:
            crowd.move_to_end(one)

    def remove(self, one: Connected) -> None:
        crowd = self._by_address.get(one.address)
        if crowd and one in crowd:
            del crowd[one]
            self._count -= 1
            if not crowd:
                del self._by_address[one.address]

    def _least_wanted(self) -> Connected | None:
        crowd = max(self._by_address.values(), key=len)
        early = self._clock() - NEW_S
        for one, since in crowd.items():
            if one.is_idle and since <= early:
                return one
        for one in crowd:
            if one.is_stuck:
                return one
        return next(iter(crowd)) if self._count > self._most + self._reserve else None


__all__ = ["Connected", "Connections"]
