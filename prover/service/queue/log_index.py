"""SQLite's index of its log, as this process has it open, and whether the log is as it says.

A log that somebody empties or writes over keeps its inode. SQLite, which goes by the index, then
writes on behind the hole, and moves the hole into the database's file.

By https://www.sqlite.org/walformat.html: the index begins with two equal headers in the machine's
byte order, that say how large a page is, how many frames of the log count, the checksum of the last
of these, which is one of all before it, too, and the salts of the log's header. From before a log
is begun anew until a first transaction has ended in it, none counts.
"""

import struct

from zkagent.prover.service.queue.identities import HeldFile, Identity
from zkagent.prover.service.queue.other_log import FRAME_HEADER, HEADER, SALTS

SAYS = struct.Struct("=14xHI4xII8s8x")  # page size, frames, checksum, salts
LARGEST_PAGE = 1 << 16  # which is written as 1
SALTS_AND_CHECKSUM = slice(8, 24)  # of a frame


class LogIndex:
    def __init__(self, log: Identity, index: Identity) -> None:
        self._log, self._index = HeldFile(log), HeldFile(index)

    @property
    def fits(self) -> bool:
        """Whether the log begins and ends as it says; also where it says of no frame that it
        counts, is being changed, or cannot be read."""
        said = self._header()
        return not said or self._log_is(said) or self._header() != said

    @property
    def counts(self) -> bool:
        """Whether it says of any frame that it counts."""
        return bool(self._header())

    def _header(self) -> bytes:
        """Empty if there is none, or no frame counts."""
        found = self._index.read(2 * SAYS.size) or b""
        said = found[: SAYS.size]
        if len(found) < 2 * SAYS.size or found != 2 * said:
            return b""
        return said if SAYS.unpack(said)[1] else b""

    def _log_is(self, said: bytes) -> bool:
        page_size, frames, *checksum, salts = SAYS.unpack(said)
        page_size = LARGEST_PAGE if page_size == 1 else page_size
        begins = self._log.read(HEADER)
        ends = self._log.read(FRAME_HEADER, HEADER + (frames - 1) * (FRAME_HEADER + page_size))
        if begins is None or ends is None:
            return True
        last = salts + struct.pack(">II", *checksum)
        return (begins[SALTS], ends[SALTS_AND_CHECKSUM]) == (salts, last)


__all__ = ["LogIndex"]
