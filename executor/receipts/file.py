"""Where a receipt lies on disk: its place is checked before anything is sent, since afterwards the
run has happened. Called by `zkagent run` and `zkagent demo`.
"""

from pathlib import Path

from zkagent.circuits.support.cache import cache_folder
from zkagent.executor import places
from zkagent.executor.receipts.format import Receipt


def check_place(path: Path | None) -> None:
    """Refuse a file that is there, since a receipt of another run cannot be made again, and what
    cannot be written. None: the cache's folder. Raises PlaceRefused, HomeRefused."""
    if path:
        places.check_place(path)
    else:
        places.check_folder(_folder())


def keep(receipt: Receipt, path: Path | None, name: str) -> Path:
    """Write to path, or under this name to the cache folder. Raises OSError."""
    chosen = path or _folder() / f"{name}.json"
    chosen.write_text(receipt.to_json())
    return chosen


def _folder() -> Path:
    return cache_folder("receipts")


__all__ = ["check_place", "keep"]
