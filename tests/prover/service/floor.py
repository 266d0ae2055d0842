"""Keys that ask and workers that prove, one proof at a time, for tests of whose turn it is."""

from collections.abc import Collection

import sqlalchemy as sa

from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claim, Claims, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.line import ORDER
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import State

SLOW = fake_digest("slow")


class Floor:
    """Keys that ask and workers that prove, one proof at a time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._asked = 0

    def ask(self, key: str, count: int, circuit: str = SLOW) -> None:
        for _ in range(count):
            self._asked += 1
            self.store.submit(key, Request(circuit, (self._asked,)))

    def begin(self, able: Collection[str]) -> Claim:
        worker = Claims(self.store.database, self.store.queue, "one")
        turn = worker.next_turn(able)
        assert turn
        claim = worker.claim(*turn, able)
        assert claim
        return claim

    def end(self, claim: Claim) -> str:
        """Whose it was."""
        worker = Claims(self.store.database, self.store.queue, "one")
        payer = self.payer(claim)
        outcome = Outcome("{}", dict.fromkeys(claim.members, 0), 1.0, 0.1, 1)
        assert worker.settle(claim, outcome) == len(claim.members)
        return payer

    def prove(self, count: int, able: Collection[str]) -> list[str]:
        """Whose proofs a worker made."""
        return [self.end(self.begin(able)) for _ in range(count)]

    def payer(self, claim: Claim) -> str:
        query = sa.select(proofs.c.payer).where(proofs.c.claim == claim.token)
        with self.store.database.read() as connection:
            return str(connection.execute(query.limit(1)).scalar_one())

    def line(self, circuit: str) -> list[str]:
        """Whose proofs of this circuit wait, in their order."""
        ours = (proofs.c.state == State.WAITING) & (proofs.c.circuit == circuit)
        query = sa.select(proofs.c.payer).where(ours).order_by(*ORDER)
        with self.store.database.read() as connection:
            return list(connection.execute(query).scalars())


def unsynced(url: str) -> Database:
    """An SQLite database that a test may lose with the machine: nothing waits for the disk."""
    opened = Database(url)
    sa.event.listen(opened.engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=off"))
    opened.prepare()
    return opened


__all__ = ["Floor", "unsynced"]
