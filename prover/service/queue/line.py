"""The line of those who wait: the most urgent first, keys in turn, then who came first.

Each proof takes a turn of the key that asked for it: the turn after that key's last one, or the one
that is being served when it has none waiting (start-time fair queueing). So a key with a thousand
proofs in line delays another's first one by one proof, not by a thousand.
"""

import sqlalchemy as sa

from zkagent.prover.service.queue.database import shared_clock
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import State

LONGEST_WAIT_S = 3600.0
CLOCK_SLACK_S = 1.0

#: In the order in which they are begun.
ORDER = (proofs.c.priority, proofs.c.turn, proofs.c.queued_at)


def next_turn(connection: sa.Connection, payer: str, priority: int) -> int:
    """The turn of one more proof of this key."""
    waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
    own = sa.select(sa.func.max(proofs.c.turn)).where(waiting & (proofs.c.payer == payer))
    last = connection.execute(own).scalar_one()
    served = _served(connection, priority)
    return served if last is None else max(served, int(last) + 1)


def _served(connection: sa.Connection, priority: int) -> int:
    """The turn that is being served, or is next."""
    proving = (proofs.c.state == State.PROVING) & (proofs.c.priority == priority)
    found = connection.execute(sa.select(sa.func.max(proofs.c.turn)).where(proving)).scalar_one()
    if found is None:
        waiting = (proofs.c.state == State.WAITING) & (proofs.c.priority == priority)
        waiting &= proofs.c.payer != ""  # that is one which has no turn yet
        first = sa.select(proofs.c.turn).where(waiting & is_due(connection))
        first = first.order_by(proofs.c.turn).limit(1)
        found = connection.execute(first).scalar_one_or_none()
    return int(found or 0)


def is_due(connection: sa.Connection) -> sa.ColumnElement[bool]:
    """Whether a proof may be tried now. What was put off at a time that has not come yet was put
    off before the clock was set back."""
    now = shared_clock(connection)
    later = proofs.c.not_before
    return later.is_(None) | (later <= now) | (proofs.c.queued_at > now + CLOCK_SLACK_S)


__all__ = ["CLOCK_SLACK_S", "LONGEST_WAIT_S", "ORDER", "is_due", "next_turn"]
