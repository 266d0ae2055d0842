"""An SQLite file in use, and whether it, and what SQLite keeps beside it, is what it was."""

import contextlib
import logging
import os
from pathlib import Path

from zkagent.prover.service.errors import EMPTIED, DatabaseLost
from zkagent.prover.service.queue.identities import Identity, identity, identity_at
from zkagent.prover.service.queue.log_index import LogIndex
from zkagent.prover.service.queue.removed_log import RemovedLog

log = logging.getLogger(__name__)

BESIDE = ("-wal", "-shm")  # SQLite's log of changes, and the index that its processes share


class OpenFile:
    """For its owner alone.

    path: as it was named; real: where links lead, and beside which SQLite keeps the others. Both
    absolute."""

    def __init__(self, path: Path, real: Path) -> None:
        """Made if needed. Raises OSError."""
        self.path = path
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            found = os.fstat(descriptor)
            if found.st_mode & 0o077 and found.st_uid == os.geteuid():
                os.fchmod(descriptor, 0o600)  # SQLite makes those beside it with the same rights
        finally:
            os.close(descriptor)
        self._identity = identity(found)
        self._real = real
        self._log, self._index_path = (real.with_name(f"{real.name}{end}") for end in BESIDE)
        self._beside: dict[Path, Identity | None] = {}
        self._index: LogIndex | None = None
        self.forget_beside()
        self._lost: DatabaseLost | None = None
        self._removed: RemovedLog | None = None  # once it is lost
        self.unsaved: str | None = None  # why what a removed log held is not in any file's log
        self.aside: Path | None = None  # where it is kept when that cannot be any more

    def forget_beside(self) -> None:
        """Once nobody of ours has the file open, who has it open may remove those beside it."""
        self._beside, self._index = {self._log: None, self._index_path: None}, None

    def check(self) -> None:
        """Raises DatabaseLost."""
        try:
            found = self.path.stat()
        except OSError as exc:
            raise _out_of_reach(self.path, exc) from exc
        if identity(found) != self._identity:
            raise DatabaseLost(str(self.path), "replaced by another one")
        if self._lost:
            path, what = self._lost.path, self._lost.what
            aside = str(self.aside) if self.aside else None
            raise DatabaseLost(path, what, can_return=False, unsaved=self.unsaved, aside=aside)

    def check_written(self) -> None:
        """After a change, that what lies beside the file for as long as anybody has that open is
        the same as before. If not, we go on writing into what nobody else can read, and that does
        not end when somebody has made another one. Raises DatabaseLost."""
        self.look()
        try:
            found = {path: known or identity_at(path) for path, known in self._beside.items()}
        except OSError as exc:
            raise _out_of_reach(self._log, exc) from exc
        self._beside = found
        ours, index = found.values()
        if self._index is None and ours and index:
            self._index = LogIndex(ours, index)
            self.look()  # whoever begins on a log that was emptied before has not looked at it yet
        self.check()

    def look(self) -> None:
        """Notice what is lost. Raises DatabaseLost where that cannot be seen."""
        try:
            if self._lost is None and self.is_itself:
                self.check_beside()
        except DatabaseLost as exc:
            if exc.can_return:
                raise
            self._lost = exc
            if exc.what != EMPTIED:
                self._removed = RemovedLog(self._real, *self._beside.values())
                self.unsaved = "that is being tried" if exc.path == str(self._log) else None

    def check_beside(self) -> None:
        """For this moment alone. Raises DatabaseLost."""
        try:
            fits = self._index is None or self._index.fits  # first: others go on beside our index
            for path, known in self._beside.items():
                found = identity_at(path)
                if found != known and known is not None:
                    what = "replaced by another one" if found else "removed"
                    raise DatabaseLost(str(path), what, can_return=False)
        except OSError as exc:
            raise _out_of_reach(self._log, exc) from exc
        if not fits:
            raise DatabaseLost(str(self._log), EMPTIED, can_return=False)

    @property
    def is_lost(self) -> bool:
        """Whether what was beside it is not there any more, which does not end."""
        return self._lost is not None

    @property
    def is_itself(self) -> bool:
        """Whether the file is seen there that was opened, beside which alone its log belongs."""
        with contextlib.suppress(OSError):
            return identity_at(self.path) == self._identity
        return False

    @property
    def is_unsaved(self) -> bool:
        """Whether the log is lost, and what it held may be in none that the next start reads.
        Raises OSError."""
        return self._removed is not None and self._removed.is_missing

    def save_log(self) -> None:
        """Raises OSError, LogEmptied."""
        if self._removed and self._removed.put_back():
            log.warning("what the log held when it was removed is saved: it lies there again")
        self.unsaved = self.aside = None

    def keep_overtaken_log(self) -> bool:
        """Beside the one that others have begun; whether they have. Raises OSError, LogEmptied."""
        if self._removed is None or not self._removed.is_overtaken:
            return False
        kept = self._removed.keep_aside()
        if kept != self.aside:
            log.error("what the log held when it was removed is kept aside: %s", kept)
        self.aside, self.unsaved = kept, None
        return True

    def give_up(self) -> None:
        """The log that was removed was emptied, too: what it held is nowhere, unless it was kept
        aside before."""
        if self.aside is None:
            self._lost = DatabaseLost(str(self._log), EMPTIED, can_return=False)
            self._removed = self.unsaved = None


def _out_of_reach(path: Path, exc: OSError) -> DatabaseLost:
    gone = isinstance(exc, FileNotFoundError)
    return DatabaseLost(str(path), "removed" if gone else f"out of reach ({exc.strerror})")


__all__ = ["BESIDE", "OpenFile"]
