"""Who waits again when an operator tries a proof again, of the keys that wanted it until it ended.

A key that was revoked waits for nothing, and nobody's room for unfinished proofs is filled by what
others do. Deadlines were for what has ended, so what is tried again has none. Called inside the
transaction that queues the proof again, which has locked it.
"""

from collections.abc import Collection

import sqlalchemy as sa

from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.tables import handles, keys


def reopen(connection: sa.Connection, proof_id: str, ended_as: Collection[HandleState]) -> None:
    """Open the handles on a locked proof that ended in one of these ways, as far as their keys may
    have one more."""
    theirs = (handles.c.proof_id == proof_id) & handles.c.state.in_(ended_as)
    query = sa.select(handles.c.key_id).where(theirs).order_by(handles.c.key_id)
    found = list(connection.execute(query).scalars())
    if not found:
        return
    ours = theirs & handles.c.key_id.in_(sorted(_with_room(connection, found)))
    values = {"state": HandleState.OPEN, "deadline": None, "ended": None}
    connection.execute(sa.update(handles).where(ours).values(values))


def _with_room(connection: sa.Connection, found: Collection[str]) -> set[str]:
    """Of these keys, those that may have one more proof. One that somebody has locked is being
    revoked; who needs no key has no row."""
    theirs = keys.c.id.in_(found)
    known = set(connection.execute(sa.select(keys.c.id).where(theirs)).scalars())
    valid = sa.select(keys.c.id, keys.c.unfinished).where(theirs & keys.c.revoked_at.is_(None))
    rows = connection.execute(valid.with_for_update(read=True, skip_locked=True)).all()
    room = {row.id for row in rows if _count_open(connection, row.id) < row.unfinished}
    return (set(found) - known) | room


def _count_open(connection: sa.Connection, key_id: str) -> int:
    ours = (handles.c.key_id == key_id) & (handles.c.state == HandleState.OPEN)
    query = sa.select(sa.func.count()).select_from(handles).where(ours)
    return int(connection.execute(query).scalar_one())


__all__ = ["reopen"]
