"""Streams in a database that speaks SQL.

A writer first changes the row of its stream, where others wait for it: so entries of one stream
have the order of their commits, and nobody's is lost.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.memory.database import MemoryDatabase, insert
from zkagent.executor.runtime.memory.json_text import check_count, check_name, text_of, value_of
from zkagent.executor.runtime.memory.retention import Retention
from zkagent.executor.runtime.memory.tables import entries, streams
from zkagent.executor.runtime.memory.words import asked_words, words_of


class SqlStreams:
    """A MemoryClient."""

    def __init__(self, database: MemoryDatabase, namespace: str) -> None:
        self._database = database
        self._namespace = namespace

    async def append(self, stream: str, entry: Json) -> None:
        check_name("stream", stream)
        text = text_of(entry)
        words = words_of(value_of(text, stream))

        def do(connection: sa.Connection, now_s: float) -> None:
            number = self._next_number(connection, stream)
            row = {"namespace": self._namespace, "name": stream, "number": number}
            added = sa.insert(entries).values(row | {"at_s": now_s, "value": text})
            entry_id = connection.execute(added.returning(entries.c.id)).scalar_one()
            self._database.full_text.put(connection, entries, entry_id, words)
            drop_entries(connection, self._database.limits.streams, now_s, self._of(stream))

        await self._database.write(do)

    async def read(self, stream: str, *, last: int | None = None, since: int = 0) -> Sequence[Json]:
        check_name("stream", stream)
        wanted = sa.select(entries.c.value).where(self._of(stream))
        wanted = wanted.where(entries.c.number >= check_count("since", since))
        wanted = wanted.order_by(entries.c.number.desc())
        if last is not None:
            wanted = wanted.limit(check_count("last", last))
        found = await self._database.read(lambda c, _: c.execute(wanted).scalars().all())
        return [value_of(text, f"an entry of {stream}") for text in reversed(found)]

    async def search(
        self, query: str, *, stream: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        if stream is not None:
            check_name("stream", stream)
        return await search(
            self._database, entries, query, namespace=self._namespace, name=stream, top=top
        )

    async def clear(self, stream: str) -> None:
        """Numbers begin anew."""
        check_name("stream", stream)
        row = (streams.c.namespace == self._namespace) & (streams.c.stream == stream)

        def do(connection: sa.Connection, _: float) -> None:
            connection.execute(sa.delete(streams).where(row))
            connection.execute(sa.delete(entries).where(self._of(stream)))

        await self._database.write(do)

    async def close(self) -> None:
        """The store is closed by who opened it."""

    def _of(self, stream: str) -> sa.ColumnElement[bool]:
        return (entries.c.namespace == self._namespace) & (entries.c.name == stream)

    def _next_number(self, connection: sa.Connection, stream: str) -> int:
        row = {"namespace": self._namespace, "stream": stream, "next": 1}
        statement = insert(connection, streams).values(row)
        keys, more = [streams.c.namespace, streams.c.stream], {"next": streams.c.next + 1}
        counted = statement.on_conflict_do_update(index_elements=keys, set_=more)
        return int(connection.execute(counted.returning(streams.c.next)).scalar_one()) - 1


def drop_entries(
    connection: sa.Connection, retention: Retention, now_s: float, of: sa.ColumnElement[bool]
) -> int:
    """Those of one stream that are over its limits; how many. By numbers, which are given in
    order: so nothing is counted, however long the stream is."""
    newest = sa.select(sa.func.max(entries.c.number)).where(of).scalar_subquery()
    over: sa.ColumnElement[bool] = entries.c.number <= newest - retention.most
    if (oldest := retention.oldest(now_s)) is not None:
        over |= entries.c.at_s < oldest
    return connection.execute(sa.delete(entries).where(of, over)).rowcount


async def search(
    database: MemoryDatabase,
    table: sa.Table,
    query: str,
    *,
    namespace: str,
    name: str | None,
    top: int,
) -> list[Any]:
    """The values of a namespace, or of one name in it, that have all words of a query."""
    limit, words = check_count("top", top), asked_words(query)
    if not words or not limit:
        return []
    where = "t.namespace = :namespace" + ("" if name is None else " AND t.name = :name")
    statement = sa.text(database.full_text.ranked(table).format(where=where) + " LIMIT :top")
    given = {"query": database.full_text.query(words), "namespace": namespace, "top": limit}
    given |= {} if name is None else {"name": name}
    found = await database.read(lambda c, _: c.execute(statement, given).scalars().all())
    return [value_of(text, "what was found") for text in found]


__all__ = ["SqlStreams", "drop_entries", "search"]
