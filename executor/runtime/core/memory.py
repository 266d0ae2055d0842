"""What stores of memories do. Proposal: "Core Components", MemoryClient and DatabaseClient.

One contract test runs against all of them.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from zkagent.executor.runtime.core.json_values import Json


class MemoryClient(Protocol):
    """Streams of entries, oldest first. All raise MemoryFault."""

    async def append(self, stream: str, entry: Json) -> None: ...

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Sequence[Json]:
        """last: only so many, the newest; since: without the first so many."""

    async def search(
        self, query: str, *, stream: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        """Entries that have the query's words, best first."""

    async def clear(self, stream: str) -> None: ...

    async def close(self) -> None: ...


class DatabaseClient(Protocol):
    """Collections of values by key. All raise MemoryFault."""

    async def write(self, collection: str, key: str, value: Json) -> None: ...

    async def read(self, collection: str, key: str) -> Json: ...

    async def query(
        self, collection: str, where: Mapping[str, Json], *, top: int | None = None
    ) -> Sequence[Json]:
        """Values that are objects and have these fields, by key."""

    async def search(
        self, text: str, *, collection: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        """Values that have the text's words, best first."""

    async def clear(self, collection: str, key: str | None = None) -> None: ...

    async def close(self) -> None: ...


__all__ = ["DatabaseClient", "MemoryClient"]
