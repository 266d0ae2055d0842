"""A store that ends with its process: for tests, and for what a single run has to remember.

Values are kept as text, so what comes back is as fresh, and as bounded, as from a file.
"""

import math
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.memory.json_text import (
    check_count,
    check_name,
    check_namespace,
    matches,
    text_of,
    value_of,
)
from zkagent.executor.runtime.memory.retention import USUAL, Clock, Limits, Retention, now
from zkagent.executor.runtime.memory.words import asked_words, words_of

#: Of BM25, as Robertson and Zaragoza (2009) propose them and SQLite has them.
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class _Kept:
    text: str
    at_s: float
    words: Counter[str]

    @property
    def value(self) -> Any:
        return value_of(self.text, "an entry in memory")


@dataclass
class _Shelf:
    """A stream's entries by number, or a collection's values by key; last written, last listed."""

    kept: dict[Any, _Kept] = field(default_factory=dict)
    next: int = 0

    def put(self, key: Any, value: Json, at_s: float) -> None:
        text = text_of(value)
        kept = _Kept(text, at_s, Counter(words_of(value_of(text, ""))))
        self.kept.pop(key, None)  # not before: what is refused leaves what there is
        self.kept[key] = kept

    def drop(self, retention: Retention, now_s: float) -> int:
        """What is over its limits; how much that was."""
        over = list(islice(self.kept, max(0, len(self.kept) - retention.most)))
        if (oldest := retention.oldest(now_s)) is not None:
            over += [key for key, kept in self.kept.items() if kept.at_s < oldest]
        for key in set(over):
            del self.kept[key]
        return len(set(over))


class InMemoryStore:
    """See store.py. clock: for the age of what is kept."""

    def __init__(self, limits: Limits = USUAL, clock: Clock = now) -> None:
        self.limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._closed = False
        self.stream_shelves: dict[tuple[str, str], _Shelf] = {}
        self.value_shelves: dict[tuple[str, str], _Shelf] = {}

    def streams(self, namespace: str = "") -> "InMemoryStreams":
        return InMemoryStreams(self, check_namespace(namespace))

    def collections(self, namespace: str = "") -> "InMemoryCollections":
        return InMemoryCollections(self, check_namespace(namespace))

    @contextmanager
    def opened(self) -> Iterator[float]:
        """For one caller at a time: now, in seconds since 1970."""
        with self._lock:
            if self._closed:
                raise MemoryFault("the store in memory is closed")
            yield self._clock().timestamp()

    async def sweep(self) -> int:
        with self.opened() as now_s:
            streams, kept = self.stream_shelves.values(), self.limits.kept
            count = sum(shelf.drop(self.limits.streams, now_s) for shelf in streams)
            for (_, name), shelf in self.value_shelves.items():
                count += 0 if name in kept else shelf.drop(self.limits.collections, now_s)
            return count

    async def close(self) -> None:
        self._closed = True
        self.stream_shelves.clear()
        self.value_shelves.clear()


class InMemoryStreams:
    """A MemoryClient."""

    def __init__(self, store: InMemoryStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    async def append(self, stream: str, entry: Json) -> None:
        name = (self._namespace, check_name("stream", stream))
        with self._store.opened() as now_s:
            shelf = self._store.stream_shelves.setdefault(name, _Shelf())
            shelf.put(shelf.next, entry, now_s)
            shelf.next += 1
            shelf.drop(self._store.limits.streams, now_s)

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Sequence[Json]:
        name = (self._namespace, check_name("stream", stream))
        check_count("since", since)
        with self._store.opened():
            shelf = self._store.stream_shelves.get(name, _Shelf())
            found = [kept for number, kept in shelf.kept.items() if number >= since]
        if last is not None:
            found = found[max(0, len(found) - check_count("last", last)) :]
        return [kept.value for kept in found]

    async def search(
        self, query: str, *, stream: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        with self._store.opened():
            shelves = _chosen(self._store.stream_shelves, self._namespace, stream)
        return _best(shelves, query, check_count("top", top))

    async def clear(self, stream: str) -> None:
        name = (self._namespace, check_name("stream", stream))
        with self._store.opened():
            self._store.stream_shelves.pop(name, None)

    async def close(self) -> None:
        """The store is closed by who opened it."""


class InMemoryCollections:
    """A DatabaseClient."""

    def __init__(self, store: InMemoryStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    async def write(self, collection: str, key: str, value: Json) -> None:
        name = (self._namespace, check_name("collection", collection))
        check_name("key", key)
        with self._store.opened() as now_s:
            shelf = self._store.value_shelves.setdefault(name, _Shelf())
            limits = self._store.limits
            if collection in limits.kept:
                if key not in shelf.kept and len(shelf.kept) >= limits.collections.most:
                    raise MemoryFault(f"the collection {collection} is full: give it a higher most")
                shelf.put(key, value, now_s)
            else:
                shelf.put(key, value, now_s)
                shelf.drop(limits.collections, now_s)

    async def read(self, collection: str, key: str) -> Json:
        name = (self._namespace, check_name("collection", collection))
        check_name("key", key)
        with self._store.opened():
            found = self._store.value_shelves.get(name, _Shelf()).kept.get(key)
        return found.value if found else None

    async def query(
        self, collection: str, where: Mapping[str, Json], *, top: int | None = None
    ) -> Sequence[Json]:
        name = (self._namespace, check_name("collection", collection))
        with self._store.opened():
            kept = dict(self._store.value_shelves.get(name, _Shelf()).kept)
        values = (kept[key].value for key in sorted(kept))
        found = [value for value in values if matches(value, where)]
        return found if top is None else found[: check_count("top", top)]

    async def search(
        self, text: str, *, collection: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        with self._store.opened():
            shelves = _chosen(self._store.value_shelves, self._namespace, collection)
        return _best(shelves, text, check_count("top", top))

    async def clear(self, collection: str, key: str | None = None) -> None:
        name = (self._namespace, check_name("collection", collection))
        with self._store.opened():
            if key is None:
                self._store.value_shelves.pop(name, None)
            elif shelf := self._store.value_shelves.get(name):
                shelf.kept.pop(check_name("key", key), None)

    async def close(self) -> None:
        """The store is closed by who opened it."""


def _chosen(
    shelves: Mapping[tuple[str, str], _Shelf], namespace: str, name: str | None
) -> list[_Kept]:
    """All that is kept under a name, or in the whole namespace."""
    if name is not None:
        check_name("name", name)
    return [
        kept
        for (space, its_name), shelf in shelves.items()
        if space == namespace and name in (None, its_name)
        for kept in shelf.kept.values()
    ]


def _best(kept: Sequence[_Kept], query: str, top: int) -> list[Any]:
    """What has all the words, by BM25; of equals, what was written last."""
    asked = asked_words(query)
    found = [each for each in kept if asked and all(word in each.words for word in asked)]
    sizes = [each.words.total() for each in kept]
    usual = sum(sizes) / max(1, len(sizes)) or 1.0
    rarity = {word: _rarity(kept, word) for word in asked}
    score = {id(each): _score(each.words, rarity.items(), usual) for each in found}
    order = sorted(enumerate(found), key=lambda pair: (-score[id(pair[1])], -pair[0]))
    return [each.value for _, each in order[:top]]


def _score(words: Counter[str], rarity: Iterable[tuple[str, float]], usual: float) -> float:
    room = K1 * (1 - B + B * words.total() / usual)
    return sum(rare * words[word] * (K1 + 1) / (words[word] + room) for word, rare in rarity)


def _rarity(kept: Sequence[_Kept], word: str) -> float:
    having = sum(word in each.words for each in kept)
    return math.log(1 + (len(kept) - having + 0.5) / (having + 0.5))


__all__ = ["InMemoryCollections", "InMemoryStore", "InMemoryStreams"]
