"""Wake-ups between processes, so that polling can be slow and answers quick.

A hint, never the truth: whoever is woken looks into the database, and whoever is not polls. Beside
an SQLite file every listener owns a named pipe; on Postgres it is LISTEN and NOTIFY.
"""

import contextlib
import errno
import logging
import os
import select
import stat
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.trouble import trouble_of

log = logging.getLogger(__name__)

WORK, CHANGED, CANCELLED = "work", "changed", "cancelled"
PASSED = "passed"  # work that the named worker was given and cannot do
CHANNEL = "zkagent"
RECONNECT_S = 2.0
CONNECT_S = 10
HIDDEN = "."  # begins the name of a pipe that has no reader yet
LEFT_BEHIND_S = 60.0  # nobody takes that long to open what it made

#: Called with topic and proof id (which may be empty), on the listener's thread.
Listener = Callable[[str, str], None]


class Wake(Protocol):
    """Sends hints to every listener on the same database."""

    def send(self, topic: str, subject: str = "") -> None: ...

    def listen(self, listener: Listener) -> None: ...

    def close(self) -> None: ...


def open_wake(database: Database) -> Wake:
    """The wake-ups that go with this database."""
    return PostgresWake(database) if database.is_postgres else PipeWake(database.folder / "wake")


class PipeWake:
    """Named pipes in a folder: one per listening process, found by listing the folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder
        self._path = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._pipe: int | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False

    def send(self, topic: str, subject: str = "") -> None:
        line = f"{topic} {subject}\n".encode()
        with contextlib.suppress(OSError):  # a hint is worth no trouble
            for path in self._folder.iterdir():
                if not path.name.startswith(HIDDEN):
                    self._write(path, line)

    def listen(self, listener: Listener) -> None:
        self._remove_leftovers()
        self._pipe = self._opened()
        self._thread = threading.Thread(target=self._read, args=(listener,), name="wake")
        self._thread.daemon = True
        self._thread.start()

    def close(self) -> None:
        if self._pipe is None or self._stopping:
            return
        self._stopping = True
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(BlockingIOError):  # full: its reader is awake
            os.write(self._pipe, b"\n")
        if self._thread:
            self._thread.join()
        os.close(self._pipe)

    def _opened(self) -> int:
        """Our pipe. Senders see it only when it has its reader: without one they take it for that
        of a dead process, and remove it."""
        hidden = self._path.with_name(f"{HIDDEN}{self._path.name}")
        os.mkfifo(hidden, 0o600)
        # For both directions: the pipe then never ends for want of a writer.
        pipe = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
        hidden.rename(self._path)
        return pipe

    def _remove_leftovers(self) -> None:
        """Hidden pipes of processes that were killed before they had opened theirs."""
        for path in self._folder.glob(f"{HIDDEN}*"):
            with contextlib.suppress(FileNotFoundError):  # it has its name now
                if time.time() - path.stat().st_mtime > LEFT_BEHIND_S:
                    path.unlink()

    def _read(self, listener: Listener) -> None:
        assert self._pipe is not None
        rest = b""
        while not self._stopping:
            select.select([self._pipe], [], [])
            with contextlib.suppress(BlockingIOError):
                rest += os.read(self._pipe, 1 << 16)
            *lines, rest = rest.split(b"\n")
            for line in {line for line in lines if line}:  # the same hint twice is one hint
                _deliver(listener, line.decode())

    def _write(self, path: Path, line: bytes) -> None:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError as exc:
            if exc.errno == errno.ENXIO:  # its reader died
                path.unlink(missing_ok=True)
            return
        try:
            if stat.S_ISFIFO(os.fstat(pipe).st_mode):  # nobody's file is written into
                os.write(pipe, line)
        except (BlockingIOError, BrokenPipeError):
            pass  # full: it has been woken often enough
        finally:
            os.close(pipe)


class PostgresWake:
    """LISTEN/NOTIFY; a lost connection is opened again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, topic: str, subject: str = "") -> None:
        try:
            with self._database.read() as connection:
                connection.execute(sa.select(sa.func.pg_notify(CHANNEL, f"{topic} {subject}")))
        except sa.exc.SQLAlchemyError as exc:
            log.warning("nobody was woken, polling goes on: %s", trouble_of(exc).detail)

    def listen(self, listener: Listener) -> None:
        self._thread = threading.Thread(target=self._read, args=(listener,), name="wake")
        self._thread.daemon = True
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join()

    def _read(self, listener: Listener) -> None:
        while not self._stop.is_set():
            try:
                self._read_connection(listener)
            except Exception as exc:
                detail = trouble_of(exc).detail  # its words may repeat the database's address
                log.warning("wake-ups are off for a moment, polling goes on: %s", detail)
                self._stop.wait(RECONNECT_S)

    def _read_connection(self, listener: Listener) -> None:
        import psycopg

        url = self._database.url
        _, fields = url.get_dialect()().create_connect_args(url)
        named = {"connect_timeout": CONNECT_S, **fields, "application_name": "zkagent-wake"}
        with psycopg.connect(**named, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            while not self._stop.is_set():
                for notice in connection.notifies(timeout=1.0):
                    _deliver(listener, notice.payload)


def _deliver(listener: Listener, line: str) -> None:
    topic, _, subject = line.partition(" ")
    try:
        listener(topic, subject)
    except Exception:
        log.exception("a listener failed on %s", topic)


__all__ = ["CANCELLED", "CHANGED", "PASSED", "WORK", "Listener", "Wake", "open_wake"]
