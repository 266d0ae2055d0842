"""What a log of SQLite's that lies where another one was has that this does not have.

By https://www.sqlite.org/fileformat2.html#walformat: a header, then frames of a page each, of
which those count that have the header's salts and are not behind the last one that ends a
transaction. A log that is begun anew has the next first salt and a checkpoint number, and by then
all that it held before is in the database's file. Whoever writes into an empty log and never began
one anew draws both salts by lot, and writes no checkpoint number.
"""

import os
from enum import Enum, auto
from pathlib import Path
from typing import BinaryIO

HEADER, FRAME_HEADER = 32, 24
PAGE_SIZE, CHECKPOINTS, SALTS = slice(8, 12), slice(12, 16), slice(16, 24)
FRAMES_SALTS = slice(8, 16)
PAGES_AFTER = slice(4, 8)  # of a frame that ends a transaction, else 0
LATEST = 1 << 12  # as often a log was begun anew at most: another one's salts are any


class Lies(Enum):
    NOTHING = auto()  # or nothing that counts, or only the beginning of ours
    OURS = auto()  # or what goes on from all that ours has
    OTHERS = auto()  # what others have written, without ours


def is_empty(path: Path) -> bool:
    """Also where there is none."""
    try:
        return path.stat().st_size <= HEADER
    except FileNotFoundError:
        return True


def compare(ours: BinaryIO, path: Path) -> Lies:
    """Raises OSError."""
    try:
        theirs = path.open("rb")
    except FileNotFoundError:
        return Lies.NOTHING
    with theirs:
        ours.seek(0)
        header = ours.read(HEADER)
        size = FRAME_HEADER + int.from_bytes(header[PAGE_SIZE])
        if not _ends_transactions(ours, 0, size, header[SALTS]):
            return Lies.OURS
        found = theirs.read(HEADER)
        if found == header:
            return _compare_frames(ours, theirs, size, header[SALTS])
        begun_anew = (_first_salt(found) - _first_salt(header)) % (1 << 32)
        if any(found[CHECKPOINTS]) and 0 < begun_anew <= LATEST:
            return Lies.OURS
        return Lies.OTHERS if _ends_transactions(theirs, 0, size) else Lies.NOTHING


def _compare_frames(ours: BinaryIO, theirs: BinaryIO, size: int, salts: bytes) -> Lies:
    frame = 0
    ours.seek(HEADER)
    theirs.seek(HEADER)
    while (expected := ours.read(size)) and theirs.read(size) == expected:
        frame += 1
    if not _ends_transactions(ours, frame, size, salts):
        return Lies.OURS
    return Lies.OTHERS if _ends_transactions(theirs, frame, size, salts) else Lies.NOTHING


def _ends_transactions(log: BinaryIO, frame: int, size: int, salts: bytes | None = None) -> bool:
    """Whether a whole frame from this one on does; salts: and has these."""
    end = log.seek(0, os.SEEK_END)
    for offset in range(HEADER + frame * size, end - size + 1, size):
        log.seek(offset)
        header = log.read(FRAME_HEADER)
        if any(header[PAGES_AFTER]) and salts in (None, header[FRAMES_SALTS]):
            return True
    return False


def salts_of(log: BinaryIO) -> bytes:
    """By which no other log is the same. Raises OSError."""
    log.seek(0)
    return log.read(HEADER)[SALTS]


def _first_salt(header: bytes) -> int:
    return int.from_bytes(header[SALTS][:4])


__all__ = ["FRAME_HEADER", "HEADER", "SALTS", "Lies", "compare", "is_empty", "salts_of"]
