"""How many callbacks are under way at once, and that nobody has them all: neither a host, nor a
key, nor whoever makes up names under one that was allowed with a wildcard.

Called from the threads that take messages and from the loop that sends them.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from zkagent.prover.service.queue.keys import LOCAL

AT_ONCE = 64
AT_ONCE_PER_WILDCARD = 32
AT_ONCE_PER_KEY = 16
AT_ONCE_PER_HOST = 4

#: What is counted: "host", "key" or "wildcard", and which one.
Name = tuple[str, str]
MOST = {"host": AT_ONCE_PER_HOST, "key": AT_ONCE_PER_KEY, "wildcard": AT_ONCE_PER_WILDCARD}


class Shares:
    """Those under way. rules: the allowed hosts, of which the wildcards are counted, too."""

    def __init__(self, rules: Iterable[str] = ()) -> None:
        self._wildcards = sorted({found for rule in rules if (found := _wildcard(rule))})
        self._busy: Counter[Name] = Counter()
        self._count = 0
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        return self._count

    def full(self, kind: str) -> list[str]:
        """Of which hosts, keys or wildcards (their endings) there are enough."""
        with self._lock:
            return [
                name
                for (found, name), count in self._busy.items()
                if found == kind and count >= MOST[kind]
            ]

    def fits(self, host: str, key: str) -> bool:
        """Whether there may be one more."""
        with self._lock:
            return self._count < AT_ONCE and all(
                self._busy[name] < MOST[name[0]] for name in self._names(host, key)
            )

    def take(self, host: str, key: str) -> None:
        with self._lock:
            self._count += 1
            self._busy.update(self._names(host, key))

    def give_back(self, host: str, key: str) -> None:
        with self._lock:
            self._count -= 1
            self._busy.subtract(self._names(host, key))
            self._busy = +self._busy  # without those of whom there are none

    def _names(self, host: str, key: str) -> Iterator[Name]:
        yield "host", host
        if key != LOCAL:  # who needs no key is everybody
            yield "key", key
        name = host.rpartition(":")[0]
        yield from (("wildcard", ending) for ending in self._wildcards if name.endswith(ending))


def _wildcard(rule: str) -> str:
    """The ending that it stands for, with its point: `.example.org`; nothing of other rules."""
    name = urlsplit(rule if "://" in rule else f"https://{rule}").hostname or ""
    return name.rstrip(".")[1:] if name.startswith("*.") else ""


__all__ = ["AT_ONCE", "AT_ONCE_PER_HOST", "AT_ONCE_PER_KEY", "AT_ONCE_PER_WILDCARD", "Shares"]
