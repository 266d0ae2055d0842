"""The tables of memories, alike in an SQLite file and on Postgres; full_text.py has the indexes.

number: of an entry in its stream, from 0, never given twice, also when older ones are gone. at_s:
seconds since 1970. words follow their row: what is deleted is found no more.
"""

import sqlalchemy as sa

SCHEMA_VERSION = "1"
metadata = sa.MetaData()
_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
#: Ordered by code points everywhere, whatever a server's language is.
_NAME = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

facts = sa.Table(
    "zkagent_memory",
    metadata,
    sa.Column("name", _NAME, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
streams = sa.Table(
    "zkagent_memory_streams",
    metadata,
    sa.Column("namespace", _NAME, primary_key=True),
    sa.Column("stream", _NAME, primary_key=True),
    sa.Column("next", sa.BigInteger, nullable=False),
)
entries = sa.Table(
    "zkagent_memory_entries",
    metadata,
    sa.Column("id", _ID, primary_key=True, autoincrement=True),
    sa.Column("namespace", _NAME, nullable=False),
    sa.Column("name", _NAME, nullable=False),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("at_s", sa.Double, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.UniqueConstraint("namespace", "name", "number"),
    sa.Index("zkagent_memory_entries_age", "namespace", "name", "at_s"),
    sqlite_autoincrement=True,
)
values = sa.Table(
    "zkagent_memory_values",
    metadata,
    sa.Column("id", _ID, primary_key=True, autoincrement=True),
    sa.Column("namespace", _NAME, nullable=False),
    sa.Column("name", _NAME, nullable=False),
    sa.Column("key", _NAME, nullable=False),
    sa.Column("at_s", sa.Double, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.UniqueConstraint("namespace", "name", "key"),
    sa.Index("zkagent_memory_values_age", "namespace", "name", "at_s", "id"),
    sqlite_autoincrement=True,
)
#: Both have words.
SEARCHED = (entries, values)

__all__ = ["SCHEMA_VERSION", "SEARCHED", "entries", "facts", "metadata", "streams", "values"]
