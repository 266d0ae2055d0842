"""One database for the service and its engine: an SQLite file, or Postgres by URL.

Both go through this file's engine, so that a request is recorded and handed to the queue in one
transaction. Transactions on SQLite take the write lock when they begin: the file has one writer,
and waiting at the start is the only order in which nobody fails half-way.

A file that was removed or replaced still takes writes, which nobody would ever find: each
transaction looks whether the file is still the one that was opened, before it begins, before it
commits, and once it is committed, and whether what SQLite keeps beside it, the log of changes and
its index, is still what it was (`open_file.py`). If not, nothing is committed any more, by the
engine neither, so that a removed log stays as it is, and can be saved: it is written once more
under its name (`removed_log.py`), as often as it takes.
"""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_dir
from sqlalchemy.dialects import postgresql, sqlite

from zkagent.circuits.support.cache import given_home, home_refused, platform_folder
from zkagent.models.mounts import MOUNTS, is_mounted
from zkagent.prover.service.errors import DatabaseLost, DatabaseMissing, DatabaseUnusable
from zkagent.prover.service.queue.address import read_address, shown_address
from zkagent.prover.service.queue.migration import READABLE, end_handles, migrate
from zkagent.prover.service.queue.open_file import OpenFile
from zkagent.prover.service.queue.removed_log import LogEmptied
from zkagent.prover.service.queue.tables import SCHEMA_VERSION, meta, metadata
from zkagent.prover.service.queue.trouble import trouble_of

log = logging.getLogger(__name__)

PATIENCE_S = 60.0
T = TypeVar("T")
FILE = "service.sqlite"
BUSY_TIMEOUT_MS = 30_000
SAVE_EVERY_S = 1.0  # a removed log that cannot be saved yet is tried so often at most
POOL_S = 10.0  # longest wait for one of the connections
#: A process that was stopped inside a transaction would keep its locks, and others from its proof.
ABANDONED_MS = 15_000
ENCODINGS = ("UTF8", "SQL_ASCII")  # of a server, that hold every text; the second, as bytes
TABLES_LOCK = 0x7A6B6167  # "zkag": whoever holds it in Postgres may create tables


def data_folder() -> Path:
    """$ZKAGENT_HOME/service, else the platform's data folder; made if needed, for us alone. Raises
    HomeRefused."""
    root = given_home() or platform_folder(user_data_dir)
    folder = root / "service"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        raise home_refused(root, exc) from exc
    return folder


class Database:
    """An open database. `url`: postgresql://..., sqlite:///PATH, or None for the usual file. new:
    whether it is made where there is none; else that raises DatabaseMissing. shown: its address,
    without secrets."""

    def __init__(self, url: str | None = None, *, new: bool = True) -> None:
        given = read_address(url) if url else _usual_address()
        self.shown = shown_address(given)
        self._new = new
        self.is_postgres = given.get_backend_name() == "postgresql"
        self._named = Path(str(given.database))  # which may be a link
        self.url = given if self.is_postgres else _real(given)
        self._file: OpenFile | None = None
        self._saving = threading.Lock()
        self._tried = -SAVE_EVERY_S
        self._kept = False
        self.engine = self.bare_engine

    @property
    def folder(self) -> Path:
        """Where leases and wake-up sockets lie: beside the file, or the user's data folder."""
        if self.is_postgres:
            return data_folder()
        return Path(str(self.url.database)).parent

    def prepare(self) -> None:
        """Create the tables, or bring those of an earlier version up. Raises DatabaseUnusable."""
        try:
            with self.write() as connection:
                self._prepare(connection)
            self.settle()
        except sa.exc.SQLAlchemyError as exc:
            raise DatabaseUnusable(self.shown, _reason(exc)) from exc

    def settle(self) -> None:
        """Move what the log of changes has into the file, as far as nobody is busy with it."""
        if not self.is_postgres:
            with self.read() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(passive)")

    def _prepare(self, connection: sa.Connection) -> None:
        if self.is_postgres:
            self._check_encoding(connection)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TABLES_LOCK)))
        if not self._new and not sa.inspect(connection).has_table(meta.name):
            raise DatabaseMissing(self.shown)
        meta.create(connection, checkfirst=True)
        insert_once(connection, meta, {"name": "schema", "value": str(SCHEMA_VERSION)})
        version = meta.c.name == "schema"
        found = connection.execute(sa.select(meta.c.value).where(version)).scalar_one()
        if found not in (*READABLE, str(SCHEMA_VERSION)):
            reason = (
                f"its tables have version {found}, this program reads "
                f"{', '.join((*READABLE, str(SCHEMA_VERSION)))}: use the zkagent that wrote it, or "
                "begin with another database"
            )
            raise DatabaseUnusable(self.shown, reason)
        if found != str(SCHEMA_VERSION):
            log.warning("bringing the database's tables from version %s up to date", found)
            migrate(connection, found, shared_clock(connection))
            connection.execute(sa.update(meta).where(version).values(value=str(SCHEMA_VERSION)))
        metadata.create_all(connection)
        end_handles(connection)

    def _check_encoding(self, connection: sa.Connection) -> None:
        """Raises DatabaseUnusable where some names and reasons could not be written down."""
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding not in ENCODINGS:
            remedy = "make one with ENCODING 'UTF8' TEMPLATE template0"
            reason = f"its encoding {encoding} does not hold every text: {remedy}"
            raise DatabaseUnusable(self.shown, reason)

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that may write. Raises DatabaseLost: then it may not have been kept."""
        self.check()
        try:
            with self.engine.connect() as connection:
                with connection.begin():
                    yield connection
                self._check_written()
        except DatabaseLost:
            self.check()
            raise

    def guard(self, engine: sa.Engine) -> None:
        """Have what another engine of this file commits, or begins beside it, looked at as well."""
        if self._file:
            sa.event.listen(engine, "do_connect", self._check_unchanged)
            sa.event.listen(engine, "commit", self._check_written)

    def _check_written(self, *_: object) -> None:
        if self._file:
            self._file.check_written()

    def check(self) -> None:
        """Raise DatabaseLost when the file is not the one that was opened, or its log is not; that
        is saved before, if it can be."""
        if self._file is None:
            return
        self._file.look()
        if self._file.is_lost and self._saving.acquire(blocking=False):
            try:
                self._save_log(self._file)
            finally:
                self._saving.release()
        self._file.check()

    def _save_log(self, file: OpenFile) -> None:
        """While nobody writes to it; whoever begins after that looks before it commits."""
        if not self._kept:
            self._kept = True
            _keep(self.engine)
        try:
            if not file.is_unsaved:
                file.unsaved = file.aside = None
            elif file.is_itself and time.monotonic() - self._tried >= SAVE_EVERY_S:
                self._try_to_save(file)
        except LogEmptied:
            file.give_up()
        except DatabaseLost:  # another connection is not begun; whoever is next may have one
            self._tried = -SAVE_EVERY_S
            _say_unsaved(file, "every connection is in use")
        except sa.exc.SQLAlchemyError as exc:
            _say_unsaved(file, trouble_of(exc).detail)
        except OSError as exc:
            _say_unsaved(file, f"{exc.strerror}")

    def _try_to_save(self, file: OpenFile) -> None:
        try:
            if not file.keep_overtaken_log():
                with self.engine.connect() as connection, connection.begin() as transaction:
                    file.save_log()
                    transaction.rollback()
        finally:
            self._tried = time.monotonic()

    @property
    def bare_engine(self) -> sa.Engine:
        """Another engine of the same database, for the queue's own use."""
        try:
            return self._postgres() if self.is_postgres else self._sqlite()
        except sa.exc.ArgumentError:  # which quotes it
            raise DatabaseUnusable(self.shown, "its query cannot be read") from None

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection for single reads, which hold nobody up. Raises DatabaseLost."""
        self.check()
        with self.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def close(self) -> None:
        """A file whose log was removed is left open until the process ends, see `_keep`."""
        with contextlib.suppress(DatabaseLost):
            self.check()
        if not self._kept:
            self.engine.dispose()
            if self._file:
                self._file.forget_beside()

    def now(self, connection: sa.Connection) -> float:
        """Seconds since 1970 by the clock that all workers share."""
        return shared_clock(connection)

    def _postgres(self) -> sa.Engine:
        options = {
            "connect_timeout": 10,
            "application_name": "zkagent",
            "options": f"-c idle_in_transaction_session_timeout={ABANDONED_MS}",
        }
        return sa.create_engine(
            self.url,
            connect_args=options,
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=20,
            pool_timeout=POOL_S,
            hide_parameters=True,  # inputs would be in the texts of errors
        )

    def _sqlite(self) -> sa.Engine:
        if not self.url.database or self.url.database == ":memory:":
            raise DatabaseUnusable(self.shown, "it must be a file")
        path = Path(self.url.database)
        try:
            if not self._new and path.parent.is_dir() and not path.exists():
                raise DatabaseMissing(self.shown)
            self._file = self._file or OpenFile(self._named.absolute(), path)
        except OSError as exc:
            raise DatabaseUnusable(self.shown, f"{exc.strerror}") from exc
        if other := other_name(path):
            raise DatabaseUnusable(self.shown, other)
        engine = sa.create_engine(
            self.url,
            connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
            pool_size=10,
            max_overflow=20,
            pool_timeout=POOL_S,
            hide_parameters=True,
        )
        self.guard(engine)
        sa.event.listen(engine, "connect", _open_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _check_unchanged(self, *_: object) -> None:
        """Raises DatabaseLost where another connection would begin another log beside the one that
        those that are open still have, and that could then not be saved."""
        if self._file:
            self._file.check_beside()


def _usual_address() -> sa.URL:
    """Of any path, also one with what means something else in an address."""
    return sa.URL.create("sqlite", database=str(data_folder() / FILE))


def _real(url: sa.URL) -> sa.URL:
    """Of a file by its own name, so that all who reach it through links find the same beside it.
    Raises DatabaseUnusable."""
    if url.database in (None, "", ":memory:"):
        return url
    try:
        return url.set(database=str(Path(str(url.database)).resolve()))
    except (OSError, RuntimeError) as exc:  # links that lead to each other
        raise DatabaseUnusable(shown_address(url), "its links lead in a circle") from exc


def other_name(path: Path, mounts: Path = MOUNTS) -> str:
    """Why others may know a file by another name, beside which they would keep another log of its
    changes; empty if nothing says so."""
    if (count := path.stat().st_nlink) > 1:
        return f"it has {count} names (hard links): remove all but one"
    if is_mounted(path, mounts):
        return "the file is mounted by itself: mount the folder that it lies in"
    return ""


def shared_clock(connection: sa.Connection) -> float:
    """Seconds since 1970 by the clock that all processes share: this machine's beside a file, else
    the server's, since those of several machines differ."""
    if connection.dialect.name != "postgresql":
        return time.time()
    query = sa.select(sa.func.extract("epoch", sa.func.clock_timestamp()))
    return float(connection.execute(query).scalar_one())


def patiently(action: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """Repeat a transaction that the database refuses for the moment; each reason is logged once.
    Raises what does not end."""
    deadline = time.monotonic() + patience_s
    wait_s = 0.05
    said: set[str] = set()
    while True:
        try:
            return action()
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, DatabaseLost) as exc:
            if time.monotonic() > deadline or _stays(exc):
                raise
            if (why := trouble_of(exc).detail) not in said:
                log.warning("the database refused, trying again: %s", why)
                said.add(why)
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, 2.0)


def _stays(exc: Exception) -> bool:
    """Whether it would be refused however long anybody waits."""
    lost = isinstance(exc, DatabaseLost) and not exc.can_return
    return lost or isinstance(exc, sa.exc.IntegrityError)


def insert_once(connection: sa.Connection, table: sa.Table, row: dict[str, Any]) -> bool:
    """Insert unless the primary key is there; whether it was inserted."""
    statement = _insert(connection, table).values(row).on_conflict_do_nothing()
    # Counting rows would not do: drivers do not agree on what an insert counts.
    return connection.execute(statement.returning(sa.literal(1))).first() is not None


def add(connection: sa.Connection, table: sa.Table, row: dict[str, Any], column: str) -> None:
    """Insert, or add to `column` of the row with the same primary key."""
    statement = _insert(connection, table).values(row)
    keys = [key.name for key in table.primary_key]
    total = table.c[column] + statement.excluded[column]
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_={column: total}))


def raise_to(connection: sa.Connection, table: sa.Table, row: dict[str, Any], column: str) -> None:
    """Insert, or write the row over the one with the same primary key if that has less in
    `column`."""
    statement = _insert(connection, table).values(row)
    keys = [key.name for key in table.primary_key]
    new = {name: statement.excluded[name] for name in row if name not in keys}
    more = {"set_": new, "where": new[column] > table.c[column]}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, **more))


def _insert(connection: sa.Connection, table: sa.Table) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)


def _open_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions begin where we say, see _begin_sqlite
    for pragma in ("journal_mode=wal", "synchronous=full", "foreign_keys=on"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


def _begin_sqlite(connection: sa.Connection) -> None:
    if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _keep(engine: sa.Engine) -> None:
    """Open, until the process ends: whoever closes a file as the last one has SQLite move the log
    into it, which leaves it damaged where the log is gone and there is no room."""
    wait = threading.Event().wait
    threading.Thread(
        target=lambda _: wait(), args=(engine,), name="lost database", daemon=True
    ).start()


def _say_unsaved(file: OpenFile, why: str) -> None:
    """Written down once for as long as it fails in the same way."""
    if why != file.unsaved:
        log.error("what the log held when it was removed is not saved yet: %s", why)
    file.unsaved = why


def _reason(exc: Exception) -> str:
    return str(exc).splitlines()[0][:200]


__all__ = ["PATIENCE_S", "Database", "add", "data_folder", "insert_once", "patiently", "raise_to"]
__all__ += ["shared_clock"]
