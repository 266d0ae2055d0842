"""Runs that the engine has down as running and that nobody runs: their end could not be written
down, their beginning could not be read, or their worker is known no more.

Each worker knows only what it runs itself, so it puts back its own, and those of workers that are
neither alive nor about to be taken over from. Putting one back too much costs a run that finds
nothing to do, since claims guard themselves.
"""

import logging
import time
from collections.abc import Callable, Collection

from zkagent.prover.service.queue.engine import EngineQueue
from zkagent.prover.service.worker.roster import Roster

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0


class Strays:
    """Called with every heartbeat. active: the runs that this worker is at."""

    def __init__(
        self,
        queue: EngineQueue,
        roster: Roster,
        worker: str,
        active: Callable[[], Collection[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._roster = roster
        self._worker = worker
        self._active = active
        self._clock = clock
        self._next = clock()
        self._seen: set[tuple[str, str]] = set()

    def put_back(self) -> int:
        """Queue again what looked so twice, since a run may just be beginning or ending; how
        many."""
        if self._clock() < self._next:
            return 0
        self._next = self._clock() + LOOK_EVERY_S
        found = self._found()
        certain = found & self._seen
        for run, worker in sorted(certain):
            log.warning("nobody runs it, queued again", extra={"run": run, "worker": worker})
            self._queue.put_back(run, worker)
        self._seen = found - certain
        return len(certain)

    def _found(self) -> set[tuple[str, str]]:
        running = self._queue.running()  # first: what ends meanwhile is gone at the next look
        active, living = set(self._active()), self._roster.living()
        return {
            (run, worker)
            for run, worker in running
            if (run not in active if worker == self._worker else worker not in living)
        }


__all__ = ["Strays"]
