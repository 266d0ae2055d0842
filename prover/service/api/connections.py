"""Who is connected, how many from where, and who has to go when there are too many."""

from collections import OrderedDict
from typing import Protocol


class Connected(Protocol):
    """A connection, from its first moment to its last. address: where it comes from."""

    address: str

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""

    def turn_away(self) -> None:
        """Say that there are too many, and close."""


class Connections:
    """Those of one server. When there are too many, the address with most of them loses the one
    that has been idle longest; who asks for something is never cut off."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._by_address: dict[str, OrderedDict[Connected, None]] = {}

    def add(self, one: Connected) -> None:
        """Turns somebody away when it is one too many."""
        self._by_address.setdefault(one.address, OrderedDict())[one] = None
        self._count += 1
        if self._count > self._most:
            crowd = max(self._by_address.values(), key=len)
            idle = (other for other in crowd if other.is_idle and other is not one)
            refused = next(idle, one)
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


__all__ = ["Connected", "Connections"]
