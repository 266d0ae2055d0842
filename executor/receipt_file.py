"""Where a receipt lies on disk: its place is checked before anything is sent, since afterwards the
run has happened. Called by `zkagent run` and `zkagent demo`.
"""

from pathlib import Path
from tempfile import TemporaryFile

from circuits.cache import cache_root
from executor.errors import FileInTheWay
from executor.receipts import Receipt


def check_place(path: Path | None) -> None:
    """Raise OSError now if no receipt can be written to path, or to the cache folder for None, and
    FileInTheWay for a file: a receipt of another run cannot be made again."""
    if path and path.is_file():
        raise FileInTheWay(path)
    folder = path.parent if path else _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass


def keep(receipt: Receipt, path: Path | None, name: str) -> Path:
    """Write to path, or under this name to the cache folder. Raises OSError."""
    chosen = path or _folder() / f"{name}.json"
    chosen.parent.mkdir(parents=True, exist_ok=True)
    chosen.write_text(receipt.to_json())
    return chosen


def _folder() -> Path:
    return cache_root() / "receipts"


__all__ = ["check_place", "keep"]
