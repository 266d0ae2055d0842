"""The line of those who wait: the most urgent first, keys in turn, then who came first.

Each proof takes a turn of the key that asked for it: the turn after that key's last one, waiting or
begun, or the one that is being served when that is later (start-time fair queueing). So a key with
a thousand proofs in line delays another's first one by one proof, not by a thousand. A proof that
several keys want takes the soonest of their turns, whoever asked first.

How far a key has come is written down when a turn is begun, and kept: whoever asks for the next
proof as soon as one is begun, or done, has had that turn and is no newcomer. The turn that is being
served is the last one that a slot was free for, and never goes back; what is proven along with it
in a batch are turns of its key, and nobody else's past.

Workers need not be alike, so the line of one circuit may be far behind the turn that is served of
others. Who comes to such a line is not sent to its end: the proof takes the next turn that anybody
has in it, and only where nobody has one any more the turn that is served. So two keys alternate in
every line from the first proof on, and nobody comes further to the front of workers that prove both
circuits than others had waited there already. Among workers that are alike no line is behind, as
the soonest turn is always begun next.

A turn that is older than the one that is served, since nobody could prove its circuit for a while
or not as fast as others, counts as that one when it is begun; and the next of its key starts after
what was begun of it, whatever its turn was. So however long a line has waited, its age is worth one
turn. Where each key's first proof starts is worked out when a slot is free, and nothing that waits
is written to, however many wait.

A try that ended badly was a turn: the next one of that proof takes another, lest proofs that crash
again and again come before everybody else's each time. Trouble of the machine costs nobody a turn:
what is handed back has had its own, and goes first.

A key's turns go on from circuit to circuit, lest whoever spreads a line over ten circuits has ten
shares of the worker that proves them all. They do not between circuits that no living worker has
both of: there a long line on one says nothing about the other.
"""

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from zkagent.prover.service.queue.database import raise_to, shared_clock
from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.tables import handles, proofs, turns, workers
from zkagent.prover.service.wire.states import UNFINISHED, State

LONGEST_WAIT_S = 3600.0
CLOCK_SLACK_S = 1.0
HAD = -1  # the turn of a proof that was begun, and handed back through nobody's fault
SERVED = ""  # whose turn is written down as the one that is served: no key's

#: In the order in which they are begun.
ORDER = (proofs.c.priority, proofs.c.turn, proofs.c.queued_at)


def next_turn(connection: sa.Connection, payer: str, priority: int, circuit: str) -> int:
    """The turn of one more proof of this key."""
    beside = _beside(connection, circuit)
    last = sa.select(sa.func.max(proofs.c.turn)).where(_line(payer, priority, beside))
    earliest = _after(connection, last, _begun(payer, priority, beside))
    return _turn_from(connection, earliest, priority, circuit)


def note_begun(
    connection: sa.Connection, found: Iterable[sa.Row[Any]], *, along: bool = False
) -> None:
    """These proofs, locked, are begun: their keys have come as far as that. along: in a batch with
    one that was begun. The last thing in a transaction, and in the same order in all of them, so
    that nobody waits in a circle."""
    given: dict[tuple[str, int, str], list[int]] = {}
    for proof in found:
        if proof.payer and proof.turn != HAD:  # else it has no turn yet, or has had it
            given.setdefault((proof.payer, proof.priority, proof.circuit), []).append(proof.turn)
    begun: dict[tuple[str, int, str], int] = {}
    for (key_id, priority, circuit), theirs in given.items():
        beside = _beside(connection, circuit)
        served = _last_served(connection, priority, beside)
        earliest = max(served, _after(connection, _begun(key_id, priority, beside)))
        begun[key_id, priority, circuit] = max(*theirs, earliest + len(theirs) - 1)
        if not along:
            begun[SERVED, priority, circuit] = max(*theirs, served)
    for (key_id, priority, circuit), turn in sorted(begun.items()):
        row = {"key_id": key_id, "priority": priority, "circuit": circuit, "turn": turn}
        raise_to(connection, turns, row, "turn")


def is_old(connection: sa.Connection, proof: sa.Row[Any]) -> bool:
    """Whether as much was begun of the key that pays for a waiting proof as its turn, or more."""
    return _starts(connection, [proof])[proof.id] > int(proof.turn)


def by_start(connection: sa.Connection, priority: int, able: sa.ColumnElement[bool]) -> list[str]:
    """The first of each key of the waiting proofs that can be begun, in the order in which they
    are."""
    firsts = connection.execute(_firsts(priority, able)).scalars().all()
    found = connection.execute(sa.select(proofs).where(proofs.c.id.in_(firsts))).all()
    starts = _starts(connection, found)
    return sorted(
        starts, key={row.id: (starts[row.id], row.queued_at) for row in found}.__getitem__
    )


def _firsts(priority: int, able: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """The first proof of each key; from one key to the next by an index, so that it makes nothing
    slower how many each has."""
    waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    key = sa.select(sa.func.min(proofs.c.payer)).where(waiting)
    known = sa.select(key.scalar_subquery().label("payer")).cte("known", recursive=True)
    following = key.where(proofs.c.payer > known.c.payer).scalar_subquery()
    known = known.union_all(sa.select(following).where(known.c.payer.is_not(None)))
    theirs = waiting & able & (proofs.c.payer == known.c.payer)
    first = sa.select(proofs.c.id).where(theirs).order_by(proofs.c.turn, proofs.c.queued_at)
    return sa.select(first.limit(1).scalar_subquery()).where(known.c.payer.is_not(None))


def _starts(connection: sa.Connection, waiting: Sequence[sa.Row[Any]]) -> dict[str, int]:
    """The turn at which each of these would be begun, one of a key and all of one priority: its own
    or the one after what was begun of its key."""
    besides = {name: _beside(connection, name) for name in {proof.circuit for proof in waiting}}
    paying = {proof.payer for proof in waiting if proof.payer and proof.turn != HAD}
    theirs = turns.c.key_id.in_(paying) & turns.c.priority.in_({row.priority for row in waiting})
    begun: dict[str, list[sa.Row[Any]]] = {}
    for row in connection.execute(sa.select(turns).where(theirs)):
        begun.setdefault(row.key_id, []).append(row)
    starts: dict[str, int] = {}
    for proof in waiting:
        beside = besides[proof.circuit]
        lasts = begun.get(proof.payer, []) if proof.turn != HAD else []
        after = (row.turn + 1 for row in lasts if not beside or row.circuit in beside)
        starts[proof.id] = max((proof.turn, *after))
    return starts


def another_turn(connection: sa.Connection, proof: sa.Row[Any]) -> dict[str, object]:
    """Payer and turn of one more try of a locked proof that was begun: whoever of those who want it
    has the soonest next turn."""
    wanting = (handles.c.proof_id == proof.id) & (handles.c.state == HandleState.OPEN)
    keys = sorted(connection.execute(sa.select(handles.c.key_id).where(wanting)).scalars())
    places = {key: next_turn(connection, key, proof.priority, proof.circuit) for key in keys}
    payer = min(keys, key=_real(connection, proof, places), default=proof.payer)
    return {"payer": payer, "turn": places.get(payer, proof.turn)}


def share(connection: sa.Connection, proof: sa.Row[Any], key_id: str) -> None:
    """Let one more key that wants a waiting proof pay for it, if that key's turn is sooner."""
    if proof.turn == HAD or key_id == proof.payer:
        return
    turn = next_turn(connection, key_id, proof.priority, proof.circuit)
    places = {proof.payer: int(proof.turn), key_id: turn}
    if min(places, key=_real(connection, proof, places)) == key_id:
        _pay(connection, proof, key_id, turn)


def pass_on(connection: sa.Connection, proof: sa.Row[Any]) -> None:
    """When the key that pays for a proof has given it up, let one of those pay that still want it.
    A waiting proof goes to the soonest place that any of them would have had without the other:
    after what it had asked for before."""
    wanting = (handles.c.proof_id == proof.id) & (handles.c.state == HandleState.OPEN)
    query = sa.select(handles.c.key_id, handles.c.created_at).where(wanting)
    keys = {row.key_id: row.created_at for row in connection.execute(query)}
    if not keys or proof.payer in keys or proof.state not in UNFINISHED:
        return
    if proof.state != State.WAITING:
        _pay(connection, proof, min(keys), proof.turn)
        return
    places = {key: _turn_without(connection, proof, key, keys[key]) for key in sorted(keys)}
    payer = min(places, key=_real(connection, proof, places))
    _pay(connection, proof, payer, places[payer])


def _turn_without(
    connection: sa.Connection, proof: sa.Row[Any], key_id: str, asked_at: float
) -> int:
    """The turn that a proof would have had were it this key's alone: after the last of what it pays
    for and had asked for before then, and after what was begun of it."""
    beside = _beside(connection, proof.circuit)
    earlier = (handles.c.key_id == key_id) & (handles.c.created_at < asked_at)
    query = sa.select(sa.func.max(proofs.c.turn)).select_from(
        proofs.join(handles, handles.c.proof_id == proofs.c.id)
    )
    query = query.where((proofs.c.state == State.WAITING) & (proofs.c.payer == key_id) & earlier)
    query = query.where(proofs.c.priority == proof.priority)
    query = query.where(_is_one_of(proofs.c.circuit, beside))
    earliest = _after(connection, query, _begun(key_id, proof.priority, beside))
    return _turn_from(connection, earliest, proof.priority, proof.circuit)


def _real(
    connection: sa.Connection, proof: sa.Row[Any], places: dict[str, int]
) -> Callable[[str], int]:
    """When it will be the turn of the place that each key has for a waiting proof: those before it
    in an old line start earlier, too."""
    beside = _beside(connection, proof.circuit)
    served = _last_served(connection, proof.priority, beside)

    def real(key_id: str) -> int:
        before = _line(key_id, proof.priority, beside) & (proofs.c.turn < places[key_id])
        query = sa.select(sa.func.count()).select_from(proofs).where(before)
        return max(places[key_id], served + int(connection.execute(query).scalar_one()))

    return real


def _line(payer: str, priority: int, circuits: Collection[str]) -> sa.ColumnElement[bool]:
    """What waits of a key for its turn."""
    theirs = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    theirs &= (proofs.c.payer == payer) & (proofs.c.turn > HAD)
    return theirs & _is_one_of(proofs.c.circuit, circuits)


def _begun(key_id: str, priority: int, circuits: Collection[str]) -> sa.Select[Any]:
    """The last turn of a key's that was begun."""
    theirs = (turns.c.key_id == key_id) & (turns.c.priority == priority)
    theirs &= _is_one_of(turns.c.circuit, circuits)
    return sa.select(sa.func.max(turns.c.turn)).where(theirs)


def _after(connection: sa.Connection, *lasts: sa.Select[Any]) -> int:
    """The turn after all of these; the first one when there are none."""
    found: list[int | None] = [connection.execute(last).scalar() for last in lasts]
    return 1 + max((last for last in found if last is not None), default=-1)


def _pay(connection: sa.Connection, proof: sa.Row[Any], payer: str, turn: int) -> None:
    """Not as a change that watchers see: it would tell them of each other."""
    ours = proofs.c.id == proof.id
    connection.execute(sa.update(proofs).where(ours).values(payer=payer, turn=turn))


def _turn_from(connection: sa.Connection, earliest: int, priority: int, circuit: str) -> int:
    """The turn of a proof whose key has none before the `earliest`: the next that anybody has in
    the circuit's line, at the latest the one that is served."""
    served = _served(connection, priority, _beside(connection, circuit))
    if earliest >= served:
        return earliest
    line = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    line &= (proofs.c.circuit == circuit) & (proofs.c.payer != "") & is_due(connection)
    line &= (proofs.c.turn >= earliest) & (proofs.c.turn < served)
    query = sa.select(proofs.c.turn).where(line).order_by(proofs.c.turn).limit(1)
    found = connection.execute(query).scalar_one_or_none()
    return served if found is None else int(found)


def _beside(connection: sa.Connection, circuit: str) -> set[str]:
    """The circuits that a living worker has together with this one; none while nobody has it."""
    able = (workers.c.state == "alive") & workers.c.circuits.contains(circuit, autoescape=True)
    found: set[str] = set()
    for text in connection.execute(sa.select(workers.c.circuits).where(able)).scalars():
        with contextlib.suppress(ValueError):  # then that worker is as good as not there
            found.update(json.loads(text))
    return found


def _is_one_of(column: sa.ColumnElement[str], circuits: Collection[str]) -> sa.ColumnElement[bool]:
    """Where nobody has a circuit, all are beside it."""
    return column.in_(sorted(circuits)) if circuits else sa.true()


def _served(connection: sa.Connection, priority: int, circuits: Collection[str]) -> int:
    """The turn that is being served, or is next when what came before it was given up."""
    waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    waiting &= (proofs.c.payer != "") & (proofs.c.turn > HAD)  # else it has no turn
    waiting &= _is_one_of(proofs.c.circuit, circuits) & is_due(connection)
    first = sa.select(proofs.c.turn).where(waiting).order_by(proofs.c.turn).limit(1)
    found = connection.execute(first).scalar_one_or_none()
    return max(int(found or 0), _last_served(connection, priority, circuits))


def _last_served(connection: sa.Connection, priority: int, circuits: Collection[str]) -> int:
    """The last turn that a slot was free for; where that was not written down, by an earlier
    version, the last one that was begun."""
    here = (turns.c.priority == priority) & _is_one_of(turns.c.circuit, circuits)
    last = sa.select(turns.c.turn).where(here).order_by(turns.c.turn.desc()).limit(1)
    for query in (last.where(turns.c.key_id == SERVED), last):
        found = connection.execute(query).scalar_one_or_none()
        if found is not None:
            return int(found)
    return 0


def is_due(connection: sa.Connection) -> sa.ColumnElement[bool]:
    """Whether a proof may be tried now. What was put off at a time that has not come yet was put
    off before the clock was set back."""
    now = shared_clock(connection)
    later = proofs.c.not_before
    return later.is_(None) | (later <= now) | (proofs.c.queued_at > now + CLOCK_SLACK_S)


__all__ = ["CLOCK_SLACK_S", "HAD", "LONGEST_WAIT_S", "ORDER", "another_turn", "by_start", "is_due"]
__all__ += ["is_old", "next_turn", "note_begun", "pass_on", "share"]
