"""Full text search by the database's own index: FTS5 in SQLite, tsvector on Postgres.

Both get words that words.py has made, of letters and digits alone, so that neither splits text
itself, and nothing that anybody wrote is read as a query's language. All words have to be there.
What has them more often, in less text, comes first (FTS5: BM25, which also weighs how rare a word
is; Postgres: ts_rank over 1 + log of the length); of equals, what was written last.
"""

from collections.abc import Sequence
from typing import Protocol

import sqlalchemy as sa

Row = tuple[str]  # a value's text


class FullText(Protocol):
    """table: one of tables.SEARCHED; its words go when its row goes."""

    def create(self, connection: sa.Connection, table: sa.Table) -> None: ...

    def put(
        self, connection: sa.Connection, table: sa.Table, row: int, words: Sequence[str]
    ) -> None:
        """Instead of those that the row had."""

    def ranked(self, table: sa.Table) -> str:
        """SQL that gives values by :query, best first, still to be limited; {where} is left."""

    def query(self, words: Sequence[str]) -> str: ...


class Fts5:
    def create(self, connection: sa.Connection, table: sa.Table) -> None:
        """The tokenizer takes all but ASCII's marks for letters, so words stay as they are."""
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {table.name}_words USING fts5("
            "words, tokenize='ascii', content='', contentless_delete=1)"
        )
        connection.exec_driver_sql(
            f"CREATE TRIGGER IF NOT EXISTS {table.name}_gone AFTER DELETE ON {table.name} "
            f"BEGIN DELETE FROM {table.name}_words WHERE rowid = old.id; END"
        )

    def put(
        self, connection: sa.Connection, table: sa.Table, row: int, words: Sequence[str]
    ) -> None:
        name = f"{table.name}_words"
        connection.execute(sa.text(f"DELETE FROM {name} WHERE rowid = :row"), {"row": row})
        connection.execute(
            sa.text(f"INSERT INTO {name} (rowid, words) VALUES (:row, :words)"),
            {"row": row, "words": " ".join(words)},
        )

    def ranked(self, table: sa.Table) -> str:
        name = f"{table.name}_words"
        return (
            f"SELECT t.value FROM {name} JOIN {table.name} t ON t.id = {name}.rowid "
            f"WHERE {name} MATCH :query AND {{where}} ORDER BY bm25({name}), t.id DESC"
        )

    def query(self, words: Sequence[str]) -> str:
        return " AND ".join(f'"{word}"' for word in words)


class TsVector:
    MOST_POSITIONS = 16_383  # that Postgres tells apart

    def create(self, connection: sa.Connection, table: sa.Table) -> None:
        connection.exec_driver_sql(
            f"CREATE TABLE IF NOT EXISTS {table.name}_words (id bigint PRIMARY KEY "
            f"REFERENCES {table.name} (id) ON DELETE CASCADE, words tsvector NOT NULL)"
        )
        connection.exec_driver_sql(
            f"CREATE INDEX IF NOT EXISTS {table.name}_words_index "
            f"ON {table.name}_words USING gin (words)"
        )

    def put(
        self, connection: sa.Connection, table: sa.Table, row: int, words: Sequence[str]
    ) -> None:
        places = ((word, min(n, self.MOST_POSITIONS)) for n, word in enumerate(words, 1))
        connection.execute(
            sa.text(
                f"INSERT INTO {table.name}_words (id, words) "
                "VALUES (:row, CAST(:words AS tsvector)) "
                "ON CONFLICT (id) DO UPDATE SET words = excluded.words"
            ),
            {"row": row, "words": " ".join(f"'{word}':{place}" for word, place in places)},
        )

    def ranked(self, table: sa.Table) -> str:
        return (
            f"SELECT t.value FROM {table.name}_words w JOIN {table.name} t ON t.id = w.id "
            "WHERE w.words @@ CAST(:query AS tsquery) AND {where} "
            "ORDER BY ts_rank(w.words, CAST(:query AS tsquery), 1) DESC, t.id DESC"
        )

    def query(self, words: Sequence[str]) -> str:
        return " & ".join(f"'{word}'" for word in words)


__all__ = ["Fts5", "FullText", "TsVector"]
