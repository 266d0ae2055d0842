"""SQLite files that are encrypted as a whole, page by page, with their journals: SQLCipher.

The key is 32 random bytes, as 64 hexadecimal digits in a file or in the environment; nothing is
derived from a password. Pages are encrypted with AES-256 and authenticated with HMAC-SHA512, so
a byte that somebody changed is noticed. Nothing is ever written to a temporary file.
"""

import os
import re
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import sqlcipher3.dbapi2 as sqlcipher

from zkagent.models.files import read_limited
from zkagent.models.whole import place_of
from zkagent.prover.durable.errors import FileLocked

READS = "zkagent_reads"  # an execution option: a transaction that holds nobody up
KEY = re.compile(r"[0-9a-fA-F]{64}")
MOST_BYTES = 1024  # of a file with a key
BUSY_S = 30.0
PRAGMAS = (
    "synchronous=full",
    "temp_store=memory",
    "foreign_keys=on",
    "secure_delete=on",
    "trusted_schema=off",
    "mmap_size=0",
)


def read_key(file: Path | None, variable: str) -> str:
    """Of a file, or else of that variable of the environment. Raises FileLocked, which never quotes
    it."""
    if file is not None:
        found, where = _read(file), str(file)
    else:
        found, where = os.environ.get(variable, "").strip(), variable
    if not KEY.fullmatch(found):
        raise FileLocked(f"{where} has no key: it is 64 hexadecimal digits, see docs/memory.md")
    if file is not None and (mode := stat.S_IMODE(file.stat().st_mode)) & 0o077:
        raise FileLocked(f"others may read or change {file} ({mode:o}): chmod 600 {file}")
    return found.lower()


def _read(file: Path) -> str:
    try:
        return read_limited(file, MOST_BYTES).decode(errors="replace").strip()
    except OSError as exc:
        raise FileLocked(f"the key in {file} cannot be read: {exc.strerror or exc}") from exc


def new_key(file: Path) -> None:
    """A random one in a file that only its owner reads. Raises FileLocked where one is."""
    try:
        place_of(file, new=True).put(f"{secrets.token_hex(32)}\n".encode(), private=True)
    except OSError as exc:
        raise FileLocked(f"{file}: no key is written there: {exc.strerror}") from exc


def encrypted_engine(
    path: Path, key: str, translated: Callable[[FileLocked], Exception] | None = None
) -> sa.Engine:
    """Of a file that is there, or is made, readable by its owner alone. Its transactions may write,
    unless they have the option READS. Raises FileLocked for a wrong key, without touching the file.

    translated: what its connections raise instead, if one cannot be opened later.
    """

    def connect() -> Any:
        try:
            return _connect(path, key)
        except FileLocked as exc:
            raise (translated(exc) if translated else exc) from exc.__cause__

    try:
        path.touch(0o600)
        _try_key(path, key)
    except OSError as exc:
        raise FileLocked(
            f"{path} cannot be opened to write there: {exc.strerror}; name another place, or have "
            "this one writable"
        ) from exc
    return _engine(connect, poolclass=sa.QueuePool, pool_size=4, max_overflow=4)


def reading_engine(
    path: Path, key: str, translated: Callable[[FileLocked], Exception] | None = None
) -> sa.Engine:
    """Of a file that is there, also where nothing can be written; its statements change nothing.
    Each transaction has a connection of its own, and so sees what others have written by then.
    Raises FileLocked. translated: as for `encrypted_engine`."""

    def connect() -> Any:
        try:
            return _connect_to_read(path, key, "mode=rw")
        except FileLocked as exc:
            raise (translated(exc) if translated else exc) from exc.__cause__

    if not _journal(path).exists():  # as for `_try_key`
        _connect_to_read(path, key, "mode=ro").close()
    return _engine(connect, poolclass=sa.NullPool)


def _engine(connect: Callable[[], Any], **pool: Any) -> sa.Engine:
    engine = sa.create_engine(
        "sqlite://", module=sqlcipher, creator=connect, hide_parameters=True, **pool
    )
    sa.event.listen(engine, "begin", _begin)
    return engine


def rekey(path: Path, old: str, new: str) -> None:
    """Encrypt a file with another key, while nobody has it open. The change is one transaction:
    whoever ends within it leaves the file with its old key. Raises FileLocked."""
    _try_key(path, old)
    connection = _connect(path, old)
    try:
        connection.execute("PRAGMA busy_timeout=0")
        if connection.execute("PRAGMA journal_mode=delete").fetchone() != ("delete",):
            raise FileLocked(f"{path} is in use: close all that have it open first")
        connection.execute(f"PRAGMA rekey=\"x'{new}'\"")
        connection.execute("PRAGMA journal_mode=wal")
    except sqlcipher.Error as exc:
        raise FileLocked(f"{path}: its key is still the old one ({_name(exc)})") from None
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


def _connect_to_read(path: Path, key: str, how: str) -> Any:
    """SQLite keeps an index of the log beside a file that it reads. Where it can make none, and no
    log is there, the file alone is all that was written."""
    try:
        return _opened_to_read(path, key, how)
    except sqlcipher.Error as exc:
        if not _name(exc).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            raise _refused(path, exc) from None
    for beside in (path.with_name(f"{path.name}-wal"), _journal(path)):
        if _size(beside):
            raise FileLocked(
                f"{path} cannot be read where nothing can be written, since a process that ended "
                f"left {beside.name}: copy {path.name} and that to a folder that can be written to"
            )
    try:
        return _opened_to_read(path, key, "immutable=1")
    except sqlcipher.Error as exc:
        raise _refused(path, exc) from None


def _opened_to_read(path: Path, key: str, how: str) -> Any:
    address = f"{path.absolute().as_uri()}?{how}"
    connection = sqlcipher.connect(
        address, BUSY_S, uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        _unlock(connection, key)
        for pragma in (*PRAGMAS, "query_only=on"):
            connection.execute(f"PRAGMA {pragma}")
    except sqlcipher.Error:
        connection.close()
        raise
    return connection


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _journal(path: Path) -> Path:
    """What undoes a change that was cut short."""
    return path.with_name(f"{path.name}-journal")


def _try_key(path: Path, key: str) -> None:
    """By a connection that can write nothing: closing any other one with a wrong key would move a
    log into the file that a killed process left. A change of keys that was cut short has to be
    undone first, by whoever opens it. Raises FileLocked."""
    if not path.stat().st_size or _journal(path).exists():
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


def _refused(path: Path, exc: BaseException) -> FileLocked:
    name = _name(exc)
    why = "it has another key, or is damaged" if name == "SQLITE_NOTADB" else "SQLite says"
    return FileLocked(f"{path} cannot be opened: {why} ({name})")


def _begin(connection: sa.Connection) -> None:
    reads = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _name(exc: BaseException) -> str:
    return str(getattr(exc, "sqlite_errorname", None) or type(exc).__name__)


__all__ = ["READS", "encrypted_engine", "new_key", "read_key", "reading_engine", "rekey"]
