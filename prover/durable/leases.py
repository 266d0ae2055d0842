"""Which workers, or processes that run agents, are alive: a lock that the system frees when its
holder dies.

Beside an SQLite file it is flock on a file per worker, on Postgres a session's advisory lock. A
stopped process keeps its lock, so a heartbeat that stands still counts as death, too; a false
alarm costs one proof made twice, of which one is accepted.
"""

import contextlib
import errno
import fcntl
import os
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from zkagent.prover.durable.errors import LeaseLost

LOCK_SPACE = 0x7A6B  # keeps our advisory locks apart from others in the same database
READ_ONLY = (errno.EROFS, errno.EACCES)


class Place(Protocol):
    """The database that workers share, and the folder for locks beside its file."""

    @property
    def is_postgres(self) -> bool: ...

    @property
    def url(self) -> sa.URL: ...

    @property
    def folder(self) -> Path: ...


class Leases(Protocol):
    """Leases on worker ids."""

    def take(self, worker: str) -> None:
        """Hold this id until `close` or death."""

    def check(self) -> None:
        """Raise LeaseLost when others may take us for dead."""

    def is_free(self, worker: str) -> bool:
        """Whether nobody holds this id any more. Raises OSError: it cannot be told."""

    def close(self) -> None: ...


def open_leases(database: Place) -> Leases:
    """The leases that go with this database."""
    if database.is_postgres:
        return AdvisoryLeases(database)
    return FileLeases(database.folder / "leases")


class FileLeases:
    """flock on `folder`/<worker>; all workers are on this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: tuple[Path, int] | None = None

    def take(self, worker: str) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / worker
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._held = (path, descriptor)

    def check(self) -> None:
        if self._held and not self._held[0].exists():
            raise LeaseLost(f"the lease {self._held[0]} was removed: this worker stops")

    def is_free(self, worker: str) -> bool:
        path = self._folder / worker
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return True
        except OSError as exc:
            if exc.errno not in READ_ONLY:
                raise
            return _looks_free(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            path.unlink(missing_ok=True)
            return True
        finally:
            os.close(descriptor)

    def close(self) -> None:
        if self._held:
            path, descriptor = self._held
            path.unlink(missing_ok=True)
            os.close(descriptor)
            self._held = None


def _looks_free(path: Path) -> bool:
    """Of one that stays where it is, since nothing can be written there."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


class AdvisoryLeases:
    """pg_advisory_lock on a connection of its own, watched by TCP keep-alives on both sides."""

    def __init__(self, database: Place) -> None:
        keepalives = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 2}
        self._engine = sa.create_engine(
            database.url,
            isolation_level="AUTOCOMMIT",
            poolclass=sa.pool.NullPool,
            connect_args={"application_name": "zkagent-lease", "connect_timeout": 10, **keepalives},
        )
        self._connection: sa.Connection | None = None

    def take(self, worker: str) -> None:
        self._connection = self._engine.connect()
        for name, seconds in (("idle", 5), ("interval", 5)):
            self._connection.exec_driver_sql(f"SET tcp_keepalives_{name} = {seconds}")
        self._connection.exec_driver_sql("SET tcp_keepalives_count = 2")
        self._connection.execute(sa.select(sa.func.pg_advisory_lock(*_lock(worker))))

    def check(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute(sa.select(1))
        except sa.exc.DBAPIError as exc:
            raise LeaseLost(f"the connection that holds the lease broke: {exc.orig}") from exc

    def is_free(self, worker: str) -> bool:
        with self._engine.connect() as connection:
            query = sa.select(sa.func.pg_try_advisory_lock(*_lock(worker)))
            return bool(connection.execute(query).scalar_one())  # freed with the connection

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sa.exc.DBAPIError):
                self._connection.close()
            self._connection = None
        self._engine.dispose()


def _lock(worker: str) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int]]:
    return sa.literal(LOCK_SPACE), sa.func.hashtext(worker)


__all__ = ["Leases", "Place", "open_leases"]
