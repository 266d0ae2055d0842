"""Who works here: registration, heartbeats, and what happens to the dead.

A worker is dead when its lease is free or its heartbeat has stood still, as the one who looks
counts the seconds: clocks are set, and those of several machines differ. Whoever notices first
takes its proofs away (which fences it, should it wake up), queues them again, and lets the engine
recover the runs that it held.

The table may forget somebody: a copy of the database is put back, or a worker was stopped for so
long that it counted as gone. Whoever lives enters again with its next heartbeat; whoever holds a
proof and is not in the table is entered by the others once it is dead, so that they can take over.
"""

import json
import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from zkagent.prover.durable.leases import Leases
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database, insert_once
from zkagent.prover.service.queue.tables import proofs, workers
from zkagent.prover.service.queue.trouble import Trouble
from zkagent.prover.service.wire.states import State

log = logging.getLogger(__name__)

#: dying: taken over from at the moment; left: it ended in order, and will be taken over from.
ALIVE, LEFT, DYING, DEAD = "alive", "left", "dying", "dead"
UNLISTED = "unlisted"  # in no row: it holds a proof, and the table has it as dead or not at all
HOLDING = (ALIVE, LEFT, DYING)
ALWAYS = sa.true()
MISSED_BEATS = 2
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Patience:
    """beat_s: between heartbeats. stale_s: a heartbeat older than this means death."""

    beat_s: float = 1.0
    stale_s: float = 30.0


class Roster:
    """The worker table, from one worker's point of view."""

    def __init__(
        self,
        database: Database,
        leases: Leases,
        worker: str,
        patience: Patience,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}  # worker -> (beats, when they last changed)
        self._database = database
        self._leases = leases
        self._worker = worker
        self._patience = patience
        self._slots = 1

    def join(self, slots: int, circuits: Collection[str] = ()) -> None:
        """Take the lease, then appear in the table; in this order, or we would look dead."""
        self._slots = slots
        self._leases.take(self._worker)
        with self._database.write() as connection:
            self._enter(connection, circuits=json.dumps(sorted(circuits)))

    def beat(
        self,
        children: list[int],
        circuits: Collection[str] = (),
        troubles: Sequence[Trouble] = (),
    ) -> None:
        """Say that we live, what we can prove, and how much memory we use. Raises LeaseLost."""
        self._leases.check()
        own, theirs = resident_bytes(os.getpid()), sum(map(resident_bytes, children))
        with self._database.write() as connection:
            values = {
                "state": ALIVE,
                "seen_at": self._database.now(connection),
                "memory_bytes": own,
                "children_bytes": theirs,
                "beats": workers.c.beats + 1,
                "circuits": json.dumps(sorted(circuits)),
                "troubles": json.dumps([trouble.to_json() for trouble in troubles]),
            }
            if not self._set(connection, self._worker, **values, **self._ours()):
                log.warning("this worker was in the table no more, entered again")
                self._enter(connection, **values | {"beats": 0})

    def _enter(self, connection: sa.Connection, **values: object) -> None:
        now = self._database.now(connection)
        row = {"id": self._worker, "state": ALIVE, "started_at": now, "seen_at": now}
        connection.execute(sa.insert(workers).values(row | self._ours() | values))

    def _ours(self) -> dict[str, object]:
        """Which others do not know, who entered us as dead."""
        return {"host": socket.gethostname(), "pid": os.getpid(), "slots": self._slots}

    def leave(self) -> None:
        """A planned end. Runs that the engine gave us and we did not begin are still in our name:
        whoever comes next takes them over."""
        try:
            with self._database.write() as connection:
                self._set(connection, self._worker, state=LEFT)
        finally:
            self._leases.close()

    def bury(self, claims: Claims, recover: Callable[[str], int]) -> list[str]:
        """Find workers that are dead, or have left, and give what they held to the living; their
        ids."""
        found = [suspect for suspect in self._suspects() if self._is_dead(suspect)]
        buried = [suspect for suspect in found if self._bury(suspect, claims, recover)]
        if left := [suspect.id for suspect in buried if suspect.state == LEFT]:
            log.info("took over from workers that had ended in order", extra={"workers": left})
        if dead := [suspect.id for suspect in buried if suspect.state != LEFT]:
            log.warning("took over from dead workers", extra={"workers": dead})
        return [suspect.id for suspect in buried]

    def _bury(self, suspect: "Suspect", claims: Claims, recover: Callable[[str], int]) -> bool:
        """Unless it has moved since we looked, or another one has buried it."""
        dying = LEFT if suspect.state == LEFT else DYING
        same = (workers.c.beats == suspect.beats) & workers.c.state.in_(HOLDING)
        with self._database.write() as connection:
            if suspect.state == UNLISTED:
                taken = self._enter_dying(connection, suspect.id)
            else:
                taken = self._set(connection, suspect.id, same, state=dying)
            if not taken:
                return False
            claims.release_dead(connection, suspect.id)
        recover(suspect.id)
        with self._database.write() as connection:
            self._set(connection, suspect.id, workers.c.state == dying, state=DEAD)
        return True

    def _enter_dying(self, connection: sa.Connection, worker: str) -> bool:
        """Unless it has entered itself since we looked."""
        now = self._database.now(connection)
        row = {"id": worker, "state": DYING, "started_at": now, "seen_at": now}
        if insert_once(connection, workers, row | {"host": "", "pid": 0, "slots": 0}):
            return True
        return self._set(connection, worker, workers.c.state == DEAD, state=DYING)

    def living(self) -> set[str]:
        """Workers that are alive, or about to be taken over from."""
        query = sa.select(workers.c.id).where(workers.c.state.in_(HOLDING))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def forget(self, before: float) -> None:
        """Delete workers that have not been seen since."""
        old = (workers.c.state == DEAD) & (workers.c.seen_at < before)
        with self._database.write() as connection:
            connection.execute(sa.delete(workers).where(old))

    def _suspects(self) -> "list[Suspect]":
        """The others that may hold something."""
        holding = workers.c.state.in_(HOLDING)
        listed = sa.select(workers.c.id, workers.c.state, workers.c.beats)
        theirs = (proofs.c.state == State.PROVING) & (proofs.c.worker != self._worker)
        theirs &= proofs.c.worker.not_in(sa.select(workers.c.id).where(holding))
        unlisted = sa.select(proofs.c.worker.label("id"), sa.literal(UNLISTED).label("state"))
        unlisted = unlisted.add_columns(sa.literal(0).label("beats")).where(theirs).distinct()
        with self._database.read() as connection:
            rows = connection.execute(listed.where(holding & (workers.c.id != self._worker))).all()
            rows = [*rows, *connection.execute(unlisted)]
        now, before = self._clock(), self._seen
        self._seen, found = {}, []
        for row in rows:
            beats, since = before.get(row.id, (None, now))
            since = since if beats == row.beats else now
            self._seen[row.id] = (row.beats, since)
            age_s = None if beats is None else now - since
            found.append(Suspect(row.id, row.state, row.beats, age_s))
        return found

    def _is_dead(self, suspect: "Suspect") -> bool:
        """Leases are only looked at when a few heartbeats are missing, or somebody is new to us:
        that costs a connection."""
        age_s, patience = suspect.age_s, self._patience
        if suspect.state not in (ALIVE, UNLISTED):
            return True
        if age_s is None:
            return self._leases.is_free(suspect.id)
        if age_s > patience.stale_s:
            return True
        return age_s > MISSED_BEATS * patience.beat_s and self._leases.is_free(suspect.id)

    def _set(
        self,
        connection: sa.Connection,
        worker: str,
        only_if: sa.ColumnElement[bool] = ALWAYS,
        /,
        **values: object,
    ) -> bool:
        """Whether there was anything to set."""
        ours = (workers.c.id == worker) & only_if
        return bool(connection.execute(sa.update(workers).where(ours).values(values)).rowcount)


@dataclass(frozen=True)
class Suspect:
    """Another worker that may hold something. age_s: for how long we have seen no heartbeat; None
    when we have not seen it before."""

    id: str
    state: str
    beats: int
    age_s: float | None


def resident_bytes(pid: int) -> int:
    """A process's resident memory; 0 when it is gone or the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


__all__ = ["Patience", "Roster", "resident_bytes"]
