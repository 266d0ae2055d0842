"""Whether a result can be written where it was asked for: found out before the work on it begins.
And how it is written: as a whole or not at all.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

from zkagent.executor.errors import FileInTheWay, PlaceRefused
from zkagent.models.files import read_limited
from zkagent.models.folders import Folder, open_folder
from zkagent.models.mounts import is_mounted
from zkagent.models.whole import EXCLUSIVELY, Place, place_of

MOST_REPLACED_BYTES = 1 << 28


def nothing(text: str) -> bool:
    """What is in no file that may be replaced."""
    return False


def check_place(path: Path, *, replaceable: Callable[[str], bool] = nothing) -> Place:
    """Refuse a file that could not be written at `path`. Nothing is left there.

    Returns where it is written when the work on it is done, whatever has the name by then: where
    there is nothing now, nothing is overwritten. replaceable: whether a file with this text may be,
    since it can be made again; an empty one always may. Raises FileInTheWay, PlaceRefused.
    """
    try:
        return _check(path, replaceable)
    except OSError as exc:
        raise PlaceRefused(path, exc.strerror or str(exc)) from exc


def check_folder(folder: Path) -> None:
    """Refuse a folder in which no file can be made. Raises PlaceRefused."""
    try:
        _check_folder(folder)
    except OSError as exc:
        raise PlaceRefused(folder, exc.strerror or str(exc)) from exc


def check_new_folder(folder: Path) -> None:
    """Refuse a folder that is not there and could not be made, or in which no file can be made.
    Raises PlaceRefused."""
    try:
        there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
        if not there.is_dir():
            raise PlaceRefused(folder, f"{there} is a file")
    except OSError as exc:
        raise PlaceRefused(folder, exc.strerror or str(exc)) from exc
    try:
        _check_folder(there)
    except OSError as exc:
        raise PlaceRefused(folder, exc.strerror or str(exc)) from exc


@contextmanager
def results_folder(
    path: Path, files: Collection[str], replaceable: Callable[[Path], bool]
) -> Iterator[Folder]:
    """Where `files` will be written: refused where they could not be, or where some are that are
    not to be replaced; made if needed, and gone again where nothing came of it. replaceable:
    whether those in this folder can be made again. What gets a name of theirs later stays. Raises
    FileInTheWay, PlaceRefused."""
    check_new_folder(path)
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(open_folder(path, files))
        except OSError as exc:
            raise PlaceRefused(path, exc.strerror or str(exc)) from exc
        if folder.found and not replaceable(path.absolute()):
            raise FileInTheWay(path / next(iter(folder.found)))
        try:
            yield folder
        except FileExistsError as exc:
            taken = Path(str(exc.filename))
            if taken.parent != path:
                raise
            raise FileInTheWay(taken) from exc


def write_whole(place: Path | Place, text: str, *, private: bool = False) -> None:
    """As a whole, or what is there stays as it is; into a pipe or a device as it comes. private:
    for the owner's eyes alone. Raises FileInTheWay for what is there by now where nothing was;
    OSError, which names the path."""
    found = place if isinstance(place, Place) else place_of(place)
    try:
        found.put(text.encode(), private=private)
    except FileExistsError as exc:
        if not found.new:
            raise
        raise FileInTheWay(found.named) from exc


class HeldFile:
    """A new file that is there before its text is, so that nobody else takes its place, and that
    goes with what it tells of. Raises FileInTheWay, PlaceRefused."""

    def __init__(self, path: Path, *, private: bool = False) -> None:
        mode = 0o600 if private else 0o666
        try:
            self._number = os.open(path, os.O_RDWR | EXCLUSIVELY, mode)
        except FileExistsError:
            raise FileInTheWay(path) from None
        except OSError as exc:
            raise PlaceRefused(path, exc.strerror or str(exc)) from exc
        self.path, self._text = path, b""

    def write(self, text: str) -> None:
        """Raises FileInTheWay when somebody else has written there meanwhile; OSError."""
        if not self._is_ours():
            raise FileInTheWay(self.path)
        self._text = text.encode()
        written = 0
        while written < len(self._text):  # or the disk is full
            written += os.pwrite(self._number, self._text[written:], written)

    def close(self) -> None:
        """What somebody else has put there meanwhile stays."""
        try:
            if self._is_ours():
                self.path.unlink()
        finally:
            os.close(self._number)

    def _is_ours(self) -> bool:
        """What was cut off by a full disk is."""
        try:
            found = os.fstat(self._number)
            there = os.pread(self._number, len(self._text) + 1, 0)
            return os.path.samestat(self.path.lstat(), found) and self._text.startswith(there)
        except OSError:
            return False


@contextmanager
def held_files(folder: Path, name: str, private: str) -> Iterator[tuple[HeldFile, HeldFile]]:
    """Two new files in a folder, which is made for them if it is not there, and which go with the
    block; the second is for the owner's eyes alone. Raises like HeldFile."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    with ExitStack() as stack:
        stack.callback(_remove_empty, made)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise PlaceRefused(folder, exc.strerror or str(exc)) from exc
        first = stack.enter_context(closing(HeldFile(folder / name)))
        yield first, stack.enter_context(closing(HeldFile(folder / private, private=True)))


def _remove_empty(folders: Iterable[Path]) -> None:
    with suppress(OSError):  # somebody has put something there, or it was never made
        for each in folders:
            each.rmdir()


def _check(path: Path, replaceable: Callable[[str], bool]) -> Place:
    if path.is_dir():
        raise PlaceRefused(path, "it is a folder")
    place = place_of(path)
    holds_some = path.is_file() and path.stat().st_size > 0
    if holds_some and not _may_go(path, replaceable):
        raise FileInTheWay(path)
    if path.exists() and not os.access(path, os.W_OK):
        raise PlaceRefused(path, "it is write-protected")
    if place.file:  # perhaps what a dangling link points to
        if not place.file.parent.is_dir():
            raise PlaceRefused(path, f"there is no folder {place.file.parent}")
        _check_folder(place.file.parent)
        if place.file.exists() and (why := _hindrance(place.file)):
            raise PlaceRefused(path, why)
    return replace(place, new=not holds_some)


def _hindrance(file: Path) -> str:
    """Why no other file could get this one's name; empty if nothing says so."""
    if is_mounted(file):
        return "it is mounted by itself: mount the folder that it lies in"
    found, folder = file.stat(), file.parent.stat()
    if folder.st_mode & stat.S_ISVTX and os.geteuid() not in (0, found.st_uid, folder.st_uid):
        return f"it is somebody else's, who alone may replace it in {file.parent}"
    return ""


def _may_go(path: Path, replaceable: Callable[[str], bool]) -> bool:
    try:
        return replaceable(read_limited(path, MOST_REPLACED_BYTES).decode())
    except UnicodeDecodeError:
        return False
    except OSError as exc:
        if exc.errno != errno.EFBIG:
            raise
        return False


def _check_folder(folder: Path) -> None:
    with TemporaryFile(dir=folder):
        pass


__all__ = ["HeldFile", "check_folder", "check_new_folder", "check_place", "held_files"]
__all__ += ["results_folder", "write_whole"]
