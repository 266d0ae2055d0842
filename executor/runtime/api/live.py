"""Events on their way from the runs of this process to those who follow them.

What a follower missed, and what other processes told, it reads from where events are kept.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from zkagent.executor.runtime.core.events import Event

MOST_WAITING = 1_000  # events of a follower that reads slowly


@dataclass
class Line:
    """Of one follower. It holds the newest MOST_WAITING."""

    events: deque[Event] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))

    def next(self) -> Event | None:
        try:
            return self.events.popleft()
        except IndexError:
            return None


class Live:
    """wake: called with a run's id, from any thread, when something is in its followers' lines."""

    def __init__(self, wake: Callable[[str], None]) -> None:
        self._wake = wake
        self._lines: dict[str, list[Line]] = {}
        self._lock = threading.Lock()

    def take(self, event: Event) -> None:
        """A listener of runs, see core/runs.py."""
        with self._lock:
            lines = list(self._lines.get(event.run_id, ()))
        for line in lines:
            line.events.append(event)
        if lines:
            self._wake(event.run_id)

    @contextmanager
    def line(self, run_id: str) -> Iterator[Line]:
        line = Line()
        with self._lock:
            self._lines.setdefault(run_id, []).append(line)
        try:
            yield line
        finally:
            with self._lock:
                self._lines[run_id] = [one for one in self._lines[run_id] if one is not line]
                if not self._lines[run_id]:
                    del self._lines[run_id]


__all__ = ["Line", "Live"]
