"""What commands about runs show: results on stdout, what they are doing on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkagent.executor.cli.progress import Work
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


def results() -> "Console":
    """stdout: plain when it is not a terminal, and never wrapped there."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


class Narrator(Work):
    """Tells on stderr what is going on; use it in a `with` block. Also a Listener for runs."""

    asks = True

    def __call__(self, event: Event) -> None:
        if text := described(event):
            self.stage(text)

    @contextmanager
    def working(self) -> Iterator["Narrator"]:
        """The time in which stages are shown."""
        with self.shown():
            yield self


def described(event: Event) -> str:
    """The stage that an event begins, in words; empty when it begins none."""
    match event:
        case Planned(index=index, decision=decision):
            return f"planning: decision {index + 1} is {quoted(decision)}"
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


def quoted(decision: Decision) -> str:
    """A tool call, or the answer in quotes."""
    return decision.words if decision.kind == "call" else f'"{decision.answer}"'
