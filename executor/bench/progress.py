"""Shows how far a run is and how long it may still take, on stderr.

Each step comes with a guess of its seconds, made on a 2-core machine; what the steps so far took
corrects the guesses for those to come.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
    """A bar on a terminal; elsewhere a line for each step. Use it in `with reporter.shown()`."""

    def __init__(self, total_s: float) -> None:
        from rich.console import Console

        self._estimate = Estimate(total_s)
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._step = ""

    def begin(self, step: str) -> None:
        self._step = step
        if self._bar is None:
            left = spoken(self._estimate.left_s)
            self._console.print(f"{step}  (about {left} left)", markup=False)
        self._update(step)

    def say(self, detail: str) -> None:
        """What the step is at."""
        self._update(f"{self._step}: {detail}")

    def done(self, guess_s: float) -> None:
        self._estimate.done(guess_s)
        self._update(None)

    def note(self, text: str) -> None:
        """Something to remember, above the bar."""
        self._console.print(text, markup=False)

    @contextmanager
    def shown(self) -> Iterator["Reporter"]:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        if not self._console.is_terminal:
            yield self
            return
        columns = (
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.description}"),
        )
        with Progress(*columns, console=self._console, transient=True) as bar:
            self._bar, self._task = bar, bar.add_task("", total=1.0, left="")
            try:
                yield self
            finally:
                self._bar = self._task = None

    def _update(self, description: str | None) -> None:
        if self._bar is None or self._task is None:
            return
        left = f"{spoken(self._estimate.left_s)} left"
        self._bar.update(self._task, completed=self._estimate.share, left=left)
        if description is not None:
            self._bar.update(self._task, description=description)


def spoken(seconds: float) -> str:
    """`40 s`, `7 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


__all__ = ["Estimate", "Reporter", "spoken"]
