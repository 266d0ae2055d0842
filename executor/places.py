"""Whether a result can be written where it was asked for: found out before the work on it begins.

Called by the commands whose result costs gas or minutes: `zkagent prove`, `deploy`, `run`, `demo`.
"""

import os
from pathlib import Path
from tempfile import TemporaryFile

from zkagent.executor.errors import FileInTheWay, PlaceRefused


def check_place(path: Path, *, replace: bool = False) -> None:
    """Refuse a file that could not be written at `path`. Nothing is left there.

    replace: a file that is there may be overwritten, since it can be made again. Raises
    FileInTheWay, PlaceRefused.
    """
    try:
        _check(path, replace)
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


def _check(path: Path, replace: bool) -> None:
    if path.is_dir():
        raise PlaceRefused(path, "it is a folder")
    if path.is_file() and not replace:
        raise FileInTheWay(path)
    if path.exists():
        if not os.access(path, os.W_OK):
            raise PlaceRefused(path, "it is write-protected")
        return
    folder = path.resolve().parent  # of what a dangling link points to
    if not folder.is_dir():
        raise PlaceRefused(path, f"there is no folder {folder}")
    _check_folder(folder)


def _check_folder(folder: Path) -> None:
    with TemporaryFile(dir=folder):
        pass


__all__ = ["check_folder", "check_new_folder", "check_place"]
