"""Questions and answers of steps that wait, beside the runs that they are of: any process that has
the database answers them, and whoever goes on with a run finds the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import RecordsBroken
from zkagent.executor.runtime.core.json_values import canonical
from zkagent.executor.runtime.durable.database import RunsDatabase
from zkagent.executor.runtime.durable.seals import same
from zkagent.executor.runtime.durable.tables import approvals
from zkagent.executor.runtime.permissions.approvals import Request, State
from zkagent.prover.service.queue.database import insert_once


class KeptApprovals:
    """Implements ApprovalStore. All raise JournalFault, and RecordsBroken: an answer was put there
    by somebody who has not the key."""

    def __init__(self, database: RunsDatabase) -> None:
        self._database = database

    def add(self, request: Request) -> Request:
        def do(connection: sa.Connection, _: float) -> Request:
            insert_once(connection, approvals, self._row(request))
            found = self._found(connection, request.digest)
            assert found is not None
            return found

        return self._database.write(do)

    def find(self, digest: str) -> Request | None:
        return self._database.read(lambda connection: self._found(connection, digest))

    def decide(self, digest: str, state: State, by: str) -> Request | None:
        def do(connection: sa.Connection, _: float) -> Request | None:
            found = self._found(connection, digest, locked=True)
            if found is None or found.state != "waits":
                return None
            decided = replace(found, state=state, by=by)
            one = approvals.c.digest == digest
            connection.execute(sa.update(approvals).where(one).values(self._row(decided)))
            return decided

        return self._database.write(do)

    def waiting(self) -> Sequence[Request]:
        query = sa.select(approvals).where(approvals.c.state == "waits")
        ordered = query.order_by(approvals.c.asked, approvals.c.digest)

        def do(connection: sa.Connection) -> list[Request]:
            return [self._read(row) for row in connection.execute(ordered).mappings()]

        return self._database.read(do)

    def _found(
        self, connection: sa.Connection, digest: str, *, locked: bool = False
    ) -> Request | None:
        query = sa.select(approvals).where(approvals.c.digest == digest)
        query = query.with_for_update() if locked else query
        row = connection.execute(query).mappings().first()
        return None if row is None else self._read(row)

    def _row(self, request: Request) -> dict[str, Any]:
        text = canonical(asdict(request))
        return {
            "digest": request.digest,
            "run_id": request.run_id,
            "state": request.state,
            "asked": request.asked_s,
            "request": text,
            "seal": self._seal(request.run_id, request.digest, text),
        }

    def _read(self, row: Mapping[str, Any] | sa.RowMapping) -> Request:
        text = row["request"]
        if not same(row["seal"], self._seal(row["run_id"], row["digest"], text)):
            raise RecordsBroken(
                f"an approval of run {row['run_id']} is not what was written: whoever changed it "
                "has not the key"
            )
        return Request(**json.loads(text))

    def _seal(self, run_id: str, digest: str, text: str) -> str:
        return self._database.seals.record(run_id, f"approval {digest}", text)


__all__ = ["KeptApprovals"]
