"""SQLite files that are encrypted as a whole, page by page, with their journals: SQLCipher.

The key is 32 random bytes, as 64 hexadecimal digits in a file or in $ZKAGENT_MEMORY_KEY; nothing
is derived from a password. Pages are encrypted with AES-256 and authenticated with HMAC-SHA512, so
a byte that somebody changed is noticed. Nothing is ever written to a temporary file.
"""

import os
import re
import secrets
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import sqlcipher3.dbapi2 as sqlcipher

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.database import READS
from zkagent.models.whole import place_of

VARIABLE = "ZKAGENT_MEMORY_KEY"
KEY = re.compile(r"[0-9a-fA-F]{64}")
BUSY_S = 30.0
PRAGMAS = (
    "synchronous=full",
    "temp_store=memory",
    "foreign_keys=on",
    "secure_delete=on",
    "trusted_schema=off",
    "mmap_size=0",
)


def read_key(file: Path | None = None) -> str:
    """Of a file, or else of the environment. Raises MemoryFault, which never quotes it."""
    if file is not None:
        try:
            found, where = file.read_text(errors="replace").strip(), str(file)
        except OSError as exc:
            raise MemoryFault(f"the key in {file} cannot be read: {exc.strerror}") from exc
    else:
        found, where = os.environ.get(VARIABLE, "").strip(), VARIABLE
    if KEY.fullmatch(found):
        return found.lower()
    raise MemoryFault(f"{where} has no key: it is 64 hexadecimal digits, see docs/memory.md")


def new_key(file: Path) -> None:
    """A random one in a file that only its owner reads. Raises MemoryFault where one is."""
    try:
        place_of(file, new=True).put(f"{secrets.token_hex(32)}\n".encode(), private=True)
    except OSError as exc:
        raise MemoryFault(f"{file}: no key is written there: {exc.strerror}") from exc


def encrypted_engine(path: Path, key: str) -> sa.Engine:
    """Of a file that is there, or is made, readable by its owner alone. Raises MemoryFault for a
    wrong key, without touching the file."""
    try:
        path.touch(0o600)
        _try_key(path, key)
    except OSError as exc:
        raise MemoryFault(f"{path}: {exc.strerror}") from exc
    engine = sa.create_engine(
        "sqlite://",
        module=sqlcipher,
        creator=lambda: _connect(path, key),
        poolclass=sa.QueuePool,
        pool_size=4,
        max_overflow=4,
        hide_parameters=True,
    )
    sa.event.listen(engine, "begin", _begin)
    return engine


def rekey(path: Path, old: str, new: str) -> None:
    """Encrypt a file with another key, while nobody has it open. The change is one transaction:
    whoever ends within it leaves the file with its old key. Raises MemoryFault."""
    _try_key(path, old)
    connection = _connect(path, old)
    try:
        connection.execute("PRAGMA busy_timeout=0")
        if connection.execute("PRAGMA journal_mode=delete").fetchone() != ("delete",):
            raise MemoryFault(f"{path} is in use: close all that have it open first")
        connection.execute(f"PRAGMA rekey=\"x'{new}'\"")
        connection.execute("PRAGMA journal_mode=wal")
    except sqlcipher.Error as exc:
        raise MemoryFault(f"{path}: its key is still the old one ({_name(exc)})") from None
    finally:
        connection.close()
    _connect(path, new).close()


def _connect(path: Path, key: str) -> Any:
    connection = sqlcipher.connect(
        str(path.absolute()), timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        _unlock(connection, key)
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA journal_mode=wal")
    except sqlcipher.Error as exc:
        connection.close()
        raise _refused(path, exc) from None
    return connection


def _try_key(path: Path, key: str) -> None:
    """By a connection that can write nothing: closing any other one with a wrong key would move a
    log into the file that a killed process left. A change of keys that was cut short has to be
    undone first, by whoever opens it. Raises MemoryFault."""
    if not path.stat().st_size or path.with_name(f"{path.name}-journal").exists():
        return
    connection = sqlcipher.connect(f"{path.absolute().as_uri()}?mode=ro", BUSY_S, uri=True)
    try:
        _unlock(connection, key)
    except sqlcipher.Error as exc:
        raise _refused(path, exc) from None
    finally:
        connection.close()


def _unlock(connection: Any, key: str) -> None:
    """Raises an error of SQLCipher's unless it is the key. Its own words would go to stderr."""
    for pragma in ("cipher_log_level=none", f"key=\"x'{key}'\"", "cipher_compatibility=4"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _refused(path: Path, exc: BaseException) -> MemoryFault:
    name = _name(exc)
    why = "it has another key, or is damaged" if name == "SQLITE_NOTADB" else "SQLite says"
    return MemoryFault(f"{path} cannot be opened: {why} ({name})")


def _begin(connection: sa.Connection) -> None:
    reads = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _name(exc: BaseException) -> str:
    return str(getattr(exc, "sqlite_errorname", None) or type(exc).__name__)


__all__ = ["VARIABLE", "encrypted_engine", "new_key", "read_key", "rekey"]
