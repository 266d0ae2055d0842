"""How far a run is and how long it may still take.

Each step comes with a guess of its seconds, made on a 2-core machine; what the steps so far took
corrects the guesses for those to come.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Clock = Callable[[], float]
PRIOR_SHARE = 0.15  # of the work: how much the guesses weigh beside what was measured


class Estimate:
    """Seconds that are left, from guesses and the time that has passed."""

    def __init__(self, total_s: float, clock: Clock = time.monotonic) -> None:
        self._total_s, self._done_s, self._clock = total_s, 0.0, clock
        self._started = clock()

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._started

    @property
    def share(self) -> float:
        return min(1.0, self._done_s / self._total_s)

    @property
    def left_s(self) -> float:
        prior_s = PRIOR_SHARE * self._total_s
        pace = (self.elapsed_s + prior_s) / (self._done_s + prior_s)
        return max(0.0, (self._total_s - self._done_s) * pace)

    def done(self, guess_s: float) -> None:
        """A piece of work is done that was guessed to take this long."""
        self._done_s += guess_s


class Reporter:
    """Whom a run tells how far it is; this one tells nobody. Use it in `with reporter.shown()`."""

    def begin(self, step: str) -> None:
        """A step begins."""

    def say(self, detail: str) -> None:
        """What the step is at."""

    def done(self, guess_s: float) -> None:
        """The step that was guessed to take this long is over."""

    def note(self, text: str) -> None:
        """Something to remember."""

    @contextmanager
    def shown(self) -> Iterator["Reporter"]:
        yield self


def spoken(seconds: float) -> str:
    """`40 s`, `7 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


__all__ = ["Estimate", "Reporter", "spoken"]
