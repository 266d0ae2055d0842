"""A store: streams and collections in one place, each agent's in a namespace of its own."""

from typing import Protocol

from zkagent.executor.runtime.core.memory import DatabaseClient, MemoryClient


class Store(Protocol):
    """What `in_memory`, `sqlite` and `postgres` open. Raises MemoryFault.

    namespace: whose streams and collections; what is in one is neither read, found nor cleared
    through a client of another. Empty: the host's own.
    """

    def streams(self, namespace: str = "") -> MemoryClient: ...

    def collections(self, namespace: str = "") -> DatabaseClient: ...

    async def sweep(self) -> int:
        """Delete all that is over its limits; how much that was."""

    async def close(self) -> None:
        """For all clients of it; what is asked of them from then on raises MemoryFault."""


__all__ = ["Store"]
