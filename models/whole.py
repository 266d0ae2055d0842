"""Files that are written as a whole or not at all: a full disk leaves what was there.

A path that a user names is a `Place`: what is no file there, such as a device or a pipe, is never
replaced, and whoever lays a link under the name while we work leads us nowhere. All others are
names of ours, in a folder of ours or of the user's.

What is being written has a name that nobody can foresee, and was not there before: who
made the folder may have put a link, a pipe or a folder there that leads to another file of ours.
"""

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path

BEGIN, END = ".zkagent-", ".new"  # of the name of what is being written
OURS = re.compile(rf"{re.escape(BEGIN)}[0-9a-f]{{16}}{re.escape(END)}")
LEFT_OVER_S = 86_400
EXCLUSIVELY = os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
#: What file systems say that have no hard links, such as vfat.
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


#: What is written: the bytes, or a file whose rest they are.
Data = bytes | BufferedReader
#: A path, or a name in the folder that the descriptor `at` is of.
Name = Path | str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads that a user names, as it was found: what else gets the name later is never
    followed. file: None for a pipe or a device, which `taker` is. new: whatever is there by then
    stays, unless it is an empty file."""

    named: Path
    file: Path | None
    new: bool = False
    taker: os.stat_result | None = None

    def put(self, data: Data, *, private: bool = False) -> None:
        """A pipe, or a device such as a terminal, is written into. private: for the owner's eyes
        alone. Raises FileExistsError where it is to be new; OSError. Both name the path."""
        with named(self.named):
            if self.file:
                write_file(self.file, data, private=private, new=self.new)
            else:
                with os.fdopen(self._opened(), "wb") as file:
                    _write_into(file, data)

    def _opened(self) -> int:
        """The pipe or device that was found: what else is there by now stays as it is."""
        number = os.open(self.named, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
        if self.taker and os.path.samestat(self.taker, os.fstat(number)):
            return number
        os.close(number)
        raise OSError(errno.ENXIO, "the pipe or device is gone", str(self.named))


def place_of(path: Path, *, new: bool = False) -> Place:
    """A link stays, and leads to the file. What is no file, and takes no bytes, is refused. Raises
    OSError, which names the path."""
    if taker := _taker(path):
        return Place(path, None, new, taker)
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Place(path, file, new)


def put_file(path: Path, data: Data, *, private: bool = False) -> None:
    """At a path that a user names, by what is there now. Raises OSError, which names the path."""
    place_of(path).put(data, private=private)


def _taker(path: Path) -> os.stat_result | None:
    """The pipe or device that is there, which is written into and not replaced. Raises OSError for
    what is neither that nor a file: a folder, a socket, a disk."""
    try:
        found = path.stat()
    except OSError:
        return None  # nothing yet, or whoever writes it finds out
    mode = found.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        kind = "a socket" if stat.S_ISSOCK(mode) else "a disk"
        raise OSError(errno.EINVAL, f"it is {kind}", str(path))
    return None if stat.S_ISREG(mode) else found


def write_file(path: Path, data: Data, *, private: bool = False, new: bool = False) -> None:
    """In place of what is there, with its permissions if it is of our own account. private: for the
    owner's eyes alone. new: not in place of anything but an empty file. Raises FileExistsError;
    OSError, which names the path."""
    with named(path):
        sweep(path.parent)
        fresh = path.with_name(fresh_name())
        try:
            write_fresh(fresh, path, data, private=private)
            if new:
                name_new(fresh, path)
            else:
                fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


def stat_of(name: Name, at: int | None = None) -> os.stat_result | None:
    """The link itself, where one is."""
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _is_empty(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and not found.st_size


def name_new(fresh: Name, path: Name, at: int | None = None) -> None:
    """Whoever comes second gets FileExistsError, also where there are no hard links."""
    try:
        os.link(fresh, path, src_dir_fd=at, dst_dir_fd=at)
    except FileExistsError:
        _replace_empty(fresh, path, at)
    except OSError as exc:
        if exc.errno not in NO_LINKS:
            raise
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | EXCLUSIVELY, 0o600, dir_fd=at))
        _replace_empty(fresh, path, at)
    else:
        os.unlink(fresh, dir_fd=at)


def _replace_empty(fresh: Name, path: Name, at: int | None) -> None:
    """By whoever locks it first; for all others it is another one's from then on."""
    taken = FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    found = stat_of(path, at)
    if found is None or not _is_empty(found):
        raise taken
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, dir_fd=at), "wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise taken from None
        except OSError:  # a file system without locks
            pass
        there, ours = stat_of(path, at), os.fstat(file.fileno())
        if there is None or not _is_empty(ours) or not os.path.samestat(there, ours):
            raise taken
        os.replace(fresh, path, src_dir_fd=at, dst_dir_fd=at)


def fresh_name() -> str:
    return f"{BEGIN}{secrets.token_hex(8)}{END}"


def write_fresh(
    fresh: Name, like: Name, data: Data, *, private: bool = False, at: int | None = None
) -> os.stat_result:
    """like: whose permissions it gets, or where another account made that, no wider ones."""
    mode = 0o600 if private else 0o666
    number = os.open(fresh, os.O_WRONLY | EXCLUSIVELY | os.O_NOFOLLOW, mode, dir_fd=at)
    with os.fdopen(number, "wb") as file:
        _write_into(file, data)
        file.flush()
        os.fsync(number)
        there = None if private else stat_of(like, at)
        if there and stat.S_ISREG(there.st_mode):
            os.fchmod(number, _mode_of(os.fstat(number), there))
        return os.fstat(number)


def _mode_of(ours: os.stat_result, there: os.stat_result) -> int:
    """Another account does not decide who may write, or read, what we make."""
    if ours.st_uid == there.st_uid:
        return stat.S_IMODE(there.st_mode)
    return stat.S_IMODE(ours.st_mode) & (there.st_mode | 0o600)


def _write_into(file: BufferedWriter, data: Data) -> None:
    if isinstance(data, bytes):
        file.write(data)
    else:
        shutil.copyfileobj(data, file)


def sweep(folder: Path, at: int | None = None) -> None:
    """Remove what was begun by a process that was killed, and so never got its name."""
    with suppress(OSError), os.scandir(folder if at is None else at) as entries:
        for each in entries:
            if OURS.fullmatch(each.name):
                age_s = time.time() - each.stat(follow_symlinks=False).st_mtime
                if age_s > LEFT_OVER_S:
                    os.unlink(each.path, dir_fd=at)


@contextmanager
def named(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror or str(exc), str(path)) from exc


__all__ = ["EXCLUSIVELY", "Data", "Place", "fresh_name", "name_new", "named", "place_of"]
__all__ += ["put_file", "stat_of", "sweep", "write_file", "write_fresh"]
