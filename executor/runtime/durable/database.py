"""Where runs are kept: one encrypted file, or Postgres by its address.

The file's key is the one that is named, else $ZKAGENT_RUNTIME_KEY, else a file in the user's own
configuration, which is made with the first file. On Postgres nothing is encrypted by us; the key
is needed all the same, for the hashes by which changes show.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from platformdirs import user_config_dir, user_data_dir

from zkagent.circuits.support.cache import given_home, home_refused, platform_folder
from zkagent.executor.runtime.core.errors import JournalFault
from zkagent.executor.runtime.durable.seals import Seals
from zkagent.executor.runtime.durable.tables import SCHEMA_VERSION, facts, metadata
from zkagent.prover.durable.encrypted import (
    READS,
    encrypted_engine,
    new_key,
    read_key,
    reading_engine,
)
from zkagent.prover.durable.errors import FileLocked
from zkagent.prover.service.errors import DatabaseUnusable
from zkagent.prover.service.queue.address import read_address, shown_address
from zkagent.prover.service.queue.database import insert_once, patiently, shared_clock
from zkagent.prover.service.queue.trouble import trouble_of

T = TypeVar("T")
VARIABLE = "ZKAGENT_RUNTIME_KEY"
FILE, KEY_FILE, FOLDER = "runs.sqlite", "runtime.key", "runtime"
REMEDY = "`zkagent runs start` and `zkagent serve --agents` keep some"
TABLES_LOCK = 0x7A6B7275  # "zkru": whoever holds it on Postgres may make tables
ABANDONED_MS = 15_000  # a process that stopped within a transaction holds others up so long
PATIENCE_S = 20.0  # with a database that is away, for what a run did and cannot do again
#: That write records. Of their own: tools that take long have the loop's, and would keep all runs
#: from being kept.
THREADS = 4
#: What no waiting mends.
STAYS = (sa.exc.DataError, sa.exc.ProgrammingError, sa.exc.NotSupportedError)


class RunsMissing(DatabaseUnusable):
    """A mistyped path, or nothing has begun yet."""


@dataclass
class RunsDatabase:
    """shown: its address without secrets; folder: where the leases of processes lie; reads: it was
    opened for that alone. Of the process that opened it."""

    engine: sa.Engine
    url: sa.URL
    folder: Path
    shown: str
    seals: Seals
    reads: bool = False
    _threads: ThreadPoolExecutor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "zkagent-records")

    @property
    def is_postgres(self) -> bool:
        return self.url.get_backend_name() == "postgresql"

    def write(self, do: Callable[[sa.Connection, float], T], *, patience_s: float = 0.0) -> T:
        """`do` in one transaction, with the time that all processes share. patience_s: how long it
        is tried again where the database is away; then it may have been done already, and `do` has
        to know that. Raises JournalFault."""
        if self.reads:
            raise JournalFault(f"runs in {self.shown}: they were opened to be read alone")

        def once() -> T:
            with self.translated(STAYS), self.engine.connect() as connection, connection.begin():
                return do(connection, shared_clock(connection))

        with self.translated():
            return patiently(once, patience_s) if patience_s else once()

    def read(self, do: Callable[[sa.Connection], T]) -> T:
        """What `do` sees is of one moment. Raises JournalFault."""
        level = {"isolation_level": "REPEATABLE READ"} if self.is_postgres else {READS: True}
        with self.translated(), self.engine.connect() as connection:
            begun = connection.execution_options(**level)
            with begun.begin():
                return do(begun)

    async def in_thread(self, do: Callable[..., T], *given: Any) -> T:
        """Raises JournalFault: it was closed."""
        try:
            working = asyncio.get_running_loop().run_in_executor(self._threads, do, *given)
        except RuntimeError:
            raise JournalFault(f"runs in {self.shown}: it was closed here") from None
        return await working

    def close(self) -> None:
        """What is being written, is."""
        self._threads.shutdown()
        self.engine.dispose()

    @contextmanager
    def translated(
        self, kinds: tuple[type[Exception], ...] = (sa.exc.SQLAlchemyError,)
    ) -> Iterator[None]:
        """Errors of drivers as JournalFault. They quote what was written: none of their texts is
        kept."""
        try:
            yield
        except kinds as exc:
            raise JournalFault(f"runs in {self.shown}: {trouble_of(exc).detail}") from None


def open_runs(
    database: Path | str | None = None,
    *,
    key_file: Path | None = None,
    new: bool = True,
    reads: bool = False,
) -> RunsDatabase:
    """database: a file's path, postgresql://..., sqlite:///PATH, or None for the usual file; made
    if it is not there, and its tables, unless `new` is False. reads: nothing is made or written,
    nor can be. Raises FileLocked: no key, another one, a damaged file; RunsMissing;
    DatabaseUnusable; JournalFault."""
    opened = _opened(database, key_file, new=new and not reads, reads=reads)
    try:
        if reads:
            opened.read(lambda connection: _check(opened, connection))
        else:
            opened.write(lambda connection, _: _prepare(opened, connection))
    except BaseException:
        opened.close()
        raise
    return opened


def usual_key_file() -> Path:
    """Raises HomeRefused."""
    return (given_home() or platform_folder(user_config_dir)) / KEY_FILE


def usual_file() -> Path:
    """Raises HomeRefused."""
    return _root() / FOLDER / FILE


def _opened(
    database: Path | str | None, key_file: Path | None, *, new: bool, reads: bool
) -> RunsDatabase:
    if isinstance(database, str) and "://" in database:
        url = read_address(database)
        if url.get_backend_name() == "postgresql":
            seals = Seals(_key(key_file, is_new=not reads))
            folder = usual_file().parent if reads else usual_folder()
            return RunsDatabase(_postgres(url), url, folder, shown_address(url), seals, reads)
        database = Path(str(url.database))
    path = (Path(database) if database else usual_file()).absolute()
    if new and not database:
        usual_folder()
    try:
        is_new = not path.exists() or path.stat().st_size == 0
    except OSError as exc:
        raise DatabaseUnusable(str(path), f"{exc.strerror}") from exc
    if is_new and not new:
        raise RunsMissing(str(path), f"no runs are kept there ({REMEDY})")
    key = _key(key_file, is_new=is_new)
    url = sa.URL.create("sqlite", database=str(path))
    engine_of = reading_engine if reads else encrypted_engine
    engine = engine_of(path, key, lambda locked: JournalFault(str(locked)))
    return RunsDatabase(engine, url, path.parent, str(path), Seals(key), reads)


def _key(file: Path | None, *, is_new: bool) -> str:
    """Raises FileLocked, HomeRefused. is_new: nothing needs the key yet, so one may be made."""
    if file is not None or os.environ.get(VARIABLE):
        return read_key(file, VARIABLE)
    usual = usual_key_file()
    if not usual.exists():
        if not is_new:
            raise FileLocked(
                f"the key {usual} is gone, and what is kept needs it: put it back, or set "
                f"{VARIABLE}"
            )
        _make_key(usual)
    return read_key(usual, VARIABLE)


def _make_key(file: Path) -> None:
    """Two processes that begin at once take the one that was first."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        raise home_refused(file.parent, exc) from exc
    try:
        new_key(file)
    except FileLocked:
        if not file.exists():
            raise


def _root() -> Path:
    """Raises HomeRefused."""
    return given_home() or platform_folder(user_data_dir)


def usual_folder() -> Path:
    """Of the usual file; made if it is not there. Raises HomeRefused."""
    root = _root()
    folder = root / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        raise home_refused(root, exc) from exc
    return folder


def _postgres(url: sa.URL) -> sa.Engine:
    options = {
        "connect_timeout": 10,
        "application_name": "zkagent",
        "options": f"-c idle_in_transaction_session_timeout={ABANDONED_MS}",
    }
    return sa.create_engine(
        url, connect_args=options, pool_pre_ping=True, pool_timeout=10.0, hide_parameters=True
    )


def _prepare(database: RunsDatabase, connection: sa.Connection) -> None:
    if database.is_postgres:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TABLES_LOCK)))
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            remedy = "make one with ENCODING 'UTF8' TEMPLATE template0"
            raise DatabaseUnusable(database.shown, f"its encoding is {encoding}: {remedy}")
    metadata.create_all(connection)
    insert_once(connection, facts, {"name": "schema", "value": SCHEMA_VERSION})
    insert_once(connection, facts, {"name": "key", "value": _mark(database)})
    _check(database, connection)


def _check(database: RunsDatabase, connection: sa.Connection) -> None:
    """On Postgres a wrong key opens everything, and would seal what it cannot check."""
    if not sa.inspect(connection).has_table(facts.name):
        raise RunsMissing(database.shown, f"no runs are kept there ({REMEDY})")
    said = {fact.name: fact.value for fact in connection.execute(sa.select(facts))}
    if (found := said.get("schema")) != SCHEMA_VERSION:
        reason = f"its runs have version {found}, this program reads {SCHEMA_VERSION}"
        raise DatabaseUnusable(database.shown, f"{reason}: use the zkagent that wrote them")
    if said.get("key") != _mark(database):
        raise FileLocked(
            f"the runs in {database.shown} were sealed with another key: give theirs, by a file or "
            f"{VARIABLE}"
        )


def _mark(database: RunsDatabase) -> str:
    return database.seals.first("this database")


__all__ = ["PATIENCE_S", "VARIABLE", "RunsDatabase", "RunsMissing", "open_runs", "usual_file"]
__all__ += ["usual_folder", "usual_key_file"]
