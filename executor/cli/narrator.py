"""What commands show: results on stdout, what they are doing on stderr.

On a terminal the stage at work has a spinner and its elapsed time; elsewhere each stage is a line.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkagent.executor.runs.events import (
    Estimated,
    Event,
    Included,
    PlanFinished,
    Planned,
    Proved,
    Proving,
    StateChanged,
)
from zkagent.models.encoding.decoder import Decision

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


def results() -> "Console":
    """stdout: plain when it is not a terminal, and never wrapped there."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


class Narrator:
    """Tells on stderr what is going on; use it in a `with` block. Also a Listener for runs."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def stage(self, text: str) -> None:
        """`text` begins now; what was shown before is over."""
        if self._bar is None or self._task is None:
            self._console.print(f"{text} ...", style="dim", markup=False)
        else:
            self._bar.reset(self._task, description=text, visible=True)

    def __call__(self, event: Event) -> None:
        if text := described(event):
            self.stage(text)

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
    def working(self) -> Iterator["Narrator"]:
        """The time in which stages are shown."""
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if not self._console.is_terminal:
            yield self
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(
            *columns,
            console=self._console,
            transient=True,
            redirect_stdout=False,  # results belong on stdout, wherever that leads
            redirect_stderr=False,
        ) as bar:
            self._bar, self._task = bar, bar.add_task("", visible=False)
            try:
                yield self
            finally:
                self._bar = self._task = None


def described(event: Event) -> str:
    """The stage that an event begins, in words; empty when it begins none."""
    match event:
        case Planned(index=index, decision=decision):
            return f"planning: decision {index + 1} is {call_text(decision)}"
        case Proving(index=index, total=total):
            return f"proving decision {index + 1} of {total}"
        case StateChanged(attempt=attempt, reason=reason):
            return f"plan {attempt} is outdated ({reason}); planning anew"
        case Estimated(gas=gas):
            return f"estimated at {gas:,} gas"
        case Included(block=block):
            return f"included in block {block}; writing the receipt"
        case PlanFinished() | Proved():
            return ""


def call_text(decision: Decision) -> str:
    """``Withdraw(asset=USDC, amount=5)``, or the answer in quotes."""
    if decision.kind != "call":
        return f'"{decision.answer}"'
    arguments = ", ".join(f"{a.slot}={a.text}" for a in decision.arguments)
    return f"{decision.action}({arguments})"
