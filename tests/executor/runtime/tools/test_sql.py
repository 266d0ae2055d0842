"""SQL: reading only reads, one statement at a time; writing happens once for each call."""

import sqlite3
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.support.fleet import postgres
from tests.support.tool_calls import call
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolInputRefused
from zkagent.executor.runtime.tools.sql import (
    SqlLimits,
    open_sql,
    sql_execute,
    sql_query,
    sql_statement,
)

LIMITS = SqlLimits(rows=3, output_bytes=2000)
MADE = (
    "DROP TABLE IF EXISTS zkagent_calls",
    "DROP TABLE IF EXISTS notes",
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
    "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
)


@dataclass
class Stage:
    """A database with two notes; `all` looks past the tools."""

    url: str
    limits: SqlLimits = LIMITS

    def __post_init__(self) -> None:
        self.engine = sa.create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
        with self.engine.begin() as connection:
            for statement in MADE:
                connection.exec_driver_sql(statement)

    def query(self, query: str, /, **parameters: Any) -> Any:
        tool = sql_query(open_sql(self.url, limits=self.limits))
        return call(tool, {"query": query, "parameters": parameters}).output

    def execute(self, statement: str, /, key: str = "k", **parameters: Any) -> Any:
        tool = sql_execute(open_sql(self.url, writable=True, limits=LIMITS))
        return call(tool, {"statement": statement, "parameters": parameters}, key=key).output

    @property
    def all(self) -> list[tuple[Any, ...]]:
        with self.engine.connect() as connection:
            found = connection.exec_driver_sql("SELECT id, text FROM notes ORDER BY id")
            return [tuple(row) for row in found]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def on_postgres(postgres_url: str) -> Iterator[Stage]:
    found = Stage(postgres_url)
    yield found
    found.engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    if request.param == "postgres":
        found = Stage(request.getfixturevalue("postgres_url"))
    else:
        sqlite3.connect(tmp_path / "notes.sqlite").close()
        found = Stage(f"sqlite:///{tmp_path}/notes.sqlite")
    yield found
    found.engine.dispose()


def test_a_query_with_parameters_is_answered(stage: Stage) -> None:
    found = stage.query("SELECT id, text FROM notes WHERE text = :text", text="two")
    assert found == {"columns": ["id", "text"], "rows": [[2, "two"]], "more": False}


def test_a_parameter_is_a_value_whatever_it_says(stage: Stage) -> None:
    text = "x'; DROP TABLE notes; --"
    assert stage.query("SELECT :text AS said", text=text)["rows"] == [[text]]
    assert len(stage.all) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM notes",
        "UPDATE notes SET text = 'x'",
        "INSERT INTO notes VALUES (3, 'three')",
        "CREATE TABLE more (id INTEGER)",
        "DROP TABLE notes",
        "WITH gone AS (DELETE FROM notes RETURNING id) SELECT * FROM gone",
        "SELECT 1; DELETE FROM notes",
        "SELECT 1; COMMIT; DELETE FROM notes",
        "COMMIT; DELETE FROM notes",
        "PRAGMA query_only = OFF",
        "SET default_transaction_read_only = off",
        "SET TRANSACTION READ WRITE",
        "ATTACH 'other.sqlite' AS other",
        "COPY notes TO PROGRAM 'touch /tmp/zkagent-was-here'",
        "SELECT 1 INTO more",
        "EXPLAIN ANALYZE DELETE FROM notes",
        "SELECT load_extension('x')",
        "SELECT 'a' REGEXP 'a'",
        "VACUUM",
        "BEGIN",
        "",
        "no SQL",
        "SELECT 1\0",
    ],
)
def test_reading_does_nothing_else(stage: Stage, statement: str) -> None:
    with pytest.raises((ToolInputRefused, ToolFault)):
        stage.query(statement)
    assert stage.all == [(1, "one"), (2, "two")]
    assert not Path("/tmp/zkagent-was-here").exists()


@pytest.mark.parametrize("parameters", [{}, {"other": 1}, {"a": 10**400}])
def test_parameters_that_do_not_fit_are_refused(stage: Stage, parameters: dict[str, Any]) -> None:
    with pytest.raises((ToolInputRefused, ToolFault)):
        stage.query("SELECT CAST(:a AS INTEGER) AS a", **parameters)


def test_more_rows_than_anybody_reads_are_left_out_and_it_is_said(stage: Stage) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
    for count, more in ((3, False), (4, True)):
        found = stage.query(numbers.format(count) + "SELECT i FROM n")
        assert (found["rows"], found["more"]) == ([[1], [2], [3]], more)


@pytest.mark.parametrize("rows", [3, 200])
def test_of_thousands_of_rows_no_more_than_the_limit_and_one_are_read(
    stage: Stage, rows: int
) -> None:
    """All of them are more bytes than are given."""
    stage.limits = SqlLimits(rows=rows, output_bytes=10_000)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
    found = stage.query(endless + "SELECT i, 'some more text' FROM n")
    assert ([row[0] for row in found["rows"]], found["more"]) == ([*range(1, rows + 1)], True)


def test_rows_that_are_too_long_are_a_fault(stage: Stage) -> None:
    stage.query("SELECT :a AS a", a="x" * 1000)
    with pytest.raises((ToolFault, ToolInputRefused)):
        stage.query("SELECT CAST(:a AS TEXT) || CAST(:a AS TEXT) AS a", a="x" * 1000)


def test_a_query_without_end_is_ended(stage: Stage) -> None:
    stage.limits = replace(LIMITS, seconds=1.0)
    began = time.monotonic()
    with pytest.raises(ToolFault, match="more than 1 s"):
        stage.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        )
    assert time.monotonic() - began < 60


def test_values_that_json_has_not_are_shown(stage: Stage) -> None:
    stage.execute("UPDATE notes SET text = NULL WHERE id = 1")
    assert stage.query("SELECT text FROM notes WHERE id = 1")["rows"] == [[None]]


def test_a_statement_is_carried_out_once_for_each_call(stage: Stage) -> None:
    more = "INSERT INTO notes VALUES ((SELECT max(id) + 1 FROM notes), :text)"
    first = stage.execute(more, key="a", text="three")
    assert stage.execute(more, key="a", text="three") == first == {
        "columns": [], "rows": [], "more": False, "changed": 1
    }  # fmt: skip
    assert stage.all[2:] == [(3, "three")]
    stage.execute(more, key="b", text="four")
    assert stage.all[3:] == [(4, "four")]


@pytest.mark.parametrize("keys", [("a", "a", "a"), ("a", "b", "c")])
def test_calls_at_one_time_are_each_carried_out_once(on_postgres: Stage, keys: Any) -> None:
    """Also the first ones, which make the table of calls."""
    stage = on_postgres
    slow = "INSERT INTO notes SELECT 3 + (random() * 1e6)::int, 'more' FROM pg_sleep(0.3)"
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda key: stage.execute(slow, key=key), keys))
    assert [each["changed"] for each in found] == [1, 1, 1]
    assert len(stage.all) == 2 + len(set(keys))


def test_a_role_that_makes_no_tables_writes_where_there_is_one_for_calls(
    on_postgres: Stage,
) -> None:
    stage = on_postgres
    stage.execute("UPDATE notes SET text = text", key="a")
    with stage.engine.begin() as connection:
        for statement in (
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            "CREATE ROLE clerk LOGIN",
            "GRANT SELECT, INSERT, UPDATE ON notes, zkagent_calls TO clerk",
        ):
            connection.exec_driver_sql(statement)
    database = open_sql(stage.url.replace("zkagent@", "clerk@"), writable=True)
    rename = {"statement": "UPDATE notes SET text = 'uno' WHERE id = 1"}
    assert call(sql_execute(database), rename, key="b").ok
    assert stage.all == [(1, "uno"), (2, "two")]


def test_what_fails_changes_nothing_and_may_be_done_again(stage: Stage) -> None:
    with pytest.raises(ToolInputRefused, match=r"(?i)unique"):
        stage.execute("INSERT INTO notes VALUES (3, 'three'), (1, 'again')", key="a")
    assert len(stage.all) == 2
    stage.execute("INSERT INTO notes VALUES (3, 'three')", key="a")
    assert len(stage.all) == 3


def test_writing_is_one_statement(stage: Stage) -> None:
    with pytest.raises(ToolInputRefused):
        stage.execute("UPDATE notes SET text = 'x'; DROP TABLE notes")
    assert stage.all == [(1, "one"), (2, "two")]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE notes",
        "DELETE FROM zkagent_calls",
        "UPDATE zkagent_calls SET key = 'x'",
        "ATTACH 'other.sqlite' AS other",
        "PRAGMA writable_schema = ON",
        "COMMIT",
        "SAVEPOINT a",
    ],
)
def test_in_sqlite_writing_changes_rows_and_nothing_else(tmp_path: Path, statement: str) -> None:
    sqlite3.connect(tmp_path / "notes.sqlite").close()
    stage = Stage(f"sqlite:///{tmp_path}/notes.sqlite")
    stage.execute("UPDATE notes SET text = text")
    with pytest.raises(ToolInputRefused, match="not authorized"):
        stage.execute(statement, key="b")
    assert stage.all == [(1, "one"), (2, "two")]


def test_a_database_for_reading_is_not_written(stage: Stage) -> None:
    tool = sql_execute(open_sql(stage.url))
    with pytest.raises(ToolFault, match="for reading"):
        call(tool, {"statement": "DELETE FROM notes"})
    assert (tool.destructive, sql_query(open_sql(stage.url)).destructive) == (True, False)


def test_of_a_statement_of_the_hosts_a_planner_chooses_the_parameters_alone(stage: Stage) -> None:
    database = open_sql(stage.url, writable=True)
    say = "UPDATE notes SET text = :text WHERE id = :id"
    fields: dict[str, Any] = {"id": {"type": "integer"}, "text": {"type": "string", "maxLength": 5}}
    tool = sql_statement(database, "rename", "Rename a note.", say, fields, writes=True)
    assert call(tool, {"id": 1, "text": "uno"}).output["changed"] == 1  # type: ignore[index, call-overload]
    for given in ({"id": 1}, {"id": 1, "text": "too long"}, {"id": 1, "text": "a", "query": "x"}):
        with pytest.raises(ToolInputRefused):
            call(tool, given)
    assert stage.all == [(1, "uno"), (2, "two")]


@pytest.mark.parametrize("url", ["", "sqlite:///none/there.sqlite", "sqlite://", "mysql://h/x"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(AgentConfigRefused):
        open_sql(url)


def test_where_no_database_answers_no_password_is_told() -> None:
    tool = sql_query(open_sql("postgresql://user:hunter2@127.0.0.1:9/x"))
    with pytest.raises(ToolFault, match="cannot be reached") as fault:
        call(tool, {"query": "SELECT 1"})
    assert "hunter2" not in "".join(traceback.format_exception(fault.value))
