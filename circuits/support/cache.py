"""Where circuits and set-up files are kept, and how a file is told from a damaged one."""

import hashlib
import os
from pathlib import Path

from platformdirs import user_cache_dir

from zkagent.circuits.errors import HomeRefused
from zkagent.models.files import open_regular

VARIABLE = "ZKAGENT_HOME"


def cache_root(cache: Path | None = None) -> Path:
    """`cache` if given, else $ZKAGENT_HOME, else the platform's cache folder. Raises
    HomeRefused."""
    if cache is not None:
        return cache.absolute()
    return given_home() or Path(user_cache_dir("zkagent"))


def cache_folder(*names: str, cache: Path | None = None) -> Path:
    """A folder below `cache_root`, made if needed. Raises HomeRefused."""
    root = cache_root(cache)
    folder = root.joinpath(*names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise home_refused(root, exc) from exc
    return folder


def given_home() -> Path | None:
    """What $ZKAGENT_HOME names, if it is set: an absolute path, so that every process of ours means
    the same folder. Raises HomeRefused where no folder is or can be."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return None
    try:
        home = Path(text).expanduser()
        problem = _problem(home) if text else "it is empty"
    except (RuntimeError, OSError, ValueError) as exc:
        problem = str(exc)
    if problem:
        raise HomeRefused(f"{VARIABLE} is {text!r}", problem)
    return home


def home_refused(root: Path, exc: OSError) -> HomeRefused:
    """What to say when nothing can be written below `root`."""
    text = os.environ.get(VARIABLE)
    named = text is not None and Path(text).expanduser() == root
    subject = f"{VARIABLE} is {text!r}" if named else f"our folder is {root}"
    where = f" at {exc.filename}" if exc.filename and str(exc.filename) != str(root) else ""
    return HomeRefused(subject, f"{exc.strerror or exc}{where}")


def _problem(home: Path) -> str:
    """Why nothing can be kept there; empty when there is a folder, or one can be made."""
    if not home.is_absolute():
        return "it is not absolute"
    if home.is_dir():
        return ""
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    if not there.is_dir():
        return f"{there} is a file"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"nothing can be made in {there}"


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex, without holding it in memory."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_below(filename: object, root: Path) -> bool:
    """Whether the file of an OSError lies in `root`, or is that."""
    return isinstance(filename, str) and Path(filename).absolute().is_relative_to(root)


__all__ = ["cache_folder", "cache_root", "file_digest", "given_home", "home_refused"]
__all__ += ["is_below"]
