"""Whether a log still has the record that its writer wrote or signed last.

It is looked at before anything is appended: a newer head would speak for whatever stands below it.
What other processes appended since is followed back by its hashes, from the end of the file.
"""

import os
from collections.abc import Iterator

from zkagent.executor.runtime.permissions.audit.anchors import Head
from zkagent.executor.runtime.permissions.audit.records import MOST_LINE, Record, log_id, read_line

BLOCK = 1 << 13  # some records: mostly the last one is the one that is looked for


def lost(number: int, head: Head) -> str | None:
    """number: of the open file. Why it is not the log that the head is of, or None. A torn last
    line counts for nothing, one that only lacks its end is a record."""
    try:
        found = _first(number)
        if found is not None and log_id(found) != head.log:
            return "it is another log"
        return _followed(number, head)
    except ValueError as exc:
        return f"a record of it is damaged: {exc}"


def _first(number: int) -> Record | None:
    """None: no whole line is there."""
    line, end, _ = os.pread(number, MOST_LINE + 1, 0).partition(b"\n")
    return read_line(line) if end else None


def _followed(number: int, head: Head) -> str | None:
    newer: Record | None = None
    for record in _records(number):
        if newer and (record.number, record.hash) != (newer.number - 1, newer.previous):
            return f"record {newer.number} does not follow the one before"
        if record.number == head.number:
            is_same = record.hash == head.hash
            return None if is_same else f"record {head.number} is another one than was written"
        if record.number < head.number:
            break
        newer = record
    return f"record {head.number} is missing: it was cut off"


def _records(number: int) -> Iterator[Record]:
    """From the last to the first. Raises ValueError."""
    lines = _lines(number)
    torn = next(lines, b"")
    try:
        last = read_line(torn) if torn else None
    except ValueError:
        last = None
    if last:
        yield last
    for line in lines:
        yield read_line(line)


def _lines(number: int) -> Iterator[bytes]:
    """From the end: first what stands after the last line's end, which is nothing in a whole log.
    Raises ValueError: one is longer than records are."""
    at, rest = os.fstat(number).st_size, b""
    while at:
        size = min(BLOCK, at)
        at -= size
        rest, *lines = (os.pread(number, size, at) + rest).split(b"\n")
        yield from reversed(lines)
        if len(rest) > MOST_LINE:
            raise ValueError(f"a line is longer than {MOST_LINE:,} bytes")
    if rest:
        yield rest


__all__ = ["lost"]
