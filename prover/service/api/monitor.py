"""Whether the service can take work, and what is wrong: looked at all the time, in a thread of its
own.

Whoever asks gets what was found last, so that no question waits for a database that hangs: a look
that does not come back is itself the finding.
"""

import asyncio
import contextlib
import json
import logging
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.tables import SCHEMA_VERSION, meta, proofs, workers
from zkagent.prover.service.queue.trouble import (
    LEAST_FREE_BYTES,
    Trouble,
    disk_trouble,
    trouble_of,
)
from zkagent.prover.service.wire.schemas import Health, TroubleView
from zkagent.prover.service.wire.states import NOT_READY, Cause, State

log = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
FRESH_S = 0.5
FRESH_WITHIN_S = 2.0
OVERDUE_S = 5.0
STALE_S = 30.0
JUMP_S = 30.0
JUMP_SHOWN_S = 600.0
PROBE = "probe"  # a row that is written, to see whether writing works


@dataclass(frozen=True)
class Finding:
    """What one look found. looked: by the monotonic clock."""

    troubles: tuple[Trouble, ...]
    workers: frozenset[str]
    looked: float


class Clock:
    """Notices when the wall clock is set: it then disagrees with the one that only counts."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self._jump: tuple[float, float] | None = None  # by how much, when

    def look(self) -> Trouble | None:
        now = time.monotonic()
        offset = time.time() - now
        if abs(offset - self._offset) > JUMP_S:
            self._jump = (offset - self._offset, now)
        self._offset = offset
        if self._jump is None or now - self._jump[1] > JUMP_SHOWN_S:
            return None
        seconds, when = self._jump
        ago = f"{now - when:.0f} s ago"
        return Trouble(Cause.CLOCK, f"this machine's clock was set by {seconds:+.0f} s, {ago}")


class Monitor:
    """Looks until it is closed. keys: what is wrong with circuits' files here, for people."""

    def __init__(
        self,
        database: Database,
        *,
        least_free_bytes: int = LEAST_FREE_BYTES,
        keys: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._database = database
        self._keys = keys
        self._least_free_bytes = least_free_bytes
        self._clock = Clock()
        self._beats: dict[str, tuple[int, float]] = {}  # worker -> (beats, when they changed)
        self._started = time.monotonic()
        self._found: Finding | None = None
        self._looking: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._wanted.set()
        self._thread.join(2)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What was found last, or that nothing is found any more."""
        now = time.monotonic()
        looked = self._found.looked if self._found else self._started
        found = self._found.troubles if self._found else ()
        if now - looked <= OVERDUE_S:
            return found
        late = Trouble(Cause.DATABASE, f"the database has not answered for {now - looked:.0f} s")
        return (late, *found)

    @property
    def living(self) -> frozenset[str]:
        """The workers whose heart beat at the last look."""
        return self._found.workers if self._found else frozenset()

    async def health(self) -> Health:
        """What is known, looked at afresh if that does not take long; once for all who ask."""
        if self._is_stale(time.monotonic()):
            if self._looking is None or self._looking.done():
                self._looking = asyncio.ensure_future(self._look_afresh())
            await asyncio.shield(self._looking)
        troubles, count = self.troubles, len(self.living)
        blocking = [trouble for trouble in troubles if trouble.cause in NOT_READY]
        shown = "; ".join(trouble.detail for trouble in blocking or troubles)
        return Health(
            status="not ready" if blocking or self._found is None else "ok",
            detail=shown or f"{count} workers",
            workers=count,
            troubles=[TroubleView(cause=t.cause, detail=t.detail) for t in troubles],
        )

    def _is_stale(self, now: float) -> bool:
        return self._found is None or now - self._found.looked > FRESH_S

    async def _look_afresh(self) -> None:
        asked = time.monotonic()
        while self._is_stale(asked) and time.monotonic() - asked < FRESH_WITHIN_S:
            self._wanted.set()
            await asyncio.sleep(0.02)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wanted.clear()
            self._found = self._look()
            self._wanted.wait(LOOK_EVERY_S)

    def _look(self) -> Finding:
        troubles, living = self._machine(), frozenset[str]()
        try:
            self._write()
            troubles += self._tables()
            seen = self._workers()
            living = frozenset(row.id for row in seen)
            troubles += self._proving(seen)
        except (sa.exc.SQLAlchemyError, DatabaseLost, OSError) as exc:
            troubles.append(trouble_of(exc))
        except Exception as exc:  # a row that nobody foresaw; it may be gone at the next look
            troubles.append(self._unforeseen(exc))
        return Finding(tuple(dict.fromkeys(troubles)), living, time.monotonic())

    def _unforeseen(self, exc: Exception) -> Trouble:
        """Written down once for as long as it lasts."""
        trouble = Trouble(Cause.DATABASE, f"what it holds cannot be read ({type(exc).__name__})")
        if self._found is None or trouble not in self._found.troubles:
            log.exception("a look at the database failed, trying again")
        return trouble

    def _machine(self) -> list[Trouble]:
        """This machine's disks, clock and circuits."""
        found = [self._clock.look(), *(Trouble(Cause.KEYS, words) for words in self._keys())]
        folders: list[Path] = [] if self._database.is_postgres else [self._database.folder]
        try:
            folders.append(Path(tempfile.gettempdir()))
        except OSError as exc:
            found.append(Trouble(Cause.DISK, f"no folder for temporary files: {exc.strerror}"))
        found += [disk_trouble(folder, self._least_free_bytes) for folder in folders]
        return [trouble for trouble in found if trouble]

    def _write(self) -> None:
        """Write something: what can be read may still be full, or read-only."""
        with self._database.write() as connection:
            ours = meta.c.name == PROBE
            stamp = {"value": str(int(time.time()))}
            if not connection.execute(sa.update(meta).where(ours).values(stamp)).rowcount:
                connection.execute(sa.insert(meta).values(name=PROBE, **stamp))

    def _tables(self) -> list[Trouble]:
        """Whether another zkagent has brought the tables to its own version under this one."""
        schema = sa.select(meta.c.value).where(meta.c.name == "schema")
        with self._database.read() as connection:
            found = connection.execute(schema).scalar()
        if found == str(SCHEMA_VERSION):
            return []
        words = f"its tables have version {found} now, this service reads {SCHEMA_VERSION}"
        return [Trouble(Cause.DATABASE, f"the database: {words}: start it anew with that zkagent")]

    def _workers(self) -> list[sa.Row[tuple[object, ...]]]:
        """Those that live, by their heartbeats as we count the seconds."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(workers).where(workers.c.state == "alive")).all()
            now = self._database.now(connection)
        tick, before, self._beats = time.monotonic(), self._beats, {}
        living = []
        for row in rows:
            beats, since = before.get(row.id, (None, tick))
            if beats is None and abs(now - row.seen_at) >= STALE_S:
                since = tick - STALE_S  # until its heart beats before our eyes
            elif beats != row.beats:
                since = tick
            self._beats[row.id] = (row.beats, since)
            if tick - since < STALE_S:
                living.append(row)
        return living

    def _proving(self, seen: Sequence[sa.Row[tuple[object, ...]]]) -> list[Trouble]:
        """What keeps workers from proving, and circuits that wait for a worker who has them."""
        found, offered = [], set()
        for row in seen:
            offered |= set(json.loads(str(row.circuits)))
            for fields in json.loads(str(row.troubles)):
                with contextlib.suppress(ValueError, KeyError):
                    cause, detail = Cause(fields["cause"]), str(fields["detail"])
                    cause = Cause.WORKER_DISK if cause is Cause.DISK else cause
                    found.append(Trouble(cause, f"worker {str(row.id)[:12]}: {detail}"))
        if not offered:
            return [
                Trouble(
                    Cause.WORKERS,
                    "no worker can prove anything now" if seen else "no worker is alive",
                ),
                *found,
            ]
        waiting = sa.select(proofs.c.circuit).where(proofs.c.state == State.WAITING).distinct()
        with self._database.read() as connection:
            missing = sorted(set(connection.execute(waiting).scalars()) - offered)
        for circuit in missing[:10]:
            words = f"proofs of circuit {circuit[:12]} wait, and no worker can prove it now"
            found.append(Trouble(Cause.CIRCUITS, words))
        return found


__all__ = ["Clock", "Monitor"]
