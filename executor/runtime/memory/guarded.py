"""Memories as one agent may use them: its own alone, and through its permissions both ways.

The runner asks the permissions for what it keeps itself. This is for whoever else hands an agent's
memory on, a tool for instance:

    guard = Guard(permissions, "my-agent", access=Access(read=("shared/*",)))
    notes = GuardedStreams(store, guard)

What the permissions change is written, or given, as they changed it. A write that they refuse
raises StepRefused; entries that they refuse are left out of what is read. An agent's streams and
collections lie in its own namespace; those of another are named /AGENT/NAME, and are refused unless
a pattern of `access` lets them pass. Nothing that is read or written changes what is allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from zkagent.executor.runtime.core.errors import StepRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.memory import DatabaseClient, MemoryClient
from zkagent.executor.runtime.core.permissions import Asked, Permissions, Place, Verdict
from zkagent.executor.runtime.memory.retention import Clock, now
from zkagent.executor.runtime.memory.store import Store

Use = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Access:
    """Patterns of AGENT/NAME that are other agents', with * for anything. Clearing is writing."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()

    def allows(self, use: Use, namespace: str, name: str) -> bool:
        patterns = self.read if use == "read" else self.write
        return any(fnmatchcase(f"{namespace}/{name}", pattern) for pattern in patterns)


@dataclass(frozen=True)
class Guard:
    """Whose memories, and who is asked. run_id, step: what the permissions are told; a copy with
    those of a run is made by dataclasses.replace."""

    permissions: Permissions
    agent_id: str
    access: Access = field(default_factory=Access)
    run_id: str = ""
    step: int = 0
    clock: Clock = now

    def place(self, use: Use, name: str) -> tuple[str, str]:
        """Namespace and name of what an agent calls so. Raises StepRefused."""
        if not name.startswith("/"):
            return self.agent_id, name
        namespace, _, rest = name[1:].partition("/")
        if namespace == self.agent_id or (namespace and self.access.allows(use, namespace, rest)):
            return namespace, rest
        raise StepRefused(
            f"agent {self.agent_id} may not {use} {name:.80}: no rule of its access lets it",
            rules=["memory_access"],
        )

    async def written(self, value: Json, *names: str) -> Json:
        """What to write of it. Raises StepRefused: also for names that rules would change, such as
        a key that is somebody's card number."""
        for name in names:
            found = await self._judge("memory", name)
            if not found.allowed or found.value != name:
                raise _refused(found, "a name")
        found = await self._judge("memory", value)
        if not found.allowed:
            raise _refused(found, "a value")
        return found.value

    async def shown(self, values: Sequence[Json]) -> list[Json]:
        """What to give of them, without those that are refused."""
        found = [await self._judge("recall", value) for value in values]
        return [verdict.value for verdict in found if verdict.allowed]

    async def shown_one(self, value: Json) -> Json:
        """Raises StepRefused: None would say that there is nothing."""
        found = await self._judge("recall", value)
        if not found.allowed:
            raise _refused(found, "a value")
        return found.value

    async def _judge(self, place: Place, value: Json) -> Verdict:
        now_s = self.clock().timestamp()
        asked = Asked(self.run_id, self.agent_id, self.step, place, now_s)
        return await self.permissions.judge_value(asked, value)


class GuardedStreams:
    """A MemoryClient."""

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store = store
        self._guard = guard

    async def append(self, stream: str, entry: Json) -> None:
        client, name = self._at("write", stream)
        await client.append(name, await self._guard.written(entry, name))

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Sequence[Json]:
        client, name = self._at("read", stream)
        return await self._guard.shown(await client.read(name, last=last, since=since))

    async def search(
        self, query: str, *, stream: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        """Without a stream: in the agent's own."""
        client, name = self._whole() if stream is None else self._at("read", stream)
        return await self._guard.shown(await client.search(query, stream=name, top=top))

    async def clear(self, stream: str) -> None:
        client, name = self._at("write", stream)
        await client.clear(name)

    async def close(self) -> None:
        """The store is closed by who opened it."""

    def _at(self, use: Use, stream: str) -> tuple[MemoryClient, str]:
        namespace, name = self._guard.place(use, stream)
        return self._store.streams(namespace), name

    def _whole(self) -> tuple[MemoryClient, None]:
        return self._store.streams(self._guard.agent_id), None


class GuardedCollections:
    """A DatabaseClient."""

    def __init__(self, store: Store, guard: Guard) -> None:
        self._store = store
        self._guard = guard

    async def write(self, collection: str, key: str, value: Json) -> None:
        client, name = self._at("write", collection)
        await client.write(name, key, await self._guard.written(value, name, key))

    async def read(self, collection: str, key: str) -> Json:
        client, name = self._at("read", collection)
        return await self._guard.shown_one(await client.read(name, key))

    async def query(
        self, collection: str, where: Mapping[str, Json], *, top: int | None = None
    ) -> Sequence[Json]:
        client, name = self._at("read", collection)
        return await self._guard.shown(await client.query(name, where, top=top))

    async def search(
        self, text: str, *, collection: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        """Without a collection: in the agent's own."""
        client, name = self._whole() if collection is None else self._at("read", collection)
        return await self._guard.shown(await client.search(text, collection=name, top=top))

    async def clear(self, collection: str, key: str | None = None) -> None:
        client, name = self._at("write", collection)
        await client.clear(name, key)

    async def close(self) -> None:
        """The store is closed by who opened it."""

    def _at(self, use: Use, collection: str) -> tuple[DatabaseClient, str]:
        namespace, name = self._guard.place(use, collection)
        return self._store.collections(namespace), name

    def _whole(self) -> tuple[DatabaseClient, None]:
        return self._store.collections(self._guard.agent_id), None


def _refused(verdict: Verdict, what: str) -> StepRefused:
    reason = verdict.reason or "its rules would change it"
    return StepRefused(f"{what} is kept out of memory: {reason}", rules=list(verdict.rules))


__all__ = ["Access", "Guard", "GuardedCollections", "GuardedStreams"]
