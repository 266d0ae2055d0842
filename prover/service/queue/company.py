"""Who may be proven together, and who may see it: a batch's proof names the inputs of all its rows.

Rows are put into one proof when the same keys want them, no more and no fewer. A key that asks for
such a row later, while it is proven or afterwards, gets a proof of its own instead (as by
`batch: "never"`), unless it has asked for all of its neighbours, too. Called where proofs are
claimed, asked for and shown, inside their transactions.
"""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from zkagent.circuits.artifacts import Proof
from zkagent.prover.service.queue.jobs import HandleState, content_id, read_inputs
from zkagent.prover.service.queue.tables import handles, proofs, results
from zkagent.prover.service.wire.states import State

_open = handles.c.state == HandleState.OPEN


def wanted_by(connection: sa.Connection, ids: Collection[str]) -> dict[str, frozenset[str]]:
    """The keys that want each of these proofs; certain for as long as their rows are locked."""
    query = sa.select(handles.c.proof_id, handles.c.key_id)
    rows = connection.execute(query.where(handles.c.proof_id.in_(list(ids)) & _open)).all()
    return {name: frozenset(row.key_id for row in rows if row.proof_id == name) for name in ids}


def wanted_by_just(keys: frozenset[str]) -> sa.ColumnElement[bool]:
    """Whether a proof is wanted by these keys and no others, as of when the query began."""
    ours = (handles.c.proof_id == proofs.c.id) & _open
    theirs, others = handles.c.key_id.in_(keys), handles.c.key_id.not_in(keys)
    count = sa.select(sa.func.count()).select_from(handles).where(ours & theirs)
    return (count.scalar_subquery() == len(keys)) & ~sa.exists().where(ours & others)


def is_closed_to(connection: sa.Connection, key_id: str, proof: sa.Row[tuple[object, ...]]) -> bool:
    """Whether this key, were it to attach to a locked proof, would be shown what others asked."""
    if proof.batch is None or proof.state not in (State.PROVING, State.DONE):
        return False
    if proof.state == State.PROVING:
        return key_id not in wanted_by(connection, [proof.id])[proof.id]
    document = sa.select(results.c.document).where(results.c.proof_id == proof.id)
    made = Proof.from_json(connection.execute(document).scalar_one())
    width = len(read_inputs(proof.inputs))
    return not may_see(connection, key_id, made.inputs, str(proof.circuit), width)


def may_see(
    connection: sa.Connection, key_id: str, inputs: Sequence[int], circuit: str, width: int
) -> bool:
    """Whether this key has asked for every row of a proof that it has asked for one of."""
    if len(inputs) == width:
        return True
    starts = range(0, len(inputs), width)
    rows = {content_id(circuit, inputs[start : start + width]) for start in starts}
    asked = sa.select(sa.func.count()).select_from(handles)
    asked = asked.where((handles.c.key_id == key_id) & handles.c.proof_id.in_(rows))
    return connection.execute(asked).scalar_one() == len(rows)


__all__ = ["is_closed_to", "may_see", "wanted_by", "wanted_by_just"]
