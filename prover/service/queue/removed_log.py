"""SQLite's log of changes, removed while it is in use: whoever has it open still reads it, so it is
written down once more under its name, where the next start looks for it.

It is copied, and not moved into the database's file: without a log, a file that is changed in part,
for want of room or because of a kill, is damaged as a whole. Where another program has begun
another log there, which may be as true, or has changed the file, ours is kept beside it.
"""

import errno
import fcntl
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from zkagent.prover.service.queue.identities import Identity, identity, identity_at, open_again
from zkagent.prover.service.queue.log_index import LogIndex
from zkagent.prover.service.queue.other_log import HEADER, Lies, compare, is_empty, salts_of

#: Of SQLite's index: locks of those who write, read or move, and of all who have it open.
LOCKS, FIRST_LOCK = 9, 120
IN_USE = "another program has the database open: end that"
FOR_WANT_OF_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
COPIED = 1 << 20  # bytes at once
KINDS = ("wal", "shm")  # what SQLite keeps beside a file: its log, and the index of it


class LogEmptied(Exception):
    """Somebody has emptied a removed log, too: nothing of it can be saved."""


class RemovedLog:
    """What this process still has of a log that lies under its name no more, from when that was
    noticed. One thread at a time; whoever calls sees to it that none of ours writes."""

    def __init__(self, file: Path, log: Identity | None, index: Identity | None) -> None:
        """file: the database's, by its own name. log, index: of those beside it that we have
        open."""
        self._file = file
        self._log, self._index = log, index
        self._noticed = _state(file)
        self._path, self._index_path = (file.with_name(f"{file.name}-{end}") for end in KINDS)
        self._is_back = False  # whether what has all that ours has was seen there

    @property
    def is_missing(self) -> bool:
        """Whether what it held may be in no file that the next start reads."""
        if self._log is None or identity_at(self._path) == self._log:
            return False
        return not self._is_back or (is_empty(self._path) and not self._is_changed)

    @property
    def is_overtaken(self) -> bool:
        """Whether others have gone on without it, so that it can be put back no more. Raises
        OSError, LogEmptied."""
        with self._held() as held:
            return self._look(held) is Lies.OTHERS

    def put_back(self) -> bool:
        """Under its name; whether that was still to be done. Raises OSError, LogEmptied."""
        with self._held() as held:
            if due := self._look(held) is not Lies.OURS:
                self._sweep()
                with _copied(held, self._path) as fresh, self._alone(held):
                    if self._look(held) is not Lies.NOTHING:
                        raise FileExistsError(errno.EEXIST, "another log was begun meanwhile")
                    fresh.replace(self._path)
                _sync(self._path.parent)
        self._is_back = True
        return due

    def keep_aside(self) -> Path:
        """Beside its name, under one that no other log has; where. Raises OSError, LogEmptied."""
        with self._held() as held:
            name = f"{self._path.name}-removed-{salts_of(held).hex()}"
            aside = self._path.with_name(name)
            if not _has_same(held, aside):
                with _copied(held, self._path) as fresh:
                    fresh.replace(aside)
                _sync(self._path.parent)
        return aside

    def _look(self, held: BinaryIO) -> Lies:
        lies = compare(held, self._path)
        changed = self._is_changed or self._was_changed_unnoticed(held)
        return Lies.OTHERS if lies is Lies.NOTHING and changed else lies

    @property
    def _is_changed(self) -> bool:
        """Whether the file is another one than that which our log belongs to. Who shares our index
        moves into it what our log has."""
        found = _state(self._file)
        if found is None or self._noticed is None or found[0] != self._noticed[0]:
            return True
        return not self._shares_index and found != self._noticed

    def _was_changed_unnoticed(self, held: BinaryIO) -> bool:
        """Between when the log was removed, where the disk notes that, and when we noticed."""
        log, file = os.fstat(held.fileno()), _state(self._file)
        removed_ns = log.st_ctime_ns if log.st_ctime_ns > log.st_mtime_ns else None
        if self._shares_index or removed_ns is None or file is None:
            return False
        return removed_ns < file[2] <= time.time_ns()  # else the clock was set back since

    @property
    def _shares_index(self) -> bool:
        return not self._is_back and identity_at(self._index_path) == self._index

    @property
    def _counted(self) -> bool:
        """Whether it held anything. Others who have the index may have gone on with that."""
        return bool(self._log and self._index and LogIndex(self._log, self._index).counts)

    @contextmanager
    def _alone(self, held: BinaryIO) -> Iterator[None]:
        """While nobody begins to write beside the file. Whoever shares our index waits for whom
        we have begun to write with; any other index must be in nobody's hands. Raises OSError."""
        if identity_at(self._index_path) == self._index:
            yield
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        number = os.open(self._index_path, flags, 0o600)
        try:
            _give_rights(number, os.fstat(held.fileno()))
            try:
                fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCKS, FIRST_LOCK)
            except BlockingIOError as exc:
                raise OSError(errno.EBUSY, IN_USE, str(self._path)) from exc
            yield
        finally:
            os.close(number)

    @contextmanager
    def _held(self) -> Iterator[BinaryIO]:
        log = open_again(self._log) if self._log else None
        if log is None:
            raise FileNotFoundError(2, "no process of it has it open", str(self._path))
        with log:
            if not any(log.read(HEADER)) and self._counted:
                raise LogEmptied
            yield log

    def _sweep(self) -> None:
        """What somebody who was killed in the middle has left."""
        for left_over in self._path.parent.glob(f"{glob.escape(_beginning(self._path))}*"):
            left_over.unlink(missing_ok=True)


def _beginning(path: Path) -> str:
    return f".{path.name}-"


@contextmanager
def _copied(held: BinaryIO, path: Path) -> Iterator[Path]:
    """A copy on the disk, under a passing name beside `path`. Raises OSError."""
    found = os.fstat(held.fileno())
    copy: Path | None = None
    try:
        try:
            with tempfile.NamedTemporaryFile(
                dir=path.parent, prefix=_beginning(path), delete=False
            ) as fresh:
                copy = Path(fresh.name)
                held.seek(0)
                shutil.copyfileobj(held, fresh)
                fresh.flush()
                _give_rights(fresh.fileno(), found)
                os.fsync(fresh.fileno())
        except OSError as exc:
            needed = f"{exc.strerror}, where it takes {(found.st_size >> 20) + 1} MiB"
            words = needed if exc.errno in FOR_WANT_OF_ROOM else exc.strerror
            raise OSError(exc.errno, words, str(path)) from exc
        yield copy
    finally:
        if copy is not None:
            copy.unlink(missing_ok=True)


def _has_same(held: BinaryIO, path: Path) -> bool:
    """Raises OSError."""
    held.seek(0)
    try:
        with path.open("rb") as there:
            while (expected := held.read(COPIED)) == there.read(COPIED):
                if not expected:
                    return True
    except FileNotFoundError:
        pass
    return False


def _give_rights(number: int, found: os.stat_result) -> None:
    """Where the disk knows of rights."""
    with suppress(PermissionError):
        os.fchmod(number, found.st_mode & 0o777)
    with suppress(PermissionError):
        os.fchown(number, found.st_uid, found.st_gid)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _state(file: Path) -> tuple[Identity, int, int] | None:
    """None for what is not there."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return identity(found), found.st_size, found.st_mtime_ns


__all__ = ["LogEmptied", "RemovedLog"]
