"""The line of those who wait: the most urgent first, keys in turn, then who came first.

Each proof takes a turn of the key that asked for it: the turn after that key's last one, waiting or
begun, or the one that is being served when that is later (start-time fair queueing). So a key with
a thousand proofs in line delays another's first one by one proof, not by a thousand. A proof that
several keys want takes the soonest of their turns, whoever asked first.

How far a key has come is written down when a turn is begun, and kept: whoever asks for the next
proof as soon as one is begun, or done, has had that turn and is no newcomer. The turn that is being
served is the one of who has come furthest, and never goes back.

Workers need not be alike, so the line of one circuit may be far behind the turn that is served of
others. Who comes to such a line is not sent to its end: the proof takes the next turn that anybody
has in it, and only where nobody has one any more the turn that is served. So two keys alternate in
every line from the first proof on, and nobody comes further to the front of workers that prove both
circuits than others had waited there already. Among workers that are alike no line is behind, as
the soonest turn is always begun next.

A try that ended badly was a turn: the next one of that proof takes another, lest proofs that crash
again and again come before everybody else's each time. Trouble of the machine costs nobody a turn.

A key's turns go on from circuit to circuit, lest whoever spreads a line over ten circuits has ten
shares of the worker that proves them all. They do not between circuits that no living worker has
both of: there a long line on one says nothing about the other.
"""

import contextlib
import json
from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from zkagent.prover.service.queue.database import raise_to, shared_clock
from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.tables import handles, proofs, turns, workers
from zkagent.prover.service.wire.states import UNFINISHED, State

LONGEST_WAIT_S = 3600.0
CLOCK_SLACK_S = 1.0

#: In the order in which they are begun.
ORDER = (proofs.c.priority, proofs.c.turn, proofs.c.queued_at)


def next_turn(connection: sa.Connection, payer: str, priority: int, circuit: str) -> int:
    """The turn of one more proof of this key."""
    beside = _beside(connection, circuit)
    waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    waiting &= (proofs.c.payer == payer) & _is_one_of(proofs.c.circuit, beside)
    last = sa.select(sa.func.max(proofs.c.turn)).where(waiting)
    earliest = _after(connection, last, _begun(payer, priority, beside))
    return _turn_from(connection, earliest, priority, circuit)


def note_begun(connection: sa.Connection, found: Iterable[sa.Row[Any]]) -> None:
    """These proofs, locked, are begun: their keys have come as far as that. The last thing in a
    transaction, and in the same order in all of them, so that nobody waits in a circle."""
    last: dict[tuple[str, int, str], int] = {}
    for proof in found:
        if proof.payer:  # else it has no turn yet
            whose = (proof.payer, proof.priority, proof.circuit)
            last[whose] = max(proof.turn, last.get(whose, 0))
    for (key_id, priority, circuit), turn in sorted(last.items()):
        row = {"key_id": key_id, "priority": priority, "circuit": circuit, "turn": turn}
        raise_to(connection, turns, row, "turn")


def another_turn(connection: sa.Connection, proof: sa.Row[Any]) -> dict[str, object]:
    """Payer and turn of one more try of a locked proof that was begun: whoever of those who want it
    has the soonest next turn."""
    wanting = (handles.c.proof_id == proof.id) & (handles.c.state == HandleState.OPEN)
    keys = sorted(connection.execute(sa.select(handles.c.key_id).where(wanting)).scalars())
    places = {key: next_turn(connection, key, proof.priority, proof.circuit) for key in keys}
    payer = min(keys, key=places.__getitem__, default=proof.payer)
    return {"payer": payer, "turn": places.get(payer, proof.turn)}


def share(connection: sa.Connection, proof: sa.Row[Any], key_id: str) -> None:
    """Let one more key that wants a waiting proof pay for it, if that key's turn is sooner."""
    turn = next_turn(connection, key_id, proof.priority, proof.circuit)
    if key_id != proof.payer and turn < proof.turn:
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
    payer = min(places, key=places.__getitem__)
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
    served = _served(connection, priority)
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


def _served(connection: sa.Connection, priority: int) -> int:
    """The turn that is being served, or is next when what came before it was given up."""
    begun = sa.select(turns.c.turn).where(turns.c.priority == priority)
    begun = begun.order_by(turns.c.turn.desc()).limit(1)
    waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    waiting &= proofs.c.payer != ""  # that is one which has no turn yet
    first = sa.select(proofs.c.turn).where(waiting & is_due(connection))
    first = first.order_by(proofs.c.turn).limit(1)
    found = [connection.execute(query).scalar_one_or_none() for query in (begun, first)]
    return max(int(turn or 0) for turn in found)


def is_due(connection: sa.Connection) -> sa.ColumnElement[bool]:
    """Whether a proof may be tried now. What was put off at a time that has not come yet was put
    off before the clock was set back."""
    now = shared_clock(connection)
    later = proofs.c.not_before
    return later.is_(None) | (later <= now) | (proofs.c.queued_at > now + CLOCK_SLACK_S)


__all__ = ["CLOCK_SLACK_S", "LONGEST_WAIT_S", "ORDER", "another_turn", "is_due", "next_turn"]
__all__ += ["note_begun", "pass_on", "share"]
