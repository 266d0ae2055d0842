"""The line of those who wait: the most urgent first, keys in turn, then who asked first.

Keys take turns whenever a worker begins a proof (round robin): the next is of whichever key has
waited longest since workers like this one, which have the same circuits, last began a proof of its;
who has had none yet comes first. Of a key's own proofs the one that it asked for first is next. So
between two proofs of a key that has some in line for such workers all the time, each other key has
one at most: a key with a thousand proofs delays another's first one by one proof, and whoever asks
for the next proof as soon as one is begun, or done, has no more than its turns.

Nothing is decided before a worker is free: proofs have no places that grow old while nobody can
prove them, or that others could take from them. Turns are counted for workers with the same
circuits: a line that is spread over ten circuits has one share of the worker that proves them all,
and what is begun elsewhere delays nobody here.

A proof that several keys want is begun when one of those that want it soonest has its turn, and
costs that one the turn: what others wish makes no key's own line longer.
A try that ended badly was a turn: the next one waits for another, lest proofs that crash again and
again come before everybody else's each time. What was begun and comes back through nobody's fault
has had its turn, and goes first.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from zkagent.prover.service.queue.database import raise_to, shared_clock
from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.tables import handles, proofs, turns
from zkagent.prover.service.wire.states import State

LONGEST_WAIT_S = 3600.0
CLOCK_SLACK_S = 1.0
FIRST_PAGE, LARGEST_PAGE = 8, 500

_waiting = proofs.c.state == State.WAITING


@dataclass(frozen=True)
class Turn:
    """The proof that is to be begun now, and the key whose turn that is; None when it costs nobody
    one."""

    proof: sa.Row[Any]
    key_id: str | None = None


def first_in_line(
    connection: sa.Connection,
    able: Collection[str] | None,
    free: sa.ColumnElement[bool],
    *,
    lock: bool = False,
) -> Turn | None:
    """Whose turn it is at a worker that can prove these circuits (all, when None), among the
    waiting proofs that are `free` for it. lock: the proof's row is ours until the transaction ends;
    rows that others have locked are about to be theirs."""
    may = _waiting & is_due(connection) & free
    if able is not None:
        may &= proofs.c.circuit.in_(sorted(able))
    for priority in _priorities(connection, may):
        these = may & (proofs.c.priority == priority)
        if proof := _first(connection, these & proofs.c.resumes, lock):
            return Turn(proof)
        wanted = _wanted(priority, able)
        for key_id in _keys_in_turn(connection, priority, able):
            own = wanted & (handles.c.key_id == key_id)
            for some in _pages(connection, own):
                if proof := _first_of(connection, some, these, lock):
                    return Turn(proof, key_id)
        if proof := _first(connection, these, lock):  # an operator tries it again, and nobody waits
            return Turn(proof)
    return None


def note_begun(connection: sa.Connection, turn: Turn, able: Collection[str] | None) -> None:
    """The turn's proof, locked, is begun. The last thing in a transaction, so that nobody else
    waits for long."""
    if turn.key_id is None:
        return
    alike, now = _alike(able), shared_clock(connection)
    ours = (turns.c.priority == turn.proof.priority) & (turns.c.alike == alike)
    last = connection.execute(sa.select(sa.func.max(turns.c.turn)).where(ours)).scalar()
    row = {"key_id": turn.key_id, "priority": turn.proof.priority, "alike": alike}
    raise_to(connection, turns, {**row, "turn": (last or 0) + 1, "begun_at": now}, "turn")


def ahead(connection: sa.Connection, proof: Any) -> int:
    """About how many waiting proofs will be begun before this one, were all workers alike and
    nobody asked for more: all that are more urgent, and of each key as many as of its own."""
    before = _waiting & (proofs.c.priority < proof["priority"])
    sooner = connection.execute(sa.select(sa.func.count()).select_from(proofs).where(before))
    these = _waiting & (proofs.c.priority == proof["priority"])
    own = these & (proofs.c.asker == proof["asker"]) & (proofs.c.queued_at < proof["queued_at"])
    rank = connection.execute(sa.select(sa.func.count()).select_from(proofs).where(own))
    count = rank.scalar_one()
    others = these & (proofs.c.asker != proof["asker"])
    lines = sa.select(sa.func.count()).select_from(proofs).where(others).group_by(proofs.c.asker)
    found = connection.execute(lines).scalars()
    return int(sooner.scalar_one() + count + sum(min(line, count + 1) for line in found))


def is_due(connection: sa.Connection) -> sa.ColumnElement[bool]:
    """Whether a proof may be tried now. What was put off at a time that has not come yet was put
    off before the clock was set back."""
    now = shared_clock(connection)
    later = proofs.c.not_before
    return later.is_(None) | (later <= now) | (proofs.c.queued_at > now + CLOCK_SLACK_S)


def _priorities(connection: sa.Connection, may: sa.ColumnElement[bool]) -> Iterator[int]:
    """Of the proofs that may be begun, the most urgent first."""
    query = sa.select(proofs.c.priority).where(may).order_by(proofs.c.priority).limit(1)
    found = connection.execute(query).scalar_one_or_none()
    while found is not None:
        yield int(found)
        later = query.where(proofs.c.priority > found)
        found = connection.execute(later).scalar_one_or_none()


def _first(
    connection: sa.Connection, these: sa.ColumnElement[bool], lock: bool
) -> sa.Row[Any] | None:
    """The one that is in the queue for longest."""
    query = sa.select(proofs).where(these).order_by(proofs.c.queued_at).limit(1)
    return connection.execute(_locking(query, lock)).one_or_none()


def _first_of(
    connection: sa.Connection, names: Sequence[str], these: sa.ColumnElement[bool], lock: bool
) -> sa.Row[Any] | None:
    """The first in this order that is one of these. What they are is asked of each by its name, and
    not looked for: an index of all that wait would be taken instead."""
    query = sa.select(proofs.c.id, these).where(proofs.c.id.in_(names))
    found = {name for name, fits in connection.execute(query) if fits}
    for name in (name for name in names if name in found):
        query = sa.select(proofs).where((proofs.c.id == name) & these)
        if proof := connection.execute(_locking(query, lock)).one_or_none():
            return proof
    return None


def _locking(query: sa.Select[Any], lock: bool) -> sa.Select[Any]:
    return query.with_for_update(skip_locked=True) if lock else query


def _pages(connection: sa.Connection, own: sa.ColumnElement[bool]) -> Iterator[list[str]]:
    """Proofs that handles are of, in the order in which they were asked for; by an index, a few and
    then more, since the first is nearly always the one that is looked for. One query for handles
    and proofs would leave it to the database's statistics which of them it goes through."""
    place = (handles.c.created_at, handles.c.proof_id)
    query = sa.select(*place).where(own).order_by(*place)
    last, size = None, FIRST_PAGE
    while True:
        page = query if last is None else query.where(sa.tuple_(*place) > last)
        found = connection.execute(page.limit(size)).all()
        if found:
            yield [str(row.proof_id) for row in found]
        if len(found) < size:
            return
        last = sa.tuple_(*map(sa.literal, found[-1]))
        size = LARGEST_PAGE


def _wanted(priority: int, able: Collection[str] | None) -> sa.ColumnElement[bool]:
    """Handles, on unfinished proofs that such a worker can prove, whose keys want them so soon."""
    wanted = (handles.c.state == HandleState.OPEN) & (handles.c.priority == priority)
    return wanted if able is None else wanted & handles.c.circuit.in_(sorted(able))


def _keys_in_turn(
    connection: sa.Connection, priority: int, able: Collection[str] | None
) -> list[str]:
    """The keys that want anything so soon: whose last turn is longest ago first. Each is
    found by its first handle, by an index, and not by going through whole lines."""
    wanted = _wanted(priority, None)
    first = sa.select(sa.func.min(handles.c.key_id).label("key_id")).where(wanted)
    asking = first.cte("asking", recursive=True)
    later = sa.select(sa.func.min(handles.c.key_id)).where(wanted)
    later = later.where(handles.c.key_id > asking.c.key_id)
    known = asking.c.key_id.is_not(None)
    asking = asking.union_all(sa.select(later.scalar_subquery()).where(known))
    since = sa.select(handles.c.created_at).where(wanted & (handles.c.key_id == asking.c.key_id))
    since = since.order_by(handles.c.created_at).limit(1)
    ours = (turns.c.priority == priority) & (turns.c.alike == _alike(able))
    last = sa.select(turns.c.key_id, turns.c.turn).where(ours).subquery()
    query = sa.select(asking.c.key_id).outerjoin(last, last.c.key_id == asking.c.key_id)
    place = (sa.func.coalesce(last.c.turn, 0), since.scalar_subquery(), asking.c.key_id)
    query = query.where(asking.c.key_id.is_not(None)).order_by(*place)
    return list(connection.execute(query).scalars())


def _alike(able: Collection[str] | None) -> str:
    """A name for workers that can prove these circuits."""
    return "" if able is None else hashlib.sha256(" ".join(sorted(able)).encode()).hexdigest()


__all__ = ["CLOCK_SLACK_S", "LONGEST_WAIT_S", "Turn", "ahead", "first_in_line", "is_due"]
__all__ += ["note_begun"]
