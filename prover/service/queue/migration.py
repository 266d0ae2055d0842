"""From the tables of earlier versions to today's, in the transaction that opens the database.

Version 1 took trouble of the machine for a verdict on the inputs: what failed there for any reason
but the circuit's own refusal is set aside, and tried again when somebody asks for it. Until version
2, handles stayed open when their proofs had ended. Until version 3, nothing found what had finished
by its time. Until version 4 proofs had places in line, which grew old when nobody could prove
them. Until version 5 handles did not say how their proofs were when they ended.
"""

import uuid

import sqlalchemy as sa

from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.origins import origin_of
from zkagent.prover.service.queue.tables import handles, keys, proofs, turns, workers
from zkagent.prover.service.wire.states import FINISHED, Failure, State

READABLE = ("1", "2", "3", "4", "5")
NEW_IN_2 = (
    *(proofs.c[name] for name in ("asker", "not_before")),
    *(handles.c[f"callback_{name}"] for name in ("id", "host", "tries", "due")),
    keys.c.urgent,
    *(workers.c[name] for name in ("beats", "circuits", "troubles")),
)
#: Indexes that are gone, or had less.
OTHERWISE = tuple(f"zkagent_proof_{name}" for name in ("line", "payer", "place", "circuit"))
REASON = (
    "an earlier version gave up on it, perhaps through no fault of its inputs: ask for it again"
)


def migrate(connection: sa.Connection, found: str, now: float) -> None:
    """Bring tables of the version that was found up. now: by the clock that all share."""
    if found == "1":
        for column in NEW_IN_2:
            _add(connection, column)
    if found != "5":
        _leave_places(connection, found)
    _add(connection, handles.c.ended)
    for index in (*proofs.indexes, *handles.indexes):
        index.create(connection, checkfirst=True)
    if found == "1":
        _leave_version_1(connection, now)


def _leave_places(connection: sa.Connection, found: str) -> None:
    for name in OTHERWISE:
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {name}")
    if found != "1":
        connection.exec_driver_sql(f"ALTER TABLE {proofs} RENAME COLUMN payer TO asker")
        connection.exec_driver_sql(f"ALTER TABLE {proofs} DROP COLUMN turn")
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {turns}")
    for column in (proofs.c.resumes, handles.c.circuit, handles.c.priority):
        _add(connection, column)
    for column in (proofs.c.circuit, proofs.c.priority):
        theirs = sa.select(column).where(proofs.c.id == handles.c.proof_id).scalar_subquery()
        connection.execute(sa.update(handles).values({column.name: theirs}))


def _leave_version_1(connection: sa.Connection, now: float) -> None:
    doubtful = (proofs.c.state == State.FAILED) & (proofs.c.failure != Failure.INPUT)
    values = {"state": State.POISON, "reason": REASON}
    connection.execute(sa.update(proofs).where(doubtful).values(values))
    _send_waiting_callbacks(connection, now)


def end_handles(connection: sa.Connection) -> None:
    """Those that were wanted until their proofs ended say how that was. At every start, since an
    earlier version may have gone on with tables that were brought up meanwhile."""
    theirs = proofs.c.id == handles.c.proof_id
    end = sa.select(proofs.c.state).where(theirs).scalar_subquery()
    ended = sa.exists().where(theirs & proofs.c.state.in_(FINISHED))
    kept = (handles.c.state == HandleState.OPEN) & ended
    connection.execute(sa.update(handles).where(kept).values(state=end))


def _add(connection: sa.Connection, column: sa.Column[object]) -> None:
    kind = column.type.compile(connection.dialect)
    table = column.table.name
    if column.nullable:
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column.name} {kind}")
        return
    assert column.default is not None
    value = sa.literal(column.default.arg, column.type)  # type: ignore[attr-defined]
    text = value.compile(connection, compile_kwargs={"literal_binds": True})
    connection.exec_driver_sql(
        f"ALTER TABLE {table} ADD COLUMN {column.name} {kind} DEFAULT {text} NOT NULL"
    )


def _send_waiting_callbacks(connection: sa.Connection, now: float) -> None:
    """Version 1 queued them in the engine, where nobody looks for them any more."""
    waiting = sa.select(handles).where(handles.c.callback_state == "waiting")
    for row in connection.execute(waiting).all():
        ours = (handles.c.key_id == row.key_id) & (handles.c.proof_id == row.proof_id)
        values = {
            "callback_id": uuid.uuid4().hex,
            "callback_host": origin_of(row.callback_url or ""),
            "callback_due": now,
        }
        connection.execute(sa.update(handles).where(ours).values(values))
    schema = "dbos" if connection.dialect.name == "postgresql" else None
    if sa.inspect(connection).has_table("workflow_status", schema=schema):
        table = "dbos.workflow_status" if schema else "workflow_status"
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE queue_name = 'callbacks'")


__all__ = ["READABLE", "end_handles", "migrate"]
