"""Upkeep that any worker may do at any time: deadlines, lost runs, retention."""

import logging
import time

import sqlalchemy as sa

from zkagent.prover.service.queue.database import shared_clock
from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.queue.line import CLOCK_SLACK_S
from zkagent.prover.service.queue.store import DAY_S, Store, lock_proof, requeue
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker.roster import Roster

log = logging.getLogger(__name__)

LOST_AFTER_S = 60.0
LOST_EVERY_S = 30.0
PURGE_EVERY_S = 3600.0
AT_ONCE = 50


class Sweeper:
    """Called with every heartbeat; each duty keeps its own pace."""

    def __init__(
        self, store: Store, queue: EngineQueue, roster: Roster, retention_s: float
    ) -> None:
        self._store = store
        self._queue = queue
        self._roster = roster
        self._retention_s = retention_s
        self._next_lost = time.monotonic() + LOST_EVERY_S
        self._next_purge = time.monotonic() + LOST_EVERY_S  # also where workers restart often

    def sweep(self) -> list[str]:
        """Do what is due; the proofs that changed."""
        changed = self._store.expire()
        now = time.monotonic()
        if now >= self._next_lost:
            self._next_lost = now + LOST_EVERY_S
            changed += self.find_lost()
        if now >= self._next_purge:
            self._next_purge = now + PURGE_EVERY_S
            self.purge()
        return changed

    def find_lost(self) -> list[str]:
        """Queue again what waits without a run: a run that ended in an error of the engine's or
        the database's leaves its proof behind. And what was put off before the clock was set back:
        its run waits for a time that it need not wait for."""
        waiting = proofs.c.state == State.WAITING
        query = sa.select(proofs.c.id).where(waiting).order_by(proofs.c.queued_at).limit(AT_ONCE)
        with self._store.database.read() as connection:
            now = shared_clock(connection)
            cutoff = now - LOST_AFTER_S
            old = query.where(proofs.c.queued_at < cutoff)
            ids = list(connection.execute(old).scalars())
            later = proofs.c.not_before.is_not(None) & (proofs.c.queued_at > now + CLOCK_SLACK_S)
            put_off = list(connection.execute(query.where(later)).scalars())
        lost = [proof_id for proof_id in ids if not self._queue.unfinished(proof_id)] + put_off
        for proof_id in lost:
            log.warning("found without a run, queued again", extra={"proof": proof_id})
            with self._store.database.write() as connection:
                proof = lock_proof(connection, proof_id)
                ahead = proof.queued_at > now + CLOCK_SLACK_S
                if proof.state == State.WAITING and (proof.queued_at < cutoff or ahead):
                    requeue(connection, self._queue, proof)
        return lost

    def purge(self) -> None:
        """Forget old proofs, the engine's records of them, and old workers."""
        before = self._store.in_seconds(-self._retention_s)
        count = self._store.purge(before)
        while self._queue.forget(before):
            pass
        self._roster.forget(self._store.in_seconds(-DAY_S))
        if count:
            log.info("purged %d proofs", count)


__all__ = ["Sweeper"]
