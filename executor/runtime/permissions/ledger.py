"""Rates of durable runs, in one SQLite file for all processes of a machine.

It holds names of agents, runs and tools, and no inputs; what waits for approval is kept with its
run, see durable/approvals.py. Every change is one transaction that begins with the right to write.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.permissions.rates import LONGEST_WINDOW_S, Claim, room

BUSY_S = 30.0
TABLES = (
    "create table if not exists calls (scope text, at real, call text, primary key (scope, call))",
    "create index if not exists calls_by_age on calls (at)",
)


class Ledger:
    """Implements RateStore. All raise MemoryFault."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._changing() as base:
            for statement in TABLES:
                base.execute(statement)

    def take(self, claims: Sequence[Claim], call: str, now_s: float) -> int | None:
        with self._changing() as base:
            found = []
            for index, claim in enumerate(claims):
                rows = base.execute(
                    "select at, call from calls where scope = ? order by at, rowid", [claim.scope]
                )
                free, kept, latest = room(list(rows), claim, call, now_s)
                if not free:
                    return index
                found.append((claim, kept, latest))
            # Counts by no limit any more, whatever its scope: of runs that have ended, too.
            base.execute("delete from calls where at <= ?", [now_s - LONGEST_WINDOW_S])
            for claim, kept, latest in found:
                base.execute(
                    "delete from calls where scope = ? and at <= ?",
                    [claim.scope, latest - claim.window_s],
                )
                if all(each != call for _, each in kept):
                    base.execute("insert into calls values (?, ?, ?)", [claim.scope, latest, call])
        return None

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._make()
            with closing(sqlite3.connect(self._path, BUSY_S, isolation_level=None)) as base:
                base.execute("begin immediate")
                try:
                    yield base
                except BaseException:
                    base.execute("rollback")
                    raise
                base.execute("commit")
        except (sqlite3.Error, OSError) as exc:
            raise MemoryFault(f"{self._path}: the ledger of permissions: {exc}") from exc

    def _make(self) -> None:
        """For the owner's eyes alone."""
        flags = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(self._path, os.O_RDWR | flags, 0o600))


__all__ = ["Ledger"]
