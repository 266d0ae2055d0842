"""Collections of values by key, in a database that speaks SQL."""

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.memory.database import MemoryDatabase, insert
from zkagent.executor.runtime.memory.json_text import (
    check_count,
    check_name,
    matches,
    text_of,
    value_of,
)
from zkagent.executor.runtime.memory.retention import Retention
from zkagent.executor.runtime.memory.sql_streams import search
from zkagent.executor.runtime.memory.tables import values
from zkagent.executor.runtime.memory.words import words_of

AT_ONCE = 500  # rows of a query that are held at a time


class SqlCollections:
    """A DatabaseClient."""

    def __init__(self, database: MemoryDatabase, namespace: str) -> None:
        self._database = database
        self._namespace = namespace

    async def write(self, collection: str, key: str, value: Json) -> None:
        check_name("collection", collection)
        check_name("key", key)
        text = text_of(value)
        words = words_of(value_of(text, collection))

        def do(connection: sa.Connection, now_s: float) -> None:
            row_id = self._put(connection, collection, key, text, now_s)
            self._database.full_text.put(connection, values, row_id, words)
            limits, of = self._database.limits, self._of(collection)
            if collection not in limits.kept:
                drop_values(connection, limits.collections, now_s, of, row_id)
            elif _count(connection, of, limits.collections.most + 1) > limits.collections.most:
                raise MemoryFault(f"the collection {collection} is full: give it a higher most")

        await self._database.write(do)

    async def read(self, collection: str, key: str) -> Json:
        check_name("collection", collection)
        check_name("key", key)
        wanted = sa.select(values.c.value).where(self._of(collection), values.c.key == key)
        text = await self._database.read(lambda c, _: c.execute(wanted).scalar_one_or_none())
        return None if text is None else value_of(text, f"a value of {collection}")

    async def query(
        self, collection: str, where: Mapping[str, Json], *, top: int | None = None
    ) -> Sequence[Json]:
        """Looks at the collection's values one by one, in the order of their keys."""
        check_name("collection", collection)
        limit = None if top is None else check_count("top", top)
        wanted = sa.select(values.c.value).where(self._of(collection)).order_by(values.c.key)

        def do(connection: sa.Connection, _: float) -> list[Any]:
            with connection.execution_options(yield_per=AT_ONCE).execute(wanted) as found:
                read = (value_of(text, f"a value of {collection}") for text in found.scalars())
                return list(islice((value for value in read if matches(value, where)), limit))

        return await self._database.read(do)

    async def search(
        self, text: str, *, collection: str | None = None, top: int = 10
    ) -> Sequence[Json]:
        if collection is not None:
            check_name("collection", collection)
        return await search(
            self._database, values, text, namespace=self._namespace, name=collection, top=top
        )

    async def clear(self, collection: str, key: str | None = None) -> None:
        check_name("collection", collection)
        over = sa.delete(values).where(self._of(collection))
        if key is not None:
            over = over.where(values.c.key == check_name("key", key))
        await self._database.write(lambda c, _: c.execute(over).rowcount)

    async def close(self) -> None:
        """The store is closed by who opened it."""

    def _of(self, collection: str) -> sa.ColumnElement[bool]:
        return (values.c.namespace == self._namespace) & (values.c.name == collection)

    def _put(
        self, connection: sa.Connection, collection: str, key: str, text: str, now_s: float
    ) -> int:
        names = {"namespace": self._namespace, "name": collection, "key": key}
        latest = sa.select(sa.func.max(values.c.at_s)).where(self._of(collection))
        # After all that was written before, whatever clocks say that differ or go back.
        before_s = connection.execute(latest).scalar_one()
        at_s = now_s if before_s is None else max(now_s, math.nextafter(before_s, math.inf))
        new = {"at_s": at_s, "value": text}
        statement = insert(connection, values).values(names | new)
        written = statement.on_conflict_do_update(index_elements=list(names), set_=new)
        return int(connection.execute(written.returning(values.c.id)).scalar_one())


def drop_values(
    connection: sa.Connection,
    retention: Retention,
    now_s: float,
    of: sa.ColumnElement[bool],
    written: int | None = None,
) -> int:
    """Those of one collection that are over its limits; how many. written: the id of the one that
    was just written, which stays."""
    most = retention.most
    if written is not None:
        of, most = of & (values.c.id != written), most - 1
    newest = sa.select(values.c.id).where(of).order_by(values.c.at_s.desc(), values.c.id.desc())
    over: sa.ColumnElement[bool] = values.c.id.in_(newest.offset(most))
    if (oldest := retention.oldest(now_s)) is not None:
        over |= values.c.at_s < oldest
    return connection.execute(sa.delete(values).where(of, over)).rowcount


def _count(connection: sa.Connection, of: sa.ColumnElement[bool], most: int) -> int:
    some = sa.select(values.c.id).where(of).limit(most).subquery()
    return int(connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())


__all__ = ["SqlCollections", "drop_values"]
