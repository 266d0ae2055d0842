"""What keeps this worker from proving: it pauses what it cannot do, and tries again ever more
rarely.

The machine's trouble is the worker's, not the proof's: a proof goes back to its place in line, and
whoever has healthy keys and a disk may take it meanwhile.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from zkagent.prover.service.queue.trouble import LEAST_FREE_BYTES, Trouble, disk_trouble
from zkagent.prover.service.wire.states import Cause

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 600.0
LOOK_EVERY_S = 1.0


@dataclass
class Pause:
    """trouble: why. times: how often in a row. until: by the monotonic clock."""

    trouble: Trouble
    times: int
    until: float


class Troubles:
    """Which circuits this worker leaves alone at the moment. offered: what it has. keys: what is
    wrong with files of circuits, beside what was noted here. Any thread."""

    def __init__(
        self,
        offered: Callable[[], frozenset[str]],
        *,
        least_free_bytes: int = LEAST_FREE_BYTES,
        keys: Callable[[], Iterable[str]] = tuple,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._offered = offered
        self._keys = keys
        self._least_free_bytes = least_free_bytes
        self._clock = clock
        self._pauses: dict[str, Pause] = {}
        self._disk: Trouble | None = None
        self._looked = -LOOK_EVERY_S
        self._lock = threading.Lock()

    def able(self) -> frozenset[str]:
        """Circuits that it would prove now; none without room for temporary files."""
        if self.disk():
            return frozenset()
        offered = self._offered()
        now = self._clock()
        with self._lock:
            paused = {circuit for circuit, pause in self._pauses.items() if pause.until > now}
        return frozenset() if "" in paused else offered - paused

    def disk(self) -> Trouble | None:
        """Whether temporary files have no room; looked at once a second."""
        now = self._clock()
        if now - self._looked >= LOOK_EVERY_S:
            self._looked = now
            try:
                folder = Path(tempfile.gettempdir())
                self._disk = disk_trouble(folder, self._least_free_bytes)
            except OSError as exc:
                self._disk = Trouble(Cause.DISK, f"no folder for temporary files: {exc.strerror}")
        return self._disk

    def note(self, circuit: str, trouble: Trouble) -> None:
        """Leave the circuit alone for a while, or everything where the disk is to blame."""
        name = "" if trouble.cause is Cause.DISK else circuit
        with self._lock:
            times = self._pauses[name].times + 1 if name in self._pauses else 1
            pause_s = min(FIRST_PAUSE_S * 2 ** min(times - 1, 20), LONGEST_PAUSE_S)
            self._pauses[name] = Pause(trouble, times, self._clock() + pause_s)

    def clear(self, circuit: str) -> None:
        """It was proven: all is well."""
        with self._lock:
            self._pauses.pop(circuit, None)
            self._pauses.pop("", None)

    def list(self) -> list[Trouble]:
        with self._lock:
            found = [pause.trouble for pause in self._pauses.values()]
        found += [Trouble(Cause.KEYS, words) for words in self._keys()]
        return list(dict.fromkeys([*([self._disk] if self._disk else []), *found]))


__all__ = ["Troubles"]
