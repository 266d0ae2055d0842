"""What an operator signed for each request, on disk before it leaves this process.

A file for each request, in $ZKAGENT_HOME/answers (or the platform's cache folder), in a folder for
chain, desk and account. A file that cannot be read may be the trace of a transaction: nothing is
signed before somebody has looked at it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zkagent.circuits.support.cache import cache_root, files_in
from zkagent.executor.operating import records
from zkagent.executor.operating.errors import AnswerRecordsRefused, OperatorInHand
from zkagent.executor.operating.records import AnswerRecord, Place
from zkagent.models.whole import write_file

ANSWERS = "answers"


class AnswerJournal:
    """The records of one operator. Everything raises AnswerRecordsRefused, AnswerRecordDamaged."""

    def __init__(self, place: Place, root: Path | None = None) -> None:
        self.place = place
        self.folder = (root or cache_root() / ANSWERS) / place.key
        self._known: dict[str, AnswerRecord] | None = None

    def records(self) -> tuple[AnswerRecord, ...]:
        """By the number of the request. Read once: `held` keeps others from writing."""
        if self._known is None:
            self._known = {record.name: record for record in map(records.read, self._files())}
        return tuple(sorted(self._known.values(), key=lambda record: record.number))

    def of(self, number: int, request: str) -> AnswerRecord | None:
        """Of the request of this number and hash."""
        return next((r for r in self.records() if (r.number, r.request) == (number, request)), None)

    def write(self, record: AnswerRecord) -> AnswerRecord:
        """On the disk when this returns."""
        self.records()
        assert self._known is not None
        try:
            self._made()
            write_file(self.folder / record.name, records.written(record), private=True)
            _sync(self.folder)
        except OSError as exc:
            raise AnswerRecordsRefused(self.folder, exc) from exc
        self._known[record.name] = record
        return record

    @contextmanager
    def held(self) -> Iterator[None]:
        """The account is ours at this desk within the block. Raises OperatorInHand."""
        try:
            self._made()
            number = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as exc:
            raise AnswerRecordsRefused(self.folder, exc) from exc
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._known = None
            yield
        except BlockingIOError as exc:
            raise OperatorInHand(self.place.account) from exc
        finally:
            os.close(number)

    def _files(self) -> list[Path]:
        try:
            return [path for path in files_in(self.folder) if path.name.endswith(".json")]
        except OSError as exc:
            raise AnswerRecordsRefused(self.folder, exc) from exc

    def _made(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


__all__ = ["ANSWERS", "AnswerJournal"]
