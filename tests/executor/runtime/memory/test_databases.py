"""What databases may do to a store: lie, be of another version, be gone; and what of it is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.executor.runtime.memory.stage import done
from tests.support.fleet import emptied
from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.encrypted import encrypted_engine, read_key
from zkagent.executor.runtime.memory.postgres import open_postgres
from zkagent.executor.runtime.memory.sqlite import open_sqlite
from zkagent.executor.runtime.memory.store import Store


class Place:
    """A database, with a store in it, and a way around the store."""

    def __init__(self, engine: sa.Engine, opened: Callable[[], Store]) -> None:
        self.engine, self.opened = engine, opened
        self.stores: list[Store] = []

    def open(self) -> Store:
        self.stores.append(self.opened())
        return self.stores[-1]

    def execute(self, statement: str) -> list[Any]:
        with self.engine.begin() as connection:
            found = connection.exec_driver_sql(statement)
            return list(found) if found.returns_rows else []

    def close(self) -> None:
        done(*(store.close() for store in self.stores))
        self.engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path, key_file: Path) -> Any:
    if request.param == "sqlite":
        path = tmp_path / "agent.db"
        engine = encrypted_engine(path, read_key(key_file))
        made = Place(engine, lambda: open_sqlite(path, key_file=key_file))
    else:
        url = emptied(request.getfixturevalue("postgres_url"))
        engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        made = Place(engine, lambda: open_postgres(url))
    made.open()
    yield made
    made.execute("UPDATE zkagent_memory SET value = '1'")
    made.close()


@pytest.mark.parametrize("text", ["no JSON", "NaN", '{"a": 1, "a": 2}', "[" * 40 + "]" * 40])
def test_a_value_that_somebody_changed_in_the_database_is_no_value(place: Place, text: str) -> None:
    store = place.open()
    done(store.streams().append("notes", "loan"), store.collections().write("facts", "a", "loan"))
    for table in ("entries", "values"):
        place.execute(f"UPDATE zkagent_memory_{table} SET value = '{text}'")
    notes, facts = store.streams(), store.collections()
    for refused in (notes.read("notes"), notes.search("loan"), facts.read("facts", "a")):
        with pytest.raises(MemoryFault, match="is not what was written"):
            done(refused)


def test_tables_of_another_version_are_refused(place: Place) -> None:
    place.execute("UPDATE zkagent_memory SET value = '2'")
    with pytest.raises(MemoryFault, match=r"has tables of version '2', this program reads 1"):
        place.open()


def test_words_go_with_their_entries(place: Place) -> None:
    """Nothing that was cleared is left to be found."""
    store = place.open()
    notes, facts = store.streams(), store.collections()
    done(notes.append("notes", "loan"), facts.write("facts", "a", "loan"))
    count = "SELECT count(*) FROM zkagent_memory_{}_words"
    assert [place.execute(count.format(name)) for name in ("entries", "values")] == [[(1,)], [(1,)]]
    done(notes.clear("notes"), facts.clear("facts"))
    assert [place.execute(count.format(name)) for name in ("entries", "values")] == [[(0,)], [(0,)]]


def test_no_fault_says_what_was_written(place: Place) -> None:
    store = place.open()
    place.execute("DROP TABLE zkagent_memory_entries_words")
    with pytest.raises(MemoryFault) as caught:
        done(store.streams().append("notes", "hunter2"))
    assert "hunter2" not in str(caught.value)
    assert "INSERT" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    place.execute("DROP TABLE zkagent_memory_entries")
    place.open()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://me:hunter2@127.0.0.1:1/none", "does not answer"),
        ("postgresql://me:hunter2@127.0.0.1:1/none?options=x", "leave `options` out"),
        ("postgresql://me:hunt@er2@127.0.0.1:1/none", "write @"),
        ("mysql://me:hunter2@127.0.0.1/none", "expected postgresql"),
        ("sqlite:////tmp/none", "is no Postgres"),
        ("", "expected postgresql"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_without_its_password(
    url: str, words: str
) -> None:
    with pytest.raises(MemoryFault, match=words) as caught:
        open_postgres(url)
    assert "hunt" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_on_postgres_values_are_readable_as_the_documentation_says(postgres_url: str) -> None:
    """docs/memory.md: whoever reads the database reads the memories."""
    store = open_postgres(emptied(postgres_url))
    done(store.streams("alice").append("notes", "a loan"), store.close())
    engine = sa.create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "SELECT namespace, name, value FROM zkagent_memory_entries"
        )
        assert list(found) == [("alice", "notes", '"a loan"')]
    engine.dispose()
