"""What requesters do to the queue: ask, look, lose interest. Each is one transaction.

Called by the HTTP service and by `zkagent jobs`. What workers do is in claims.py.
Lock order everywhere: the proof's row first, then its handles.
"""

import math
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Protocol

import sqlalchemy as sa

from zkagent.prover.service.errors import KeyRefused, NotRetried, ProofUnknown, QuotaExceeded
from zkagent.prover.service.queue.company import is_closed_to
from zkagent.prover.service.queue.database import Database, add, insert_once, shared_clock
from zkagent.prover.service.queue.endings import ending
from zkagent.prover.service.queue.jobs import (
    KEPT,
    HandleState,
    Request,
    Run,
    Ticket,
    write_inputs,
)
from zkagent.prover.service.queue.origins import origin_of
from zkagent.prover.service.queue.reopening import reopen
from zkagent.prover.service.queue.tables import handles, keys, proofs, results, turns, usage
from zkagent.prover.service.wire.states import FINISHED, UNFINISHED, State

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
EXPIRED_AT_ONCE = 500
PURGED_AT_ONCE = 100
GIVEN_UP_AT_ONCE = 100
TOLD_WITHIN_S = 2 * DAY_S  # callbacks.py gives up after little more than a day
PAUSE_S = 0.12  # SQLite's writers look every 0.1 s whether they may

#: A row of `proofs`, locked by the transaction that read it unless said otherwise.
ProofRow = sa.Row[Any]

#: What an operator's retry begins with.
CLEAN: dict[str, object] = {"crashes": 0, "deaths": 0, "failure": None, "reason": None}


class RunQueue(Protocol):
    """The engine, as seen by whoever hands it work inside a transaction."""

    def enqueue(self, connection: sa.Connection, run: Run) -> None: ...


@dataclass(frozen=True)
class Quota:
    """What one key may have: proofs not yet finished, and new requests in 24 hours."""

    unfinished: int
    per_day: int


class Store:
    """Requests and handles in the database."""

    def __init__(self, database: Database, queue: RunQueue) -> None:
        self.database = database
        self.queue = queue

    def in_seconds(self, seconds: float) -> float:
        """That time, before now when negative, by the clock that all share."""
        with self.database.read() as connection:
            return shared_clock(connection) + seconds

    def submit(self, key_id: str, request: Request, quota: Quota | None = None) -> Ticket:
        """Ask for a proof, or attach to whoever asked before; a proof in which others would see
        what this key asked, or it what they did, is left to them (company.py). What was set aside
        gets one more try: perhaps it was never its fault. Others that wanted it until then learn
        how that ends, and it costs them neither turns nor room. Raises QuotaExceeded and
        KeyRefused, and then nothing has changed."""
        ticket = self._submit(key_id, request, quota)
        ticket = ticket or self._submit(key_id, replace(request, alone=True), quota)
        assert ticket  # nobody is let into what is alone, and nobody is kept out of it
        return ticket

    def _submit(self, key_id: str, request: Request, quota: Quota | None) -> Ticket | None:
        """None when the proof that there is is closed to this key; never when it is alone."""
        with self.database.write() as connection:
            _lock_key(connection, key_id)
            fresh, proof = _insert_or_lock(connection, request)
            if not fresh and not request.alone and is_closed_to(connection, key_id, proof):
                return None
            begun = fresh or proof.state in (State.CANCELLED, State.POISON)
            ended = proof.state in FINISHED and not begun
            if begun or not _has_handle(connection, key_id, proof, ended):
                _count(connection, key_id, quota, 0 if ended else 1)
            state = HandleState(proof.state) if ended else HandleState.OPEN
            _renew_handle(connection, key_id, request, state)
            if begun:
                self._begin(connection, proof, key_id, request.priority)
            elif proof.state in UNFINISHED and request.priority < proof.priority:
                self._hurry(connection, proof, request.priority)
            elif ended and request.callback_url:
                call_back(connection, request.id, key_id)
            return Ticket(request.id, attached=not fresh)

    def cancel(self, key_id: str, proof_id: str) -> bool:
        """Give up a handle; whether that changed anything. Raises ProofUnknown."""
        with self.database.write() as connection:
            proof = _locked_or_unknown(connection, proof_id)
            if _handle_state(connection, key_id, proof_id) is None:
                raise ProofUnknown(proof_id)
            changed = _close(connection, key_id, proof, HandleState.CANCELLED)
            if changed:
                heed_who_is_left(connection, proof)
            return changed

    def cancel_for_all(self, proof_id: str) -> bool:
        """The operator's cancel: every handle goes. Raises ProofUnknown."""
        with self.database.write() as connection:
            proof = _locked_or_unknown(connection, proof_id)
            if proof.state in FINISHED:
                return False
            ours = (handles.c.proof_id == proof_id) & (handles.c.state == HandleState.OPEN)
            told = ending(proof, finished_at=shared_clock(connection))
            values = {"state": HandleState.CANCELLED, "ended": told}
            connection.execute(sa.update(handles).where(ours).values(values))
            heed_who_is_left(connection, proof)
            return True

    def expire(self, within_s: float = math.inf) -> list[str]:
        """Close handles whose deadline has passed, the earliest first and for about so long; their
        proofs. The next call goes on."""
        end_s = time.monotonic() + within_s
        query = sa.select(handles.c.key_id, handles.c.proof_id)
        query = query.where(handles.c.state == HandleState.OPEN).order_by(handles.c.deadline)
        with self.database.read() as connection:
            query = query.where(handles.c.deadline < shared_clock(connection))
            found = connection.execute(query.limit(EXPIRED_AT_ONCE)).all()
        closed = []
        for row in found:
            if self._expire(row.key_id, row.proof_id):
                closed.append(str(row.proof_id))
            if time.monotonic() >= end_s:
                break
        return closed

    def retry(self, proof_id: str) -> None:
        """Try a failed, poisonous or cancelled proof afresh. Raises ProofUnknown, NotRetried."""
        with self.database.write() as connection:
            proof = _locked_or_unknown(connection, proof_id)
            if proof.state not in (State.FAILED, State.POISON, State.CANCELLED):
                raise NotRetried(proof_id, proof.state)
            given_up = proof.state == State.CANCELLED  # by all; else who did so still has
            reopen(connection, proof.id, tuple(HandleState) if given_up else KEPT)
            priority = _most_urgent(connection, proof.id) or proof.priority
            self._begin(connection, proof, proof.asker, priority, **CLEAN)

    def cancel_of_key(self, key_id: str) -> list[str]:
        """The operator's cancel of all that one key waits for; which proofs that touched."""
        return give_up_all(self.database, key_id)

    def give_up_revoked(self) -> list[str]:
        """Give up some of what revoked keys wait for still, since whoever revoked them was
        interrupted; which proofs that touched. The next call goes on."""
        revoked = sa.select(keys.c.id).where(keys.c.revoked_at.is_not(None))
        theirs = handles.c.key_id.in_(revoked) & (handles.c.state == HandleState.OPEN)
        query = sa.select(handles.c.key_id, handles.c.proof_id).where(theirs)
        with self.database.read() as connection:
            found = connection.execute(query.limit(GIVEN_UP_AT_ONCE)).all()
        if not found:
            return []
        with self.database.write() as connection:
            rows = sorted((str(row.proof_id), str(row.key_id)) for row in found)
            return [proof_id for proof_id, key in rows if _give_up(connection, key, proof_id)]

    def purge(self, before: float, within_s: float = math.inf) -> int:
        """Forget what finished before this time, results included, for about so long; how many
        proofs. The next call goes on."""
        end_s, count = time.monotonic() + within_s, 0
        while found := self._purge(before):
            count += found
            if time.monotonic() >= end_s:
                break
        with self.database.write() as connection:
            hour = int((before - DAY_S) // HOUR_S)
            connection.execute(sa.delete(usage).where(usage.c.hour < hour))
            connection.execute(sa.delete(turns).where(turns.c.begun_at < before))
        return count

    def _begin(
        self,
        connection: sa.Connection,
        proof: ProofRow,
        asker: str,
        priority: int,
        **values: Any,
    ) -> None:
        """Queue a proof from the start. How often it ended badly counts on, whoever gave it up
        meanwhile, and others may still be told why it was set aside."""
        values |= {"finished_at": None, "avoid": None, "asker": asker}
        requeue(connection, self.queue, proof, priority=priority, **values)

    def _hurry(self, connection: sa.Connection, proof: ProofRow, priority: int) -> None:
        """A second, sooner run of the same generation; whichever comes first proves it. Of one that
        is being proven, the next try is sooner if there is one."""
        change(connection, proof.id, priority=priority)
        if proof.state == State.WAITING:
            self.queue.enqueue(connection, Run(proof.id, proof.generation, priority))

    def _purge(self, before: float) -> int:
        """Forget the oldest, as many as a transaction may that others need not wait for long; not
        what somebody is still to be told of, until they should long have been. What somebody has
        locked may be begun again, or is being forgotten by another."""
        told = (handles.c.proof_id == proofs.c.id) & (handles.c.callback_state == "waiting")
        told &= proofs.c.finished_at > before - TOLD_WITHIN_S
        found: list[str] = []
        with self.database.write() as connection:
            for state in FINISHED:  # one by one, so that an index has them in order
                old = (proofs.c.state == state) & (proofs.c.finished_at < before)
                old &= ~sa.exists().where(told)
                query = sa.select(proofs.c.id).where(old).order_by(proofs.c.finished_at)
                query = query.limit(PURGED_AT_ONCE - len(found)).with_for_update(skip_locked=True)
                found += connection.execute(query).scalars()
            for column in (results.c.proof_id, handles.c.proof_id, proofs.c.id):
                connection.execute(sa.delete(column.table).where(column.in_(found)))
        return len(found)

    def _expire(self, key_id: str, proof_id: str) -> bool:
        """Unless it was renewed since it was found."""
        with self.database.write() as connection:
            proof = lock_if_there(connection, proof_id)
            if proof is None or not _is_late(connection, key_id, proof_id):
                return False
            ended = proof.state in FINISHED  # under an earlier version, which left handles open
            state = HandleState(proof.state) if ended else HandleState.EXPIRED
            if not _close(connection, key_id, proof, state):
                return False
            heed_who_is_left(connection, proof)
            return True


def lock_if_there(connection: sa.Connection, proof_id: str) -> ProofRow | None:
    """The proof's row, ours until the transaction ends."""
    query = sa.select(proofs).where(proofs.c.id == proof_id).with_for_update()
    return connection.execute(query).one_or_none()


def change(connection: sa.Connection, proof_id: str, **values: object) -> None:
    """Write to a locked proof's row, in a way that watchers see."""
    values["version"] = proofs.c.version + 1
    connection.execute(sa.update(proofs).where(proofs.c.id == proof_id).values(values))


def end_as(connection: sa.Connection, proof_id: str, state: State, **values: object) -> None:
    """Finish a locked proof, and have those called back who wanted it until now, or until it ended
    before in another way."""
    now, told = shared_clock(connection), HandleState(state)
    change(connection, proof_id, state=state, claim=None, finished_at=now, **values)
    ours = (handles.c.proof_id == proof_id) & handles.c.state.in_((HandleState.OPEN, *KEPT))
    ours &= handles.c.state != told
    keys = list(connection.execute(sa.select(handles.c.key_id).where(ours)).scalars())
    proof = connection.execute(sa.select(proofs).where(proofs.c.id == proof_id)).one()
    final = None if state is State.DONE else ending(proof)
    connection.execute(sa.update(handles).where(ours).values(state=told, ended=final))
    for key_id in sorted(keys):
        call_back(connection, proof_id, key_id)


def requeue(
    connection: sa.Connection,
    queue: RunQueue,
    proof: ProofRow,
    *,
    priority: int | None = None,
    delay_s: float = 0.0,
    **values: object,
) -> None:
    """Put a locked proof back into the queue as a new generation, and enqueue that."""
    priority = proof.priority if priority is None else priority
    run = Run(proof.id, proof.generation + 1, priority, delay_s)
    free = {"claim": None, "worker": None, "batch": None, "started_at": None}
    now = shared_clock(connection)
    later = now + delay_s if delay_s else None
    place = {"priority": priority, "queued_at": now, "not_before": later, "resumes": False}
    values = {**free, **place, **values}
    change(connection, proof.id, state=State.WAITING, generation=run.generation, **values)
    queue.enqueue(connection, run)


def call_back(connection: sa.Connection, proof_id: str, key_id: str) -> None:
    """Have a key called back that wanted a finished proof until its end: a new message."""
    wanted = (handles.c.proof_id == proof_id) & handles.c.callback_url.is_not(None)
    wanted &= handles.c.state.in_(KEPT) & (handles.c.key_id == key_id)
    for row in connection.execute(sa.select(handles).where(wanted)).all():
        ours = (handles.c.key_id == row.key_id) & (handles.c.proof_id == proof_id)
        values = {
            "callback_state": "waiting",
            "callback_number": row.callback_number + 1,
            "callback_id": uuid.uuid4().hex,
            "callback_host": origin_of(row.callback_url),
            "callback_tries": 0,
            "callback_due": shared_clock(connection),
        }
        connection.execute(sa.update(handles).where(ours).values(values))


def give_up_all(database: Database, key_id: str) -> list[str]:
    """Give up all handles of a key on unfinished proofs, and whatever it would be told of the
    others; which proofs that touched. Some at a time, so that others write in between; whoever
    does it again after an interruption gives up the rest."""
    ours = (handles.c.key_id == key_id) & (handles.c.state == HandleState.OPEN)
    with database.read() as connection:
        query = sa.select(handles.c.proof_id).where(ours).order_by(handles.c.proof_id)
        found = list(connection.execute(query).scalars())
    touched: list[str] = []
    for start in range(0, len(found), GIVEN_UP_AT_ONCE):
        if start:
            time.sleep(PAUSE_S)
        some = found[start : start + GIVEN_UP_AT_ONCE]
        with database.write() as connection:
            touched += [proof_id for proof_id in some if _give_up(connection, key_id, proof_id)]
    with database.write() as connection:
        waiting = (handles.c.key_id == key_id) & (handles.c.callback_state == "waiting")
        connection.execute(sa.update(handles).where(waiting).values(callback_state="failed"))
    return touched


def _give_up(connection: sa.Connection, key_id: str, proof_id: str) -> bool:
    """Whether the key waited for it until now."""
    proof = lock_if_there(connection, proof_id)
    if proof is None or not _close(connection, key_id, proof, HandleState.CANCELLED):
        return False
    heed_who_is_left(connection, proof)
    return True


def heed_who_is_left(connection: sa.Connection, proof: ProofRow) -> None:
    """After handles on a locked proof were given up: it is as urgent as those that are left want
    it, and cancelled when there are none.

    Taking away its claim is enough: the worker that proves it notices, and ends the child unless
    others in the same batch still want theirs.
    """
    if proof.state not in UNFINISHED:
        return
    priority = _most_urgent(connection, proof.id)
    if priority is None:
        values = {"state": State.CANCELLED, "claim": None, "finished_at": shared_clock(connection)}
        change(connection, proof.id, **values)
    elif priority != proof.priority:
        change(connection, proof.id, priority=priority)


def _most_urgent(connection: sa.Connection, proof_id: str) -> int | None:
    """The priority of the most urgent of those that want a locked proof; None when nobody does."""
    wanted = (handles.c.proof_id == proof_id) & (handles.c.state == HandleState.OPEN)
    found = connection.execute(sa.select(sa.func.min(handles.c.priority)).where(wanted)).scalar()
    return None if found is None else int(found)


def _lock_key(connection: sa.Connection, key_id: str) -> None:
    """Keep a key from being revoked until we are done; before any proof, as revoking does. Raises
    KeyRefused when it was, after its caller was let in."""
    ours = sa.select(keys.c.revoked_at).where(keys.c.id == key_id).with_for_update(read=True)
    if connection.execute(ours).scalar_one_or_none() is not None:
        raise KeyRefused


def _handle_state(connection: sa.Connection, key_id: str, proof_id: str) -> HandleState | None:
    ours = (handles.c.key_id == key_id) & (handles.c.proof_id == proof_id)
    found = connection.execute(sa.select(handles.c.state).where(ours)).scalar_one_or_none()
    return None if found is None else HandleState(found)


def _has_handle(connection: sa.Connection, key_id: str, proof: ProofRow, ended: bool) -> bool:
    """Whether the key waits for the proof, or did until it ended."""
    waited = (HandleState.OPEN, *KEPT) if ended else (HandleState.OPEN,)
    return _handle_state(connection, key_id, proof.id) in waited


def _is_late(connection: sa.Connection, key_id: str, proof_id: str) -> bool:
    """Whether the deadline of a key's handle has passed."""
    ours = (handles.c.key_id == key_id) & (handles.c.proof_id == proof_id)
    late = sa.select(handles.c.key_id).where(ours & (handles.c.deadline < shared_clock(connection)))
    return connection.execute(late).one_or_none() is not None


def _renew_handle(
    connection: sa.Connection, key_id: str, request: Request, state: HandleState
) -> None:
    """Make or renew the key's handle on a locked proof. A renewed one takes the new deadline and
    callback; who still waits and asks for less hurry has what it asked for first. Who had given up,
    or was told of a failure, asks now: what others did with the proof meanwhile is not its own."""
    values: dict[str, Any] = {
        "state": state,
        "circuit": request.circuit,
        "priority": request.priority,
        "callback_url": request.callback_url,
        "deadline": request.deadline,
        "ended": None,
    }
    now = shared_clock(connection)
    row = {"key_id": key_id, "proof_id": request.id, **values, "created_at": now}
    if not insert_once(connection, handles, row):
        ours = (handles.c.key_id == key_id) & (handles.c.proof_id == request.id)
        sooner = (handles.c.state == HandleState.OPEN) & (handles.c.priority < request.priority)
        same = handles.c.state.in_((HandleState.OPEN, HandleState.DONE))
        values["priority"] = sa.case((sooner, handles.c.priority), else_=request.priority)
        values["created_at"] = sa.case((same, handles.c.created_at), else_=now)
        connection.execute(sa.update(handles).where(ours).values(values))


def _close(
    connection: sa.Connection,
    key_id: str,
    proof: ProofRow,
    state: HandleState,
) -> bool:
    """Whether it was open until now."""
    if _handle_state(connection, key_id, proof.id) is not HandleState.OPEN:
        return False
    ours = (handles.c.key_id == key_id) & (handles.c.proof_id == proof.id)
    told = ending(proof, finished_at=proof.finished_at or shared_clock(connection))
    connection.execute(sa.update(handles).where(ours).values(state=state, ended=told))
    change(connection, proof.id)
    return True


def _count(connection: sa.Connection, key_id: str, quota: Quota | None, more: int) -> None:
    """Count one request, which makes so many `more` unfinished proofs; raising undoes it."""
    hour = int(shared_clock(connection) // HOUR_S)
    add(connection, usage, {"key_id": key_id, "hour": hour, "count": 1}, "count")
    if quota is None:
        return
    ours = (handles.c.key_id == key_id) & (handles.c.state == HandleState.OPEN)
    waiting = sa.select(sa.func.count()).select_from(handles).where(ours)
    if connection.execute(waiting).scalar_one() + more > quota.unfinished:
        raise QuotaExceeded("unfinished proofs", quota.unfinished, 5)
    # What was asked while the clock was ahead is not of these hours.
    today = (usage.c.key_id == key_id) & usage.c.hour.between(hour - 23, hour)
    asked = sa.select(sa.func.sum(usage.c.count)).where(today)
    if connection.execute(asked).scalar_one() > quota.per_day:
        raise QuotaExceeded("requests in 24 hours", quota.per_day, 3600)


def _new_proof(request: Request, now: float) -> dict[str, object]:
    return {
        "id": request.id,
        "circuit": request.circuit,
        "inputs": write_inputs(request.inputs),
        "state": State.WAITING,
        "priority": request.priority,
        "alone": request.alone,
        "asker": "",
        "resumes": False,
        "created_at": now,
        "queued_at": now,
    }


def _insert_or_lock(connection: sa.Connection, request: Request) -> tuple[bool, ProofRow]:
    """The request's proof, locked, and whether it is new."""
    query = sa.select(proofs).where(proofs.c.id == request.id).with_for_update()
    new = _new_proof(request, shared_clock(connection))
    while True:
        fresh = insert_once(connection, proofs, new)
        proof = connection.execute(query).one_or_none()
        if proof is not None:  # else purged while we waited for the lock
            return fresh, proof


def _locked_or_unknown(connection: sa.Connection, proof_id: str) -> ProofRow:
    if (proof := lock_if_there(connection, proof_id)) is None:
        raise ProofUnknown(proof_id)
    return proof


__all__ = ["ProofRow", "Quota", "RunQueue", "Store", "call_back", "change", "end_as"]
__all__ += ["give_up_all", "heed_who_is_left", "lock_if_there", "requeue"]
