"""What was signed for each run, on disk before it leaves this process.

A file for each time that an instruction is carried out, in $ZKAGENT_HOME/runs (or the platform's
cache folder): `KEY-NUMBER.json`, where the key is a hash of chain, agent, account and prompt. All
transactions of one file have the same nonce, so at most one of them can ever be mined. A file is
replaced as a whole, and is on the disk before its transaction is sent; nothing is written that
could not be read again. A folder that cannot be listed says nothing: who asks it is refused. A file
that cannot be read may be the trace of a transaction: the instruction that it may be of is refused,
and others go on. A nonce that it holds is not known, but of two transactions of one nonce one at
most is mined.

Called by `carrier.py`; `zkagent runs` shows the files.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from zkagent.circuits.support.cache import RUNS, cache_root, files_in, home_refused
from zkagent.executor.runs import records
from zkagent.executor.runs.errors import (
    RunInHand,
    RunRecordDamaged,
    RunRecordRefused,
    RunsUnreadable,
    UnknownRun,
)
from zkagent.executor.runs.records import Intent, RunRecord, Signed

FRESH = ".new"  # ends the name of what is being written
LEFT_OVER_S = 86_400


class Journal:
    """The records in a folder. What is asked of it raises RunsUnreadable, and of one instruction
    RunRecordDamaged when a file that cannot be read may be of it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or runs_folder()

    def records(self) -> tuple[RunRecord, ...]:
        """All of them, the newest last. Raises RunRecordDamaged when one cannot be read."""
        found, damaged = self.look()
        if damaged:
            raise damaged[0]
        return found

    def look(self) -> tuple[tuple[RunRecord, ...], tuple[RunRecordDamaged, ...]]:
        """All that can be read, the newest last, and why the others cannot. Raises
        RunsUnreadable."""
        found, damaged = list[RunRecord](), list[RunRecordDamaged]()
        for path in self._files(".json"):
            try:
                found.append(records.read(path))
            except RunRecordDamaged as reason:
                damaged.append(reason)
        return tuple(sorted(found, key=lambda r: (r.created, r.nonce, r.id))), tuple(damaged)

    def of(self, intent: Intent) -> list[RunRecord]:
        """The records of an intent, the newest last."""
        found, damaged = self.look()
        _refuse(damaged, intent)
        return sorted((r for r in found if r.intent == intent), key=lambda r: r.number)

    def last(self, intent: Intent) -> RunRecord | None:
        """The newest record of an intent."""
        return next(reversed(self.of(intent)), None)

    def rivals(self, record: RunRecord) -> list[RunRecord]:
        """All others of its account's nonce, as far as they can be read."""
        return [
            other
            for other in self.look()[0]
            if other.intent.wallet == record.intent.wallet
            and other.nonce == record.nonce
            and other.id != record.id
        ]

    def find(self, beginning: str) -> RunRecord:
        """By its id or the beginning of it. Raises UnknownRun."""
        there, damaged = self.look()
        for reason in damaged:
            if beginning and reason.path.name.startswith(beginning):
                raise reason
        found = [record for record in there if beginning and record.id.startswith(beginning)]
        if len(found) != 1:
            raise UnknownRun(beginning, [record.id for record in found])
        _refuse(damaged, found[0].intent)
        return found[0]

    def add(self, intent: Intent, nonce: int, signed: Signed) -> RunRecord:
        """A new record, on the disk when this returns. Raises RunsUnreadable when it is not, and
        RunRecordRefused."""
        last = self.last(intent)
        name = f"{intent.key}-{last.number + 1 if last else 1}"
        record = RunRecord(name, intent, nonce, (signed,), created=int(time.time()))
        try:
            self.write(record)
        except OSError as exc:
            raise RunsUnreadable(self.folder, exc) from exc
        return record

    def write(self, record: RunRecord) -> None:
        """Replace the file, or make it: on the disk when this returns. Raises OSError, and
        RunRecordRefused for what could not be read again."""
        try:
            text = records.written(record)
            records.understood(text, self._path(record))
        except TypeError as exc:
            raise RunRecordRefused(record.id, str(exc)) from exc
        except RunRecordDamaged as exc:
            raise RunRecordRefused(record.id, exc.why) from exc
        self._make_folder()
        number, temporary = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=FRESH)
        try:
            with os.fdopen(number, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._path(record))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync(self.folder)
        self._sweep()

    def held_nonces(self, intent: Intent) -> set[int]:
        """Of all that is on its way from the intent's account on its chain, as far as it can be
        read."""
        wallet = intent.wallet
        return {r.nonce for r in self.look()[0] if r.unfinished and r.intent.wallet == wallet}

    @contextmanager
    def held(self, intent: Intent) -> Iterator[None]:
        """The intent is ours within the block. Raises RunInHand when it is another process's,
        RunsUnreadable, and HomeRefused where there is no folder and none can be made."""
        with self._lock(intent.key, wait=False):
            yield

    @contextmanager
    def choosing_nonce(self, intent: Intent) -> Iterator[None]:
        """No other process chooses a nonce for the account meanwhile."""
        wallet = sha256(repr(intent.wallet).encode()).hexdigest()[:16]
        with self._lock(f"account-{wallet}", wait=True):
            yield

    @contextmanager
    def _lock(self, name: str, *, wait: bool) -> Iterator[None]:
        number = self._open_lock(f"{name}.lock")
        try:
            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield
        except BlockingIOError as exc:
            raise RunInHand(name) from exc
        finally:
            os.close(number)

    def _open_lock(self, name: str) -> int:
        self._files(".json")
        try:
            self._make_folder()
        except OSError as exc:
            if self.folder.is_dir():
                raise RunsUnreadable(self.folder, exc) from exc
            raise home_refused(self.folder.parent, exc) from exc
        try:
            return os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as exc:
            raise RunsUnreadable(self.folder, exc) from exc

    def _files(self, end: str) -> list[Path]:
        try:
            return [path for path in files_in(self.folder) if path.name.endswith(end)]
        except OSError as exc:
            raise RunsUnreadable(self.folder, exc) from exc

    def _sweep(self) -> None:
        """Remove what was begun and never got its name, and so was not sent."""
        with suppress(OSError, RunsUnreadable):
            for path in self._files(FRESH):
                if path.name.startswith(".") and time.time() - path.stat().st_mtime > LEFT_OVER_S:
                    path.unlink(missing_ok=True)

    def _path(self, record: RunRecord) -> Path:
        return self.folder / f"{record.id}.json"

    def _make_folder(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)


def runs_folder() -> Path:
    return cache_root() / RUNS


def _refuse(damaged: Sequence[RunRecordDamaged], intent: Intent) -> None:
    for reason in damaged:
        if records.may_be_of(reason.path, intent):
            raise reason


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


__all__ = ["Intent", "Journal", "RunRecord", "Signed"]
