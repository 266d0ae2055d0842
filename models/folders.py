"""Folders of results, each file of which is written as a whole or not at all (`whole.py`).

What was there before is replaced only where whoever opened the folder says so, and what got a name
or the folder's own name meanwhile never is, nor followed.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from zkagent.models.whole import (
    Data,
    fresh_name,
    name_new,
    named,
    stat_of,
    sweep,
    write_fresh,
)


class Folder:
    """As it was found. found: what had the files' names then, and what was put there since, which
    alone is replaced."""

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self.path = path
        self._number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        looked = {name: stat_of(name, self._number) for name in names}
        self.found = {name: found for name, found in looked.items() if found}

    def put(self, contents: Mapping[str, Data]) -> None:
        """Once all are on the disk; before that, nothing changes. They get their names in order:
        with a manifest last, an interruption leaves none that is believed. Raises OSError, which
        names the folder; FileExistsError, which names what is there and was not found."""
        fresh = {name: fresh_name() for name in contents}
        with named(self.path):
            sweep(self.path, self._number)
            try:
                for name in contents:
                    self._is_found(name)
                wrote = {
                    name: write_fresh(fresh[name], name, data, at=self._number)
                    for name, data in contents.items()
                }
                for name in contents:
                    self._is_found(name)
                for name in contents:
                    self._name(fresh[name], name)
                    self.found[name] = wrote[name]
            except FileExistsError as exc:
                raise _taken(self.path / str(exc.filename)) from exc
            finally:
                for each in fresh.values():
                    with suppress(OSError):
                        os.unlink(each, dir_fd=self._number)

    def _name(self, fresh: str, name: str) -> None:
        if self._is_found(name):
            os.replace(fresh, name, src_dir_fd=self._number, dst_dir_fd=self._number)
        else:
            name_new(fresh, name, self._number)

    def _is_found(self, name: str) -> bool:
        """Whether what has the name is what was found, or put there. Raises FileExistsError where
        something else has it, but for an empty file; IsADirectoryError."""
        there, found = stat_of(name, self._number), self.found.get(name)
        if there is None:
            return False
        if found and os.path.samestat(there, found) and there.st_size == found.st_size:
            if stat.S_ISDIR(there.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            return True
        if stat.S_ISREG(there.st_mode) and not there.st_size:
            return False
        raise _taken(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._number)


def _taken(name: str | Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(name))


@contextmanager
def open_folder(path: Path, names: Iterable[str], *, new: bool = False) -> Iterator[Folder]:
    """For files of these names. It is made if needed, and gone again where nothing came of it. new:
    it must not be there. Raises OSError, which names the path; FileExistsError."""
    made = [each for each in (path, *path.parents) if not each.exists()]
    try:
        with named(path):
            path.mkdir(parents=True, exist_ok=not new)
            folder = Folder(path, names)
        with folder:
            yield folder
    finally:
        with suppress(OSError):  # something lies in it
            for each in made:
                each.rmdir()


def write_folder(folder: Path | Folder, contents: Mapping[str, Data], *, new: bool = False) -> Path:
    """Where the files went, as `Folder.put` does. Of a path that is none opened before: each in
    place of what is there now. new: the folder must not be there. Raises as these."""
    if isinstance(folder, Folder):
        folder.put(contents)
        return folder.path
    with open_folder(folder, contents, new=new) as opened:
        opened.put(contents)
    return folder


__all__ = ["Folder", "open_folder", "write_folder"]
