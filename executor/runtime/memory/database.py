"""A database of memories, whichever it is: transactions in threads, and its errors as ours.

Each call is one transaction in a thread of its own, so that an agent's loop never waits for a disk;
what was acknowledged is on the disk. Errors name what is wrong and no value, key or statement.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.full_text import FullText
from zkagent.executor.runtime.memory.retention import Clock, Limits
from zkagent.executor.runtime.memory.tables import SCHEMA_VERSION, SEARCHED, facts, metadata
from zkagent.prover.durable.encrypted import READS
from zkagent.prover.service.queue.trouble import trouble_of

T = TypeVar("T")


@dataclass
class MemoryDatabase:
    """shown: its name in messages, without secrets."""

    engine: sa.Engine
    full_text: FullText
    shown: str
    limits: Limits
    clock: Clock
    _closed: bool = field(default=False, init=False)

    def prepare(self, connection: sa.Connection) -> None:
        """Make the tables that are not there. Raises MemoryFault: those of another version."""
        metadata.create_all(connection)
        for table in SEARCHED:
            self.full_text.create(connection, table)
        fact = {"name": "schema", "value": SCHEMA_VERSION}
        connection.execute(insert(connection, facts).values(fact).on_conflict_do_nothing())
        found = connection.execute(sa.select(facts.c.value).where(facts.c.name == "schema"))
        if (version := found.scalar_one()) != SCHEMA_VERSION:
            raise MemoryFault(
                f"{self.shown} has tables of version {version!r:.20}, this program reads "
                f"{SCHEMA_VERSION}: use the zkagent that wrote them"
            )

    async def write(self, do: Callable[[sa.Connection, float], T]) -> T:
        """In a transaction that may write; `do` gets the time, in seconds since 1970."""
        return await asyncio.to_thread(self._transaction, do, {})

    async def read(self, do: Callable[[sa.Connection, float], T]) -> T:
        return await asyncio.to_thread(self._transaction, do, {READS: True})

    def close(self) -> None:
        self._closed = True
        self.engine.dispose()

    def _transaction(self, do: Callable[[sa.Connection, float], T], options: dict[str, Any]) -> T:
        if self._closed:
            raise MemoryFault(f"{self.shown} is closed")
        with translated(self.shown), self.engine.connect() as connection:
            begun = connection.execution_options(**options)
            with begun.begin():
                return do(begun, self.clock().timestamp())


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Errors of a driver as MemoryFault, without their texts, which may quote what was written."""
    try:
        yield
    except sa.exc.SQLAlchemyError as exc:
        raise MemoryFault(f"{shown}: {trouble_of(exc).detail}") from None


def insert(connection: sa.Connection, table: sa.Table) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)


__all__ = ["MemoryDatabase", "insert", "translated"]
