"""Where circuits and set-up files are kept, and how a file is told from a damaged one."""

import errno
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_dir

from zkagent.circuits.errors import HomeRefused, HomeUnknown
from zkagent.models.files import open_regular

VARIABLE = "ZKAGENT_HOME"
RUNS = "runs"  # below the root: records of what was signed, which no other folder has


def cache_root(cache: Path | None = None) -> Path:
    """`cache` if given, else $ZKAGENT_HOME, else the platform's cache folder. Raises
    HomeRefused."""
    if cache is not None:
        return cache.absolute()
    return given_home() or platform_folder(user_cache_dir)


def platform_folder(usual: Callable[[str], str]) -> Path:
    """Ours among those that the platform has for each account. usual: a function of platformdirs.
    Raises HomeUnknown."""
    try:
        folder = Path(usual("zkagent"))
    except RuntimeError as exc:
        raise HomeUnknown(os.environ.get("HOME")) from exc
    if not folder.is_absolute():
        raise HomeUnknown(os.environ.get("HOME"))
    return folder


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
    subject = f"{VARIABLE} is {text!r}"
    try:
        home = Path(text).expanduser()
        problem = _problem(home) if text else "it is empty"
    except (RuntimeError, ValueError) as exc:
        problem = str(exc)
    except OSError as exc:
        raise HomeRefused(subject, str(exc), _remedy(home)) from exc
    if problem:
        raise HomeRefused(subject, problem)
    return home


def home_refused(root: Path, exc: OSError) -> HomeRefused:
    """What to say when nothing can be read or written below `root`."""
    text = os.environ.get(VARIABLE)
    subject = f"{VARIABLE} is {text!r}" if _means(text, root) else f"our folder is {root}"
    where = f" at {exc.filename}" if exc.filename and str(exc.filename) != str(root) else ""
    return HomeRefused(subject, f"{exc.strerror or exc}{where}", _remedy(root))


def refused_below(exc: OSError) -> HomeRefused | None:
    """What to say of a file of our folder; None for others."""
    try:
        root = cache_root()
    except HomeRefused:
        return None
    return home_refused(root, exc) if _is_below(exc.filename, root) else None


def files_in(folder: Path) -> list[Path]:
    """What a folder holds, by name; nothing where it surely is not there. Raises OSError when that
    cannot be told, also for a link that leads nowhere: its disk may be back another time."""
    try:
        (folder / "..").stat()  # whoever cannot enter it knows names and nothing else
        return sorted(folder.iterdir())
    except FileNotFoundError:
        if any(each.is_symlink() and not each.exists() for each in (folder, *folder.parents)):
            raise
        return []


def _means(home: str | None, root: Path) -> bool:
    try:
        return home is not None and Path(home).expanduser() == root
    except RuntimeError:
        return False


def _remedy(root: Path) -> str:
    """Another folder is as good, unless this one, or the platform's that it would stand for, may
    know of runs."""
    roots = [root]
    if VARIABLE not in os.environ:
        with suppress(HomeUnknown):
            roots.append(platform_folder(user_cache_dir))
    return HomeRefused.MEND if any(map(_may_know, roots)) else HomeRefused.ELSEWHERE


def _may_know(root: Path) -> bool:
    """Whether there are records of runs, or no telling."""
    try:
        return any(path.name.endswith(".json") for path in files_in(root / RUNS))
    except OSError as exc:
        return not _never_was(exc, root)


def _never_was(exc: OSError, root: Path) -> bool:
    """Whether no folder can have been in the place of root: a file is, or its name is too long."""
    if exc.errno == errno.ENOTDIR:
        return not root.is_dir()
    return exc.errno == errno.ENAMETOOLONG


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


def _is_below(filename: object, root: Path) -> bool:
    """Whether the file of an OSError lies in `root`, or is that."""
    return isinstance(filename, str) and Path(filename).absolute().is_relative_to(root)


__all__ = ["RUNS", "cache_folder", "cache_root", "file_digest", "files_in", "given_home"]
__all__ += ["home_refused", "platform_folder", "refused_below"]
