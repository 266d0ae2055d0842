"""What commands show on stderr while they work: what is being done, and for how long.

On a terminal a bar or a spinner. Elsewhere lines, none for what takes less than two seconds, and
fewer the longer it takes.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread
from typing import TYPE_CHECKING

from zkagent.errors import in_line
from zkagent.executor.cli import output

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

FIRST_S = 2.0  # from one line to the next, when another stage has begun
AGAIN_S = 10.0  # when the stage is still the same
SHARE = 0.1  # of all the time so far; lines become rarer than these by and by
LOOK_S = 0.2


class Work:
    """One piece of work, told stage by stage within its `working` block. total: the number of
    stages, where it is known before; then a bar moves on with each of them."""

    #: Whether a password may be asked for meanwhile, which a redirected stderr would hold back.
    asks = False

    def __init__(self, total: int | None = None) -> None:
        self._total = total
        self._lines = Lines()
        self._done = count()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def stage(self, text: str) -> None:
        """`text` begins now; what was shown before is over."""
        text = in_line(text)
        self._lines.begin(text)
        if self._bar is None or self._task is None:
            return
        if self._total is None:
            self._bar.reset(self._task, description=text, visible=True)
        else:
            done = next(self._done)
            self._bar.update(
                self._task, description=text, completed=done, visible=True, refresh=True
            )

    def rest(self, text: str) -> None:
        """Nothing more is to be done than `text`, for as long as the user likes: said on a terminal
        only."""
        self.stage(text)
        self._lines.end()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The time to print results in: the spinner is off the screen."""
        if self._bar is not None:
            self._bar.stop()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.start()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """The time in which stages are shown."""
        with self._on_terminal() if _is_terminal() else self._lines.printed():
            yield

    @contextmanager
    def _on_terminal(self) -> Iterator[None]:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(
            *_columns(self._total),
            console=Console(stderr=True, highlight=False, soft_wrap=True),
            transient=True,
            redirect_stdout=False,  # results belong on stdout, wherever that leads
            redirect_stderr=not self.asks,
        ) as bar:
            self._bar, self._task = bar, bar.add_task("", total=self._total, visible=False)
            try:
                yield
            finally:
                self._bar = self._task = None


class Lines:
    """When a stage becomes a line. clock: seconds from whenever."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = self._said = clock()
        self._stage, self._told = "", False

    def begin(self, stage: str) -> None:
        self._stage, self._told = stage, False

    def end(self) -> None:
        self._stage = ""

    def due(self) -> str:
        """The line to print now; empty when there is none."""
        now = self._clock()
        gap = max(AGAIN_S if self._told else FIRST_S, SHARE * (now - self._began))
        if not self._stage or now - self._said < gap:
            return ""
        self._said, self._told = now, True
        return f"[{now - self._began:.0f} s] {self._stage} ..."

    @contextmanager
    def printed(self) -> Iterator[None]:
        """Print to stderr what is due, from a thread of its own."""
        self._began = self._said = self._clock()
        over = Event()
        thread = Thread(target=self._print, args=(over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _print(self, over: Event) -> None:
        while not over.wait(LOOK_S):
            if line := self.due():
                output.show(line, err=True)


@contextmanager
def stages(total: int) -> Iterator[Callable[[str], None]]:
    """Call what it yields with the name of each of the `total` stages as it begins."""
    work = Work(total)
    with work.shown():
        yield work.stage


@contextmanager
def working(stage: str = "") -> Iterator[Callable[[str], None]]:
    """For work whose number of steps is not known before. Call what it yields with each step."""
    work = Work()
    with work.shown():
        if stage:
            work.stage(stage)
        yield work.stage


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in {"", "dumb", "unknown"}


def _columns(total: int | None) -> "tuple[ProgressColumn, ...]":
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    text, elapsed = TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    if total is None:
        return SpinnerColumn(), text, elapsed
    return text, BarColumn(), MofNCompleteColumn(), elapsed


__all__ = ["Lines", "Work", "stages", "working"]
