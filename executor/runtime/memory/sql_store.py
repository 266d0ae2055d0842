"""The store of a database that speaks SQL; `sqlite.py` and `postgres.py` open one."""

import sqlalchemy as sa

from zkagent.executor.runtime.memory.database import MemoryDatabase
from zkagent.executor.runtime.memory.json_text import check_namespace
from zkagent.executor.runtime.memory.sql_collections import SqlCollections, drop_values
from zkagent.executor.runtime.memory.sql_streams import SqlStreams, drop_entries
from zkagent.executor.runtime.memory.tables import entries, values


class SqlStore:
    """See store.py."""

    def __init__(self, database: MemoryDatabase) -> None:
        self._database = database

    def streams(self, namespace: str = "") -> SqlStreams:
        return SqlStreams(self._database, check_namespace(namespace))

    def collections(self, namespace: str = "") -> SqlCollections:
        return SqlCollections(self._database, check_namespace(namespace))

    async def sweep(self) -> int:
        limits = self._database.limits

        def do(connection: sa.Connection, now_s: float) -> int:
            count = sum(
                drop_entries(connection, limits.streams, now_s, of)
                for of in _parts(connection, entries)
            )
            return count + sum(
                drop_values(connection, limits.collections, now_s, of)
                for of in _parts(connection, values, limits.kept)
            )

        return await self._database.write(do)

    async def close(self) -> None:
        self._database.close()


def _parts(
    connection: sa.Connection, table: sa.Table, kept: frozenset[str] = frozenset()
) -> list[sa.ColumnElement[bool]]:
    """Each stream or collection of a table, but those that are kept."""
    names = sa.select(table.c.namespace, table.c.name).distinct()
    return [
        (table.c.namespace == namespace) & (table.c.name == name)
        for namespace, name in connection.execute(names)
        if name not in kept
    ]


__all__ = ["SqlStore"]
