"""Rates and approvals of durable runs, in one SQLite file for all processes of a machine.

It holds names of agents, tools and principals, and inputs as they would be carried out, whose
secrets are tokens. Every change is one transaction that begins with the right to write.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.permissions.approvals import Request, State
from zkagent.executor.runtime.permissions.rates import Claim, room

BUSY_S = 30.0
TABLES = """
create table if not exists calls (scope text, at real, call text, primary key (scope, call));
create table if not exists approvals (digest text primary key, state text, asked real, request text)
"""


class Ledger:
    """Implements RateStore and ApprovalStore. All raise MemoryFault."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._changing() as base:
            for statement in TABLES.split(";"):
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
            for claim, kept, latest in found:
                base.execute(
                    "delete from calls where scope = ? and at <= ?",
                    [claim.scope, latest - claim.window_s],
                )
                if all(each != call for _, each in kept):
                    base.execute("insert into calls values (?, ?, ?)", [claim.scope, latest, call])
        return None

    def forget(self, scope: str) -> None:
        with self._changing() as base:
            base.execute("delete from calls where scope = ?", [scope])

    def add(self, request: Request) -> Request:
        with self._changing() as base:
            base.execute(
                "insert into approvals values (?, ?, ?, ?) on conflict do nothing",
                [request.digest, request.state, request.asked_s, json.dumps(asdict(request))],
            )
            found = _found(base, request.digest)
        assert found is not None
        return found

    def find(self, digest: str) -> Request | None:
        with self._changing() as base:
            return _found(base, digest)

    def decide(self, digest: str, state: State, by: str) -> Request | None:
        with self._changing() as base:
            found = _found(base, digest)
            if found is None or found.state != "waits":
                return None
            decided = Request(**{**asdict(found), "state": state, "by": by})
            base.execute(
                "update approvals set state = ?, request = ? where digest = ?",
                [state, json.dumps(asdict(decided)), digest],
            )
        return decided

    def waiting(self) -> Sequence[Request]:
        with self._changing() as base:
            rows = base.execute(
                "select request from approvals where state = 'waits' order by asked, digest"
            )
            return tuple(_read(text) for (text,) in rows)

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


def _found(base: sqlite3.Connection, digest: str) -> Request | None:
    row = base.execute("select request from approvals where digest = ?", [digest]).fetchone()
    return _read(row[0]) if row else None


def _read(text: str) -> Request:
    try:
        return Request(**json.loads(text))
    except (ValueError, TypeError) as exc:
        raise MemoryFault("an approval in the ledger of permissions cannot be read") from exc


__all__ = ["Ledger"]
