"""The audit log: one file that is only ever appended to, by any number of processes.

Each record is on the disk before `record` returns. A process that ends within a write leaves a torn
last line: whoever writes next takes it off and records that it did. After each record the head is
signed, if there is a key. Before, the log is compared with the head that this writer saw last and
with the one that its anchor has: nothing is appended to, or signed over, a log that was cut off.
"""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.core.json_values import Json, JsonObject
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.permissions.audit.anchors import Head
from zkagent.executor.runtime.permissions.audit.known import lost
from zkagent.executor.runtime.permissions.audit.recorder import keyed_digest
from zkagent.executor.runtime.permissions.audit.records import (
    LOG_BYTES,
    MOST_LINE,
    NOTHING,
    Record,
    log_id,
    read_line,
)

KEY_BYTES = 32
#: Puts a head where whoever changes the log cannot follow.
Anchor = Callable[[Head], None]


@runtime_checkable
class KeepsHead(Protocol):
    """An anchor that knows which head it got last, from any process."""

    def last(self) -> Head | None:
        """None: it got none yet. Raises AuditBroken."""


def _now() -> datetime:
    return datetime.now(UTC)


class AuditLog:
    """Implements Audit. anchor: gets each new head, within the log's lock; of one that has `last`
    the log must have that head's record.

    The key of digests is in a file beside the log, `NAME.key`: with it an owner can show what a
    digest stood for, and nobody can try guesses without. All raise AuditBroken.
    """

    def __init__(
        self, path: Path, *, anchor: Anchor | None = None, clock: Callable[[], datetime] = _now
    ) -> None:
        self.path, self._anchor, self._clock = path, anchor, clock
        self._key = _key(path.with_name(path.name + ".key"))
        self._seen: Head | None = None

    def digest(self, value: Json) -> str:
        return keyed_digest(self._key, value)

    async def record(self, what: JsonObject) -> None:
        await apart(self.append, what)

    def append(self, what: JsonObject) -> Head:
        """Returns the new head."""
        try:
            with _locked(self.path) as number:
                return self._append(number, what)
        except OSError as exc:
            raise AuditBroken(f"{self.path}: the audit log cannot be written: {exc}") from exc

    def head(self) -> Head:
        """Of all that is written; a log without records gets its first."""
        try:
            with _locked(self.path) as number:
                self._compare(number)
                self._seen = Head.of(*self._ends(number))
                return self._seen
        except OSError as exc:
            raise AuditBroken(f"{self.path}: the audit log cannot be read: {exc}") from exc

    def _append(self, number: int, what: JsonObject) -> Head:
        self._compare(number)
        first, last = self._ends(number)
        record = self._next(last, what)
        _write(number, record.line())
        self._seen = head = Head.of(first, record)
        if self._anchor:
            self._anchor(head)
        return head

    def _compare(self, number: int) -> None:
        """Before anything is written, a torn line taken off included."""
        anchor: object = self._anchor
        kept = anchor.last() if isinstance(anchor, KeepsHead) else None
        for head in {each for each in (self._seen, kept) if each is not None}:
            if why := lost(number, head):
                raise AuditBroken(
                    f"{self.path}: the audit log is not the one that was written up to record "
                    f"{head.number}: {why}; keep log and head aside as they are, and begin others"
                )

    def _next(self, last: Record | None, what: JsonObject) -> Record:
        time = self._clock().isoformat()
        if last is None:
            return Record(0, time, NOTHING, what)
        return Record(last.number + 1, time, last.hash, what)

    def _ends(self, number: int) -> tuple[Record, Record]:
        """The first and the last record; a torn line is taken off before, of a file that is known
        by its first one."""
        size = os.fstat(number).st_size
        if not size:
            begun = self._next(None, {"kind": "begun", "log": secrets.token_hex(LOG_BYTES)})
            _write(number, begun.line())
            return begun, begun
        line, end, _ = os.pread(number, MOST_LINE + 1, 0).partition(b"\n")
        first = None if not end and _is_begun(line) else self._read(line, is_first=True)
        tail = os.pread(number, 2 * MOST_LINE, max(0, size - 2 * MOST_LINE))
        if torn := tail[tail.rfind(b"\n") + 1 :]:
            if len(torn) > MOST_LINE:
                self._read(torn)  # longer than any that a writer left
            self._repair(number, size, torn)
            return self._ends(number)
        assert first is not None
        return first, self._read(tail[:-1].rsplit(b"\n", 1)[-1])

    def _read(self, line: bytes, *, is_first: bool = False) -> Record:
        try:
            record = read_line(line)
            if is_first:
                log_id(record)
        except ValueError as exc:
            where = "first" if is_first else "last"
            raise AuditBroken(
                f"{self.path}: the {where} record of the audit log is damaged: {exc}; keep the "
                "file aside and begin another"
            ) from exc
        return record

    def _repair(self, number: int, size: int, torn: bytes) -> None:
        """A whole record that only lacks the end of its line stays."""
        try:
            read_line(torn)
        except ValueError:
            os.ftruncate(number, size - len(torn))
            _, last = self._ends(number)
            what: JsonObject = {"kind": "repaired", "bytes": len(torn), "sha256": _sha256(torn)}
            _write(number, self._next(last, what).line())
        else:
            _write(number, b"")


def _is_begun(torn: bytes) -> bool:
    """Whether it is how the first line of a log begins: so nobody else's file is cut off."""
    like = Record(0, "", NOTHING, {}).line()
    known = like[: like.index(b'"time":"') + len(b'"time":"')]
    digits, place = b"0123456789abcdef", like.index(b'":"') + 3
    return all(
        each in digits if place <= at < place + len(NOTHING) else each == right
        for at, (each, right) in enumerate(zip(torn, known, strict=False))
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(number: int, line: bytes) -> None:
    content = line + b"\n"
    while content:
        content = content[os.write(number, content) :]
    os.fsync(number)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The file, which is made if needed, for us alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    number = os.open(path, os.O_RDWR | os.O_APPEND | flags, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield number
    finally:
        os.close(number)


def _key(path: Path) -> bytes:
    """Made once. Raises AuditBroken."""
    try:
        with _locked(path) as number:
            key = os.pread(number, KEY_BYTES + 1, 0)
            if not key:
                key = secrets.token_bytes(KEY_BYTES)
                os.write(number, key)
                os.fsync(number)
    except OSError as exc:
        raise AuditBroken(f"{path}: the key of the audit log: {exc}") from exc
    if len(key) != KEY_BYTES:
        raise AuditBroken(f"{path}: the key of the audit log has {len(key)} bytes, not {KEY_BYTES}")
    return key


__all__ = ["Anchor", "AuditLog"]
