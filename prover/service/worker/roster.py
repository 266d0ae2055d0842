"""Who works here: registration, heartbeats, and what happens to the dead.

A worker is dead when its lease is free or its heartbeat has stood still. Whoever notices first
takes its proofs away (which fences it, should it wake up), queues them again, and lets the engine
recover the runs that it held.
"""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.leases import Leases
from zkagent.prover.service.queue.tables import workers

ALIVE, DYING, DEAD = "alive", "dying", "dead"
MISSED_BEATS = 2
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Patience:
    """beat_s: between heartbeats. stale_s: a heartbeat older than this means death."""

    beat_s: float = 1.0
    stale_s: float = 30.0


class Roster:
    """The worker table, from one worker's point of view."""

    def __init__(self, database: Database, leases: Leases, worker: str, patience: Patience) -> None:
        self._database = database
        self._leases = leases
        self._worker = worker
        self._patience = patience

    def join(self, slots: int) -> None:
        """Take the lease, then appear in the table; in this order, or we would look dead."""
        self._leases.take(self._worker)
        with self._database.write() as connection:
            now = self._database.now(connection)
            row = {
                "id": self._worker,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "slots": slots,
                "state": ALIVE,
                "started_at": now,
                "seen_at": now,
            }
            connection.execute(sa.insert(workers).values(row))

    def beat(self, children: list[int]) -> None:
        """Say that we live, and how much memory we use. Raises LeaseLost."""
        self._leases.check()
        own, theirs = resident_bytes(os.getpid()), sum(map(resident_bytes, children))
        with self._database.write() as connection:
            values = {
                "state": ALIVE,
                "seen_at": self._database.now(connection),
                "memory_bytes": own,
                "children_bytes": theirs,
            }
            self._set(connection, self._worker, **values)

    def leave(self) -> None:
        """A planned end. Runs that the engine gave us and we did not begin are still in our name:
        whoever comes next takes them over, as from the dead."""
        with self._database.write() as connection:
            self._set(connection, self._worker, state=DYING)
        self._leases.close()

    def bury(self, claims: Claims, recover: Callable[[str], int]) -> list[str]:
        """Find dead workers and give what they held to the living; their ids."""
        found = [worker for worker in self._suspects() if self._is_dead(*worker)]
        for worker, _, _ in found:
            with self._database.write() as connection:
                claims.release_dead(connection, worker)
                self._set(connection, worker, state=DYING)
            recover(worker)
            with self._database.write() as connection:
                self._set(connection, worker, state=DEAD)
        return [worker for worker, _, _ in found]

    def forget(self, before: float) -> None:
        """Delete workers that have not been seen since."""
        old = (workers.c.state == DEAD) & (workers.c.seen_at < before)
        with self._database.write() as connection:
            connection.execute(sa.delete(workers).where(old))

    def _suspects(self) -> list[tuple[str, str, float]]:
        """(id, state, seconds since the last heartbeat) of the others that may hold something."""
        others = workers.c.state.in_((ALIVE, DYING)) & (workers.c.id != self._worker)
        query = sa.select(workers.c.id, workers.c.state, workers.c.seen_at).where(others)
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            now = self._database.now(connection) if rows else 0.0
        return [(row.id, row.state, now - row.seen_at) for row in rows]

    def _is_dead(self, worker: str, state: str, age_s: float) -> bool:
        """Leases are only looked at when a few heartbeats are missing: that costs a connection."""
        if state == DYING or age_s > self._patience.stale_s:
            return True
        return age_s > MISSED_BEATS * self._patience.beat_s and self._leases.is_free(worker)

    def _set(self, connection: sa.Connection, worker: str, **values: object) -> None:
        connection.execute(sa.update(workers).where(workers.c.id == worker).values(values))


def resident_bytes(pid: int) -> int:
    """A process's resident memory; 0 when it is gone or the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


__all__ = ["Patience", "Roster", "resident_bytes"]
