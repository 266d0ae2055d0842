"""The store for several machines: a Postgres database.

What is kept there is readable by whoever may read the database, or its disk, backups and log of
changes: values, names and the words that are searched. See docs/memory.md for what to do about it.
"""

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.database import MemoryDatabase, translated
from zkagent.executor.runtime.memory.full_text import TsVector
from zkagent.executor.runtime.memory.retention import USUAL, Clock, Limits, now
from zkagent.executor.runtime.memory.sql_store import SqlStore
from zkagent.prover.service.errors import DatabaseUnusable
from zkagent.prover.service.queue.address import read_address, shown_address

TABLES_LOCK = 0x7A6B6D65  # "zkme": whoever holds it may make tables
ABANDONED_MS = 15_000  # a client that stopped within a transaction holds others up so long


def open_postgres(url: str, *, limits: Limits = USUAL, clock: Clock = now) -> SqlStore:
    """url: postgresql://USER:PASSWORD@HOST/NAME. Makes its tables, zkagent_memory_*. Raises
    MemoryFault, which shows neither user nor password."""
    try:
        address = read_address(url)
    except DatabaseUnusable as exc:
        raise MemoryFault(str(exc)) from None
    shown = shown_address(address)
    if address.get_backend_name() != "postgresql":
        raise MemoryFault(f"{shown} is no Postgres: give postgresql://..., or use open_sqlite")
    engine = _engine(address)
    database = MemoryDatabase(engine, TsVector(), shown, limits, clock)
    try:
        with translated(shown), engine.begin() as connection:
            _check_encoding(connection, shown)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TABLES_LOCK)))
            database.prepare(connection)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(database)


def _engine(address: sa.URL) -> sa.Engine:
    options = {
        "connect_timeout": 10,
        "application_name": "zkagent",
        "options": f"-c idle_in_transaction_session_timeout={ABANDONED_MS}",
    }
    return sa.create_engine(
        address,
        connect_args=options,
        pool_pre_ping=True,
        pool_timeout=10.0,
        hide_parameters=True,
    )


def _check_encoding(connection: sa.Connection, shown: str) -> None:
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise MemoryFault(
            f"{shown} has the encoding {encoding}, which does not hold every text: make a database "
            "with ENCODING 'UTF8' TEMPLATE template0"
        )


__all__ = ["open_postgres"]
