"""Databases as agents may use them: the database itself sees to it that reading only reads.

SQLite: the file is opened for reading only, and an authorizer refuses whatever is no part of a
query. Postgres: one statement by a cursor, which takes queries only, in a transaction that is read
only. What a Postgres role may read and call beyond that (files, other servers) is for whoever
grants its rights: give agents a role of their own.

Writing is told by the call's key, in the table zkagent_calls and the same transaction: a second
time gives what the first one gave, and changes nothing.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolInputRefused
from zkagent.executor.runtime.tools.sql_rows import Rows, SqlLimits, rows_of
from zkagent.prover.service.errors import DatabaseUnusable
from zkagent.prover.service.queue.address import read_address

CALLS = "zkagent_calls"
MAKE_CALLS = f"CREATE TABLE IF NOT EXISTS {CALLS} (key TEXT PRIMARY KEY, output TEXT NOT NULL)"
SEEN = sa.text(f"SELECT output FROM {CALLS} WHERE key = :key")
NOTE = sa.text(f"INSERT INTO {CALLS} (key, output) VALUES (:key, :output)")
#: In Postgres: who comes with the same text waits until the other's transaction has ended.
ALONE = sa.text("SELECT pg_advisory_xact_lock(hashtextextended('zkagent ' || :text, 0))")
HAS_CALLS = sa.text(f"SELECT to_regclass('{CALLS}') IS NOT NULL")
Parameters = Mapping[str, Any]
USUAL = SqlLimits()


class SqlDatabase(Protocol):
    """Both raise ToolInputRefused for what the database does not take, else ToolFault."""

    def read(self, query: str, parameters: Parameters) -> Rows: ...

    def write(self, statement: str, parameters: Parameters, key: str) -> Rows:
        """Once for each key."""


def open_sql(url: str, *, writable: bool = False, limits: SqlLimits = USUAL) -> SqlDatabase:
    """url: sqlite:///PATH of a file that is there, or postgresql://USER:PASSWORD@HOST/NAME. Raises
    AgentConfigRefused, which shows neither user nor password."""
    try:
        address = read_address(url)
    except DatabaseUnusable as exc:
        raise AgentConfigRefused(str(exc)) from None
    if address.get_backend_name() == "sqlite":
        return SqliteDatabase(Path(address.database or ""), writable, limits)
    return PostgresDatabase(address, writable, limits)


class Guard:
    """SQLite's authorizer: what a planner's statement may do. Ours may do anything."""

    READS = frozenset(
        (
            sqlite3.SQLITE_SELECT,
            sqlite3.SQLITE_READ,
            sqlite3.SQLITE_FUNCTION,
            sqlite3.SQLITE_RECURSIVE,
        )
    )
    WRITES = frozenset((sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE))
    #: They load code, or take for ever where nothing can interrupt them.
    FUNCTIONS = frozenset(("load_extension", "regexp", "fts3_tokenizer", "readfile", "writefile"))
    OURS = frozenset((CALLS, "sqlite_master", "sqlite_schema", "sqlite_temp_master"))

    def __init__(self) -> None:
        self.allowed: frozenset[int] | None = None

    def __call__(self, action: int, first: str | None, second: str | None, *_: Any) -> int:
        if self.allowed is None:
            return sqlite3.SQLITE_OK
        if action not in self.allowed:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION:
            denied = (second or "").lower() in self.FUNCTIONS
        elif action in self.WRITES:
            denied = (first or "").lower() in self.OURS
        else:
            denied = (first or "").lower() == CALLS
        return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK

    @contextlib.contextmanager
    def strangers(self, allowed: frozenset[int]) -> Iterator[None]:
        self.allowed = allowed
        try:
            yield
        finally:
            self.allowed = None


@dataclass(frozen=True)
class SqliteDatabase:
    path: Path
    writable: bool
    limits: SqlLimits

    def __post_init__(self) -> None:
        if not self.path.is_file():
            raise AgentConfigRefused(f"there is no SQLite file {self.path}: make it first")

    def read(self, query: str, parameters: Parameters) -> Rows:
        with self._opened("ro") as (connection, guard), guard.strangers(Guard.READS):
            return rows_of(connection.execute(_text(query), dict(parameters)), self.limits)

    def write(self, statement: str, parameters: Parameters, key: str) -> Rows:
        _check_writable(self.writable)
        with self._opened("rw") as (connection, guard):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                connection.exec_driver_sql(MAKE_CALLS)
                with _once(connection, key) as noted:
                    if noted.rows is None:
                        with guard.strangers(Guard.READS | Guard.WRITES):
                            found = connection.execute(_text(statement), dict(parameters))
                            noted.rows = rows_of(found, self.limits)
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")
        return noted.kept

    @contextlib.contextmanager
    def _opened(self, mode: str) -> Iterator[tuple[sa.Connection, Guard]]:
        guard, until = Guard(), time.monotonic() + self.limits.seconds

        def opened() -> sqlite3.Connection:
            found = sqlite3.connect(
                f"file:{quote(str(self.path.absolute()))}?mode={mode}",
                uri=True,
                isolation_level=None,
                timeout=self.limits.seconds,
                check_same_thread=False,
            )
            found.execute("PRAGMA trusted_schema = OFF")
            found.execute(f"PRAGMA query_only = {'ON' if mode == 'ro' else 'OFF'}")
            found.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self.limits.output_bytes)
            found.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            found.set_authorizer(guard)
            found.set_progress_handler(lambda: time.monotonic() > until, 10_000)
            return found

        engine = sa.create_engine(
            "sqlite://", creator=opened, poolclass=NullPool, hide_parameters=True
        )
        with _translated(self.limits), engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection, guard


@dataclass(frozen=True)
class PostgresDatabase:
    address: sa.URL
    writable: bool
    limits: SqlLimits

    def read(self, query: str, parameters: Parameters) -> Rows:
        streaming = {"postgresql_readonly": True, "stream_results": True, "max_row_buffer": 20}
        with self._opened(read_only=True) as connection:
            connection.execution_options(**streaming)
            with connection.begin():
                return rows_of(connection.execute(_text(query), dict(parameters)), self.limits)

    def write(self, statement: str, parameters: Parameters, key: str) -> Rows:
        _check_writable(self.writable)
        with (
            self._opened(read_only=False) as connection,
            connection.begin(),
            self._alone(connection, key),
            _once(connection, key) as noted,
        ):
            if noted.rows is None:
                found = connection.execute(_text(statement), dict(parameters))
                noted.rows = rows_of(found, self.limits)
        return noted.kept

    @contextlib.contextmanager
    def _alone(self, connection: sa.Connection, key: str) -> Iterator[None]:
        """With this key, and with the table of calls, which a role may use that makes none."""
        connection.execute(ALONE, {"text": f"call {key}"})
        if not connection.execute(HAS_CALLS).scalar_one():
            connection.execute(ALONE, {"text": CALLS})  # two cannot make it at once
            connection.exec_driver_sql(MAKE_CALLS)
        yield

    @contextlib.contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[sa.Connection]:
        waits_ms = int(self.limits.seconds * 1000)
        options = {
            "statement_timeout": waits_ms,
            "lock_timeout": waits_ms,
            "idle_in_transaction_session_timeout": 2 * waits_ms,
            "default_transaction_read_only": "on" if read_only else "off",
        }
        connect: dict[str, Any] = {
            "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
            "connect_timeout": max(2, int(self.limits.seconds)),
            "prepare_threshold": 0,  # what is prepared is one statement
            "application_name": "zkagent",
        }
        engine = sa.create_engine(
            self.address, connect_args=connect, poolclass=NullPool, hide_parameters=True
        )
        with _translated(self.limits), engine.connect() as connection:
            yield connection


@dataclass
class _Noted:
    """rows: what a call of this key gave; None if there was none, until there is."""

    rows: Rows | None = None

    @property
    def kept(self) -> Rows:
        assert self.rows is not None
        return self.rows


@contextlib.contextmanager
def _once(connection: sa.Connection, key: str) -> Iterator[_Noted]:
    """Within a transaction: what the key's call gave, or whatever is put there and kept now."""
    before = connection.execute(SEEN, {"key": key}).scalar_one_or_none()
    noted = _Noted(Rows.from_json(json.loads(before)) if before is not None else None)
    yield noted
    if before is None:
        connection.execute(NOTE, {"key": key, "output": json.dumps(noted.kept.to_json())})


def _text(statement: str) -> sa.TextClause:
    if "\0" in statement:
        raise ToolInputRefused("the statement has a zero in it", path="query")
    return sa.text(statement)


def _check_writable(writable: bool) -> None:
    if not writable:
        raise ToolFault("this database is for reading: open_sql(writable=True)")


@contextlib.contextmanager
def _translated(limits: SqlLimits) -> Iterator[None]:
    """Errors of databases say nothing of where they are, nor of parameters."""
    try:
        yield
    except (sa.exc.OperationalError, sa.exc.InternalError) as exc:
        why = in_line(str(exc.orig).split("\n", maxsplit=1)[0], 300)
        if "interrupted" in why or "timeout" in why:
            raise ToolFault(f"the statement took more than {limits.seconds:g} s") from None
        if isinstance(exc.orig, sqlite3.Error) and "locked" not in why and "busy" not in why:
            raise ToolInputRefused(f"the database refuses: {why}", path="query") from None
        again = isinstance(exc.orig, sqlite3.Error) or exc.connection_invalidated
        raise ToolFault(f"the database failed: {_unnamed(why)}", retriable=again) from None
    except sa.exc.DBAPIError as exc:
        why = in_line(str(exc.orig).split("\n", maxsplit=1)[0], 300)
        raise ToolInputRefused(f"the database refuses: {why}", path="query") from None
    except (sa.exc.SQLAlchemyError, OverflowError, sqlite3.Error) as exc:
        why = in_line(str(getattr(exc, "orig", None) or exc).split("\n", maxsplit=1)[0], 300)
        raise ToolInputRefused(f"the statement cannot be used: {why}", path="query") from None


def _unnamed(why: str) -> str:
    """Connection errors name host, user and database."""
    return "it cannot be reached" if "connect" in why else why


__all__ = ["PostgresDatabase", "SqlDatabase", "SqliteDatabase", "open_sql"]
