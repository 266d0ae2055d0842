"""Where a receipt lies on disk: its place is checked before anything is sent, since afterwards the
run has happened. Called by `zkagent run` and `zkagent demo`.
"""

from pathlib import Path

from zkagent.circuits.support.cache import cache_folder
from zkagent.executor import places
from zkagent.executor.errors import FileInTheWay, MalformedReceipt
from zkagent.executor.receipts.format import Receipt, load_receipt


def check_place(path: Path | None, *, resumed: bool = False) -> None:
    """Refuse a file that is there, since a receipt of another run cannot be made again, and what
    cannot be written. None: the cache's folder. resumed: a receipt that is there may be the run's
    own, which `keep` finds out. Raises PlaceRefused, HomeRefused."""
    if path is None:
        places.check_folder(_folder())
    elif not (resumed and is_receipt(path)):
        places.check_place(path)


def keep(receipt: Receipt, path: Path | None, name: str) -> Path:
    """Write to path, or under this name to the cache folder, as a whole or not at all. A receipt of
    the same runs that is at `path` stays. Raises FileInTheWay, OSError."""
    chosen = path or _folder() / f"{name}.json"
    if path and is_receipt(path):
        if _transactions(load_receipt(path)) != _transactions(receipt):
            raise FileInTheWay(path)
    else:
        places.write_whole(chosen, receipt.to_json())
    return chosen


def _transactions(receipt: Receipt) -> list[str]:
    return [run.transaction.hash for run in receipt.runs]


def is_receipt(path: Path) -> bool:
    """Whether a receipt of a run is there."""
    try:
        return path.is_file() and bool(load_receipt(path).runs)
    except (MalformedReceipt, OSError):
        return False


def _folder() -> Path:
    return cache_folder("receipts")


__all__ = ["check_place", "is_receipt", "keep"]
