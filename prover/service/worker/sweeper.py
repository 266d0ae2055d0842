"""Upkeep that any worker may do at any time: deadlines, retention."""

import logging
import math
import time

from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.queue.store import DAY_S, Store
from zkagent.prover.service.worker.roster import Roster

log = logging.getLogger(__name__)

FIRST_PURGE_S = 30.0
PURGE_EVERY_S = 3600.0
#: For each duty: the heartbeat waits for it, and who waits too long for one takes us for dead.
AT_ONCE_S = 1.0


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

    def expire(self) -> list[str]:
        """Close some handles that are late or of revoked keys, the rest with the next heartbeats;
        their proofs."""
        return self._store.expire(AT_ONCE_S) + self._store.give_up_revoked()

    def purge_when_due(self) -> None:
        """Forget some of what is old, the rest with the next heartbeats."""
        now = time.monotonic()
        if now >= self._next_purge and self.purge(AT_ONCE_S):
            self._next_purge = now + PURGE_EVERY_S

    def purge(self, within_s: float = math.inf) -> bool:
        """Forget old proofs, the engine's records of them, and old workers, for about so long;
        whether that was all."""
        end_s = time.monotonic() + within_s
        before = self._store.in_seconds(-self._retention_s)
        if count := self._store.purge(before, within_s):
            log.info("purged %d proofs", count)
        while self._queue.forget(before):
            if time.monotonic() >= end_s:
                return False
        self._roster.forget(self._store.in_seconds(-DAY_S))
        return time.monotonic() < end_s


__all__ = ["Sweeper"]
