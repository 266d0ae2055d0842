"""Files that are written as a whole or not at all: a full disk leaves what was there.

A path that a user names is a `Place`: what is no file there, such as a device or a pipe, is never
replaced, and whoever lays a link under the name while we work leads us nowhere. All others are
names of ours, in a folder of ours or of the user's.

What is being written has a name that nobody can foresee, and was not there before: who
made the folder may have put a link, a pipe or a folder there that leads to another file of ours.
"""

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path

BEGIN, END = ".zkagent-", ".new"  # of the name of what is being written
LEFT_OVER_S = 86_400
#: What file systems say that have no hard links, such as vfat.
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


#: What is written: the bytes, or a file whose rest they are.
Data = bytes | BufferedReader


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads that a user names, as it was found: what else gets the name later is never
    followed. file: None for a pipe or a device. new: whatever is there by then stays, unless it is
    an empty file."""

    named: Path
    file: Path | None
    new: bool = False

    def put(self, data: Data, *, private: bool = False) -> None:
        """A pipe, or a device such as a terminal, is written into. private: for the owner's eyes
        alone. Raises FileExistsError where it is to be new; OSError. Both name the path."""
        with _named(self.named):
            if self.file:
                write_file(self.file, data, private=private, new=self.new)
            elif takes_bytes(self.named):
                with self.named.open("wb") as file:
                    _write_into(file, data)
            else:
                raise OSError(errno.ENXIO, "the pipe or device is gone", str(self.named))


def place_of(path: Path, *, new: bool = False) -> Place:
    """A link stays, and leads to the file. What is no file, and takes no bytes, is refused. Raises
    OSError, which names the path."""
    if takes_bytes(path):
        return Place(path, None, new)
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Place(path, file, new)


def put_file(path: Path, data: Data, *, private: bool = False) -> None:
    """At a path that a user names, by what is there now. Raises OSError, which names the path."""
    place_of(path).put(data, private=private)


def takes_bytes(path: Path) -> bool:
    """Whether a pipe or a device is there, which is written into and not replaced. Raises OSError
    for what is neither that nor a file: a folder, a socket, a disk."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False  # nothing yet, or whoever writes it finds out
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        kind = "a socket" if stat.S_ISSOCK(mode) else "a disk"
        raise OSError(errno.EINVAL, f"it is {kind}", str(path))
    return not stat.S_ISREG(mode)


def write_file(path: Path, data: Data, *, private: bool = False, new: bool = False) -> None:
    """In place of what is there, with its permissions. private: for the owner's eyes alone. new:
    not in place of anything but an empty file. Raises FileExistsError; OSError, which names the
    path."""
    with _named(path):
        _sweep(path.parent)
        fresh = _fresh(path)
        try:
            _write(fresh, path, data, private=private)
            if new:
                _name_new(fresh, path)
            else:
                fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


def _name_new(fresh: Path, path: Path) -> None:
    """Whoever comes second gets FileExistsError, also where there are no hard links."""
    try:
        _take(fresh, path)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        fresh.replace(path)


def _take(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)
    except OSError as exc:
        if exc.errno not in NO_LINKS:
            raise
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        fresh.replace(path)
    else:
        fresh.unlink()


def write_folder(directory: Path, contents: Mapping[str, Data], *, new: bool = False) -> None:
    """Each file in place of what is there, once all are on the disk; before that, nothing changes.

    They get their names in order: with a manifest last, an interruption leaves none that is
    believed. new: the folder must not be there. Raises OSError, which names the path;
    FileExistsError.
    """
    made = [each for each in (directory, *directory.parents) if not each.exists()]
    fresh = {name: _fresh(directory / name) for name in contents}
    with _named(directory):
        directory.mkdir(parents=True, exist_ok=not new)
        try:
            _sweep(directory)
            for name in contents:
                if (directory / name).is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            for name, data in contents.items():
                _write(fresh[name], directory / name, data)
            for name in contents:
                fresh[name].replace(directory / name)
        except BaseException:
            for each in fresh.values():
                each.unlink(missing_ok=True)
            with suppress(OSError):  # somebody put a file there meanwhile
                for folder in made:
                    folder.rmdir()
            raise


def _fresh(path: Path) -> Path:
    return path.with_name(f"{BEGIN}{secrets.token_hex(8)}{END}")


def _write(fresh: Path, path: Path, data: Data, *, private: bool = False) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    number = os.open(fresh, flags, 0o600 if private else 0o666)
    with os.fdopen(number, "wb") as file:
        _write_into(file, data)
        file.flush()
        os.fsync(number)
        if not (private or path.is_symlink()) and path.is_file():
            os.fchmod(number, stat.S_IMODE(path.stat().st_mode))


def _write_into(file: BufferedWriter, data: Data) -> None:
    if isinstance(data, bytes):
        file.write(data)
    else:
        shutil.copyfileobj(data, file)


def _sweep(folder: Path) -> None:
    """Remove what was begun by a process that was killed, and so never got its name."""
    with suppress(OSError):
        for path in folder.glob(f"{BEGIN}{'[0-9a-f]' * 16}{END}"):
            if time.time() - path.lstat().st_mtime > LEFT_OVER_S:
                path.unlink()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror or str(exc), str(path)) from exc


__all__ = ["Data", "Place", "place_of", "put_file", "takes_bytes", "write_file", "write_folder"]
