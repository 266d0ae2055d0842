"""Files that are written as a whole or not at all: a full disk leaves what was there.

A path that a user names is `put_file`'s: what is no file there, such as a device or a pipe, is
never replaced. All others are names of ours, in a folder of ours or of the user's.

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
from io import BufferedReader, BufferedWriter
from pathlib import Path

BEGIN, END = ".zkagent-", ".new"  # of the name of what is being written
LEFT_OVER_S = 86_400


#: What is written: the bytes, or a file whose rest they are.
Data = bytes | BufferedReader


def put_file(path: Path, data: Data, *, private: bool = False) -> None:
    """At a path that a user names: a link stays, and leads to the file. A pipe, or a device such as
    a terminal, is written into; any other that is no file is refused. private: for the owner's eyes
    alone. Raises OSError, which names the path."""
    with _named(path):
        if takes_bytes(path):
            with path.open("wb") as file:
                _write_into(file, data)
        else:
            write_file(path.resolve(), data, private=private)


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


def write_file(path: Path, data: Data, *, private: bool = False) -> None:
    """In place of what is there, with its permissions. private: for the owner's eyes alone.
    Raises OSError, which names the path."""
    with _named(path):
        _sweep(path.parent)
        fresh = _fresh(path)
        try:
            _write(fresh, path, data, private=private)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


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
        if path.is_file() and not private:
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


__all__ = ["Data", "put_file", "takes_bytes", "write_file", "write_folder"]
