"""Where a receipt lies on disk: its place is checked before anything is sent, since afterwards the
run has happened. Called by `zkagent run` and `zkagent demo`.
"""

from pathlib import Path

from zkagent.circuits.support.cache import cache_folder
from zkagent.executor import places
from zkagent.executor.chain.signatures import receipt_signer
from zkagent.executor.errors import FileInTheWay, MalformedReceipt
from zkagent.executor.receipts.format import Receipt, load_receipt, signed_text


def check_place(path: Path | None, *, resumed: bool = False) -> None:
    """Refuse a file that is there, since a receipt of another run cannot be made again, and what
    cannot be written. None: the cache's folder. resumed: a receipt that is there may be the run's
    own, which `keep` finds out. Raises PlaceRefused, HomeRefused."""
    if path is None:
        places.check_folder(_folder())
    elif not (resumed and is_receipt(path)):
        places.check_place(path)


def keep(receipt: Receipt, path: Path | None, name: str) -> Path:
    """Write to path, or under this name to the cache folder, as a whole or not at all. The same
    receipt that is at `path` stays, whatever its notes. Raises FileInTheWay, OSError."""
    chosen = path or _folder() / f"{name}.json"
    if path and is_receipt(path):
        if not _same(load_receipt(path), receipt):
            raise FileInTheWay(path)
    else:
        places.write_whole(chosen, receipt.to_json())
    return chosen


def _same(found: Receipt, receipt: Receipt) -> bool:
    """Whether the requester of `receipt` signed exactly its contents in `found`, too."""
    text = signed_text(receipt.document)
    return (
        signed_text(found.document) == text
        and receipt_signer(found.signature, text) == receipt.requester
    )


def is_receipt(path: Path) -> bool:
    """Whether a receipt of a run is there."""
    try:
        return path.is_file() and bool(load_receipt(path).runs)
    except (MalformedReceipt, OSError):
        return False


def _folder() -> Path:
    return cache_folder("receipts")


__all__ = ["check_place", "is_receipt", "keep"]
