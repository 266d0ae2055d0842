"""What requesters and operators see: reads only, one short query or two each."""

import struct
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import own_row
from zkagent.prover.service.errors import ProofUnknown
from zkagent.prover.service.queue.company import may_see
from zkagent.prover.service.queue.database import Database, shared_clock
from zkagent.prover.service.queue.endings import as_it_ended
from zkagent.prover.service.queue.jobs import HandleState, read_inputs
from zkagent.prover.service.queue.line import ahead
from zkagent.prover.service.queue.tables import handles, proofs, results
from zkagent.prover.service.wire.schemas import (
    CallbackView,
    FailureView,
    Progress,
    ProofDocument,
    ProofPage,
    ProofSummary,
    ProofView,
    Result,
    Timings,
)
from zkagent.prover.service.wire.states import UNFINISHED, Failure, State

RECENT = 20
#: How an earlier version's proof looks to a key that would see in it what others asked.
WITHHELD = {
    "seen_state": State.POISON,
    "failure": Failure.ENGINE,
    "reason": "it was made together with proofs of other keys: ask for it again",
}
CURSOR_PATTERN = r"^[0-9a-f]{16}-[0-9a-f]{64}$"

#: A handle that is closed says how it ended; otherwise it is in the state of its proof.
_closed = (handles.c.state != HandleState.OPEN, handles.c.state)
_seen_state = sa.case(_closed, else_=proofs.c.state)

#: What a list says of a proof; its inputs may be megabytes.
_NAMES = (
    "id",
    "circuit",
    "generation",
    "started_at",
    "finished_at",
    "failure",
    "reason",
)
_SHOWN = [proofs.c[name] for name in _NAMES]


class Views:
    """Reads of the queue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def proof(self, key_id: str, proof_id: str) -> ProofView:
        """One proof as this key sees it. Raises ProofUnknown."""
        ours = (handles.c.key_id == key_id) & (handles.c.proof_id == proof_id)
        query = sa.select(proofs, *_handle_columns(), results)
        theirs = (results.c.proof_id == proofs.c.id) & (_seen_state == State.DONE)
        query = query.select_from(_joined().outerjoin(results, theirs))
        with self._database.read() as connection:
            row: Any = connection.execute(query.where(ours)).mappings().one_or_none()
            if row is None:
                raise ProofUnknown(proof_id)
            row = as_it_ended(row)
            progress = _progress(connection, row)
            result = _result(row) if row["seen_state"] == State.DONE else None
            if result and not _is_own(connection, key_id, row, result):
                row, result = {**row, **WITHHELD}, None
        return ProofView(
            **_summary(row),
            version=row["version"],
            progress=progress,
            timings=_timings(row),
            result=result,
        )

    def version(self, key_id: str, proof_id: str) -> tuple[int, State]:
        """Enough to see whether anything changed. Raises ProofUnknown."""
        ours = (handles.c.key_id == key_id) & (handles.c.proof_id == proof_id)
        query = (
            sa.select(proofs.c.version, _seen_state.label("seen_state"))
            .select_from(_joined())
            .where(ours)
        )
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise ProofUnknown(proof_id)
        return row.version, State(row.seen_state)

    def page(
        self, key_id: str | None, state: State | None, limit: int, cursor: str | None
    ) -> ProofPage:
        """A key's proofs, newest first; everybody's for None. cursor: as in CURSOR_PATTERN."""
        query = sa.select(*_SHOWN, *_handle_columns()).select_from(_joined())
        if key_id is not None:
            query = query.where(handles.c.key_id == key_id)
        if state is not None:
            query = query.where(_is_seen_as(state))
        place = sa.tuple_(handles.c.created_at, handles.c.proof_id)
        if cursor is not None:
            query = query.where(place < sa.tuple_(*map(sa.literal, _read_cursor(cursor))))
        query = query.order_by(handles.c.created_at.desc(), handles.c.proof_id.desc())
        with self._database.read() as connection:
            rows = connection.execute(query.limit(limit + 1)).mappings().all()
        shown = rows[:limit]
        last = (shown[-1]["asked_at"], shown[-1]["id"]) if len(rows) > limit else None
        return ProofPage(
            proofs=[ProofSummary(**_summary(as_it_ended(row))) for row in shown],
            next=_write_cursor(*last) if last else None,
        )

    def find(self, prefix: str) -> str:
        """For operators: the one proof whose id starts like this. Raises ProofUnknown."""
        query = sa.select(proofs.c.id).where(proofs.c.id.startswith(prefix, autoescape=True))
        with self._database.read() as connection:
            found = list(connection.execute(query.limit(2)).scalars())
        if len(found) != 1:
            raise ProofUnknown(prefix, ambiguous=bool(found))
        return str(found[0])

    def operator(self, proof_id: str) -> dict[str, Any]:
        """For operators: everything about a proof but what it is about. Raises ProofUnknown."""
        wanted = [column for column in proofs.c if column is not proofs.c.inputs]
        query = sa.select(*wanted).where(proofs.c.id == proof_id)
        whose = sa.select(handles).where(handles.c.proof_id == proof_id)
        columns = (results.c.worker, results.c.prove_s, results.c.verify_s, results.c.accepted_at)
        made = sa.select(*columns).where(results.c.proof_id == proof_id)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
            if row is None:
                raise ProofUnknown(proof_id)
            who = [dict(handle) for handle in connection.execute(whose).mappings()]
            result = connection.execute(made).mappings().one_or_none()
        return {**row, "handles": who, "result": dict(result) if result else None}


def _joined() -> Any:
    return handles.join(proofs, handles.c.proof_id == proofs.c.id)


def _handle_columns() -> tuple[Any, ...]:
    return (
        _seen_state.label("seen_state"),
        handles.c.priority.label("wish"),
        handles.c.ended,
        handles.c.deadline,
        handles.c.callback_url,
        handles.c.callback_state,
        handles.c.created_at.label("asked_at"),
    )


def _is_seen_as(state: State) -> sa.ColumnElement[bool]:
    """The same as _seen_state, in words that an index answers."""
    if state in UNFINISHED:
        return (handles.c.state == HandleState.OPEN) & (proofs.c.state == state)
    return handles.c.state == HandleState(state)


def _since(row: Any, name: str) -> float | None:
    """A time of the proof, as far as it is this key's business: what happened before it asked would
    tell it that others had asked."""
    return None if row[name] is None else float(max(row[name], row["asked_at"]))


def _is_second(row: Any) -> bool:
    """Whether others had asked, and it was begun, before this key did."""
    return bool(row["started_at"] is not None and row["started_at"] < row["asked_at"])


def _summary(row: Any) -> dict[str, Any]:
    failure = row["failure"] if row["seen_state"] in (State.FAILED, State.POISON) else None
    callback = row["callback_url"]
    return {
        "id": row["id"],
        "state": row["seen_state"],
        "circuit": row["circuit"],
        "priority": row["wish"],
        "created_at": _date(row["asked_at"]),
        "started_at": _date(_since(row, "started_at")),
        "finished_at": _date(_since(row, "finished_at")),
        "deadline": _date(row["deadline"]),
        "attempts": 1 if _is_second(row) else row["generation"],
        "failure": FailureView(kind=failure, reason=row["reason"] or "") if failure else None,
        "callback": CallbackView(url=callback, state=row["callback_state"]) if callback else None,
    }


def _result(row: Any) -> Result:
    proof = Proof.from_json(row["document"])
    inputs = read_inputs(row["inputs"])
    return Result(
        outputs=list(own_row(proof, inputs, row["position"])),
        position=row["position"],
        rows=len(proof.inputs) // len(inputs),
        proof=ProofDocument.model_validate_json(row["document"]),
    )


def _is_own(connection: sa.Connection, key_id: str, row: Any, result: Result) -> bool:
    inputs, width = result.proof.inputs, len(result.proof.inputs) // result.rows
    return may_see(connection, key_id, inputs, row["circuit"], width)


def _progress(connection: sa.Connection, row: Any) -> Progress:
    now = shared_clock(connection)
    if row["seen_state"] not in UNFINISHED:
        elapsed = (_since(row, "finished_at") or now) - row["asked_at"]
        return Progress(stage="finished", ahead=0, elapsed_s=max(0, elapsed), expected_s=None)
    waiting = row["seen_state"] == State.WAITING
    since = _since(row, "queued_at" if waiting else "started_at") or now
    return Progress(
        stage="waiting" if waiting else "proving",
        ahead=ahead(connection, row) if waiting else 0,
        elapsed_s=max(0.0, now - since),
        expected_s=_expected_s(connection, row["circuit"]),
    )


def _expected_s(connection: sa.Connection, circuit: str) -> float | None:
    """What the latest proofs of the circuit took, as far as it is known; found by an index, since
    there may be any number of earlier ones, and of other circuits."""
    done = (proofs.c.state == State.DONE) & (proofs.c.circuit == circuit)
    some = sa.select(proofs.c.id).where(done).order_by(proofs.c.queued_at.desc()).limit(RECENT)
    query = sa.select(sa.func.avg(results.c.prove_s)).where(results.c.proof_id.in_(some))
    value = connection.execute(query).scalar_one()
    return None if value is None else float(value)


def _timings(row: Any) -> Timings:
    started, finished = _since(row, "started_at"), _since(row, "finished_at")
    queued, second = _since(row, "queued_at") or 0.0, _is_second(row)
    return Timings(
        waiting_s=None if started is None else max(0.0, started - queued),
        proving_s=None if second else row["prove_s"],
        verifying_s=None if second else row["verify_s"],
        total_s=None if finished is None else max(0.0, finished - row["asked_at"]),
    )


def _date(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _write_cursor(asked_at: float, proof_id: str) -> str:
    """The place after which to go on: the bits of the time, exactly, and the proof."""
    return f"{struct.pack('>d', asked_at).hex()}-{proof_id}"


def _read_cursor(cursor: str) -> tuple[float, str]:
    bits, _, proof_id = cursor.partition("-")
    (asked_at,) = struct.unpack(">d", bytes.fromhex(bits))
    return float(asked_at), proof_id


__all__ = ["CURSOR_PATTERN", "Views"]
