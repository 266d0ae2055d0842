"""Who is connected, how many from where, and who has to go when there are too many."""

import time
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol

from zkagent.prover.service.api.addresses import one_peer

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


class _Doing(Enum):
    IDLE = auto()
    STUCK = auto()
    BUSY = auto()


#: Those of one peer that do the same, each with when it began to; the last to do so at the end.
_Crowd = OrderedDict[Connected, float]


class Connections:
    """Those of one server. When there are too many, whoever has been idle longest goes, wherever it
    comes from, of the peer with most of these; else who does not take its answer. Some more than
    there may be are kept for a moment, for who has come just now and who asks while all others are
    busy; above that new ones go like that, too, and only where all but a few are being answered,
    whoever has been for longest, of the peer with most. So those that say nothing end nobody's
    answer, and a crowd that holds what it has shuts nobody out, not even one of its own."""

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
        self._places: dict[Connected, tuple[_Doing, str]] = {}
        self._crowds: dict[_Doing, dict[str, _Crowd]] = {doing: {} for doing in _Doing}

    def add(self, one: Connected) -> None:
        """Turns somebody away when it is one too many."""
        self._put(one)
        if len(self._places) > self._most:
            refused = self._least_wanted()
            if refused is not None:
                self.remove(refused)
                refused.turn_away()

    def touch(self, one: Connected) -> None:
        """It did something, or something else is being done with it."""
        if one in self._places:
            self.remove(one)
            self._put(one)

    def remove(self, one: Connected) -> None:
        if one in self._places:
            doing, peer = self._places.pop(one)
            del self._crowds[doing][peer][one]
            if not self._crowds[doing][peer]:
                del self._crowds[doing][peer]

    def _put(self, one: Connected) -> None:
        stuck = _Doing.STUCK if one.is_stuck else _Doing.BUSY
        doing, peer = _Doing.IDLE if one.is_idle else stuck, one_peer(one.address)
        self._places[one] = doing, peer
        self._crowds[doing].setdefault(peer, OrderedDict())[one] = self._clock()

    def _least_wanted(self) -> Connected | None:
        idle, since = self._first(_Doing.IDLE)
        if idle and since <= self._clock() - NEW_S:
            return idle
        stuck, _ = self._first(_Doing.STUCK)
        if stuck or len(self._places) <= self._most + self._reserve:
            return stuck
        busy, _ = self._first(_Doing.BUSY)
        return idle if self._are_some_idle() else busy or idle

    def _first(self, doing: _Doing) -> tuple[Connected | None, float]:
        """Who has been doing this for longest, of the peer with most who do, and since when."""
        crowds = self._crowds[doing].values()
        return next(iter(max(crowds, key=len).items())) if crowds else (None, 0.0)

    def _are_some_idle(self) -> bool:
        """Whether new ones have their moment, should one of them be turned away."""
        some = self._reserve // 2
        return sum(map(len, self._crowds[_Doing.IDLE].values())) > some


__all__ = ["RESERVE", "Connected", "Connections"]
