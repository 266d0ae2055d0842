"""Turns that the engine does not give: a worker with a free slot takes what waits and what it can
prove.

The engine hands a run to any worker. Where the circuit is missing or its keys are damaged, the run
ends, and the proof waits without one; so it does when the database refused to write the run down.
The line in our own tables says what waits, so nothing depends on there being a run.
"""

import logging
import threading
import time
from collections.abc import Callable

import sqlalchemy as sa

from zkagent.prover.service.errors import DatabaseLost
from zkagent.prover.service.queue.trouble import trouble_of

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5

#: A proof's id, and which generation of it waits.
Turn = tuple[str, int]


class Turns:
    """Looks every now and then, and when told to. next_turn: what is first in line for this worker;
    run: what the engine would have called with it; free: how many of the slots are. `start`, then
    `begin_no_more`, then `stop`."""

    def __init__(
        self,
        next_turn: Callable[[], Turn | None],
        run: Callable[[str, int], None],
        free: Callable[[], int],
        slots: int,
    ) -> None:
        self._next_turn = next_turn
        self._run = run
        self._free = free
        self._slots = slots
        self._rung = threading.Event()
        self._stopping = False
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._watch, name="turns", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def look(self) -> None:
        """Look now; from any thread."""
        self._rung.set()

    def begin_no_more(self) -> None:
        """What was taken may finish."""
        self._stopping = True
        self.look()

    def stop(self, timeout_s: float) -> None:
        """Wait at most this long for the turns that were taken."""
        self.begin_no_more()
        deadline = time.monotonic() + timeout_s
        for thread in (self._thread, *self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    def _watch(self) -> None:
        while not self._stopping:
            try:
                self._begin()
            except (sa.exc.SQLAlchemyError, DatabaseLost):
                pass  # the heartbeat says so
            except Exception:
                log.exception("looking for work failed, trying again")
            self._rung.wait(LOOK_EVERY_S)
            self._rung.clear()

    def _begin(self) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        room = min(self._free(), self._slots - len(self._threads))
        if room <= 0 or self._next_turn() is None:
            return
        for _ in range(room):
            thread = threading.Thread(target=self._take, name="turn", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _take(self) -> None:
        """Turn after turn, as long as there are any that lead to something."""
        last = None
        try:
            while not self._stopping and (turn := self._next_turn()) not in (None, last):
                assert turn
                self._run(*turn)
                last = turn
        except (sa.exc.SQLAlchemyError, DatabaseLost) as exc:
            log.warning("a turn came to nothing: %s", trouble_of(exc).detail)
        except Exception:
            log.exception("a turn came to nothing")


__all__ = ["Turns"]
