"""What commands about runs show: results on stdout, what they are doing on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkagent.errors import in_line
from zkagent.executor.chain.deadlines import utc
from zkagent.executor.cli import output
from zkagent.executor.cli.progress import Work
from zkagent.executor.runs.events import (
    Estimated,
    Event,
    Included,
    MayStillHappen,
    Planned,
    Proving,
    Replacing,
    Resumed,
    Signed,
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
    #: The transaction that was signed last.
    on_its_way: Signed | Resumed | None = None
    #: What was decided last in the plan of now.
    decided: Decision | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, Planned):
            self.decided = event.decision
        elif isinstance(event, StateChanged):
            self.decided = None
        if isinstance(event, Signed | Resumed):
            self.on_its_way = event
        if line := lasting(event):
            with self.aside():
                output.show(in_line(line), err=True)
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
    return _described_sending(event)


def _described_sending(event: Event) -> str:
    match event:
        case Estimated(gas=gas):
            return f"estimated at {gas:,} gas"
        case Included(block=block):
            return f"included in block {block}; writing the receipt"
        case Signed() | Resumed():
            return "waiting for the transaction"
    return ""


def lasting(event: Event) -> str:
    """What stays on the screen of an event; empty for most."""
    match event:
        case Signed(run=run, transaction=transaction, nonce=nonce):
            return f"transaction {transaction} (nonce {nonce}, run {run})"
        case Resumed(run=run, transaction=transaction, nonce=nonce):
            return f"going on with transaction {transaction} (nonce {nonce}, run {run})"
        case Replacing(transaction=transaction):
            return f"transaction {transaction} may still happen instead"
        case MayStillHappen(run=run, transaction=transaction, deadline=deadline):
            return (
                f"warning: transaction {transaction} (run {run}) may still be included until "
                f"{utc(deadline)}, and then this happens twice"
            )
    return ""


def quoted(decision: Decision) -> str:
    """A tool call, or the answer in quotes."""
    return decision.words if decision.kind == "call" else f'"{decision.answer}"'
