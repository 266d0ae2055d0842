"""Where a receipt lies on disk: its place is checked before anything is sent, since afterwards the
run has happened. Called by `zkagent run` and `zkagent demo`.
"""

from pathlib import Path

from zkagent.circuits.support.cache import cache_folder
from zkagent.executor import places
from zkagent.executor.chain.signatures import receipt_signer
from zkagent.executor.errors import FileInTheWay, MalformedReceipt
from zkagent.executor.receipts.format import Receipt, load_receipt, signed_text
from zkagent.models.whole import Place, place_of


def check_place(path: Path | None, *, resumed: bool = False) -> Place | None:
    """Refuse a file that is there, since a receipt of another run cannot be made again, and what
    cannot be written. None: the cache's folder. resumed: a receipt that is there may be the run's
    own, which `keep` finds out. Returns where `keep` puts it, whatever has the name by then. Raises
    PlaceRefused, HomeRefused."""
    if path is None:
        places.check_folder(_folder())
        return None
    if resumed and is_receipt(path):
        return place_of(path, new=True)
    return places.check_place(path)


def keep(receipt: Receipt, place: Place | None, name: str) -> Path:
    """Write to its place, or under this name to the cache folder, as a whole or not at all. The
    same receipt that is there stays, whatever its notes. Raises FileInTheWay, OSError."""
    if place is None:
        places.write_whole(chosen := _folder() / f"{name}.json", receipt.to_json())
        return chosen
    if place.file and is_receipt(place.file):
        if not _same(load_receipt(place.file), receipt):
            raise FileInTheWay(place.named)
    else:
        places.write_whole(place, receipt.to_json())
    return place.named


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
