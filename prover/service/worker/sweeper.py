"""Upkeep that any worker may do at any time: deadlines, retention."""

import logging
import time

from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.queue.store import DAY_S, Store
from zkagent.prover.service.worker.roster import Roster

log = logging.getLogger(__name__)

FIRST_PURGE_S = 30.0
PURGE_EVERY_S = 3600.0


class Sweeper:
    """Called with every heartbeat; each duty keeps its own pace."""

    def __init__(
        self, store: Store, queue: EngineQueue, roster: Roster, retention_s: float
    ) -> None:
        self._store = store
        self._queue = queue
        self._roster = roster
        self._retention_s = retention_s
        self._next_purge = time.monotonic() + FIRST_PURGE_S  # also where workers restart often

    def sweep(self) -> list[str]:
        """Do what is due; the proofs that changed."""
        changed = self._store.expire()
        now = time.monotonic()
        if now >= self._next_purge:
            self._next_purge = now + PURGE_EVERY_S
            self.purge()
        return changed

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
