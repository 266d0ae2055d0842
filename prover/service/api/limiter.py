"""How many requests a key may send per minute: a token bucket each, in this process's memory.

Several API processes behind one address each count for themselves.
"""

import threading
import time
from collections.abc import Callable

from zkagent.prover.service.errors import QuotaExceeded
from zkagent.prover.service.queue.keys import Caller

FORGET_ABOVE = 10_000


class Limiter:
    """Buckets of a minute's requests that fill evenly."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # key -> (tokens, when)
        self._lock = threading.Lock()

    def admit(self, caller: Caller) -> None:
        """Count one request, unless it is refused: whoever comes back when told to gets in. Raises
        QuotaExceeded."""
        most = caller.allowance.per_minute
        now = self._clock()
        with self._lock:
            if len(self._buckets) > FORGET_ABOVE:
                self._buckets.clear()
            tokens, when = self._buckets.get(caller.key_id, (float(most), now))
            tokens = min(float(most), tokens + (now - when) * most / 60)
            self._buckets[caller.key_id] = (tokens - 1 if tokens >= 1 else tokens, now)
        if tokens < 1:
            raise QuotaExceeded("requests per minute", most, 60 * (1 - tokens) / most)


__all__ = ["Limiter"]
