"""The store that is usual: one encrypted file, which any number of processes may have open."""

from pathlib import Path

from zkagent.executor.runtime.memory.database import MemoryDatabase, translated
from zkagent.executor.runtime.memory.encrypted import encrypted_engine, read_key
from zkagent.executor.runtime.memory.full_text import Fts5
from zkagent.executor.runtime.memory.retention import USUAL, Clock, Limits, now
from zkagent.executor.runtime.memory.sql_store import SqlStore


def open_sqlite(
    path: Path,
    *,
    key_file: Path | None = None,
    limits: Limits = USUAL,
    clock: Clock = now,
) -> SqlStore:
    """Made if it is not there. key_file: see encrypted.py; else the key of the environment. Raises
    MemoryFault: no key, another key, a damaged file."""
    engine = encrypted_engine(path, read_key(key_file))
    database = MemoryDatabase(engine, Fts5(), str(path), limits, clock)
    try:
        with translated(str(path)), engine.begin() as connection:
            database.prepare(connection)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(database)


__all__ = ["open_sqlite"]
