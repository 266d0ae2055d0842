"""How far a benchmark is, on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkagent.executor.bench.progress import Estimate, Reporter, spoken

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class BenchBar(Reporter):
    """A bar on a terminal; elsewhere a line for each step. total_s: guess of the whole run."""

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
        self._update(f"{self._step}: {detail}")

    def done(self, guess_s: float) -> None:
        self._estimate.done(guess_s)
        self._update(None)

    def note(self, text: str) -> None:
        self._console.print(text, markup=False)

    @contextmanager
    def shown(self) -> Iterator["BenchBar"]:
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


__all__ = ["BenchBar"]
