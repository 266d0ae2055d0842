"""What `zkagent operate` shows on stderr: a table of open requests on a terminal, and a line for
each thing that happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkagent.errors import in_line
from zkagent.executor.chain.deadlines import utc
from zkagent.executor.cli import output
from zkagent.executor.cli.desk_options import ether
from zkagent.executor.cli.progress import Work
from zkagent.executor.operating.events import (
    Answered,
    Begun,
    Event,
    Lost,
    Proven,
    PutOff,
    Reverted,
    Sent,
    Suspended,
    Trouble,
    Undone,
    Waits,
)
from zkagent.executor.runs.derivation import text

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from zkagent.executor.operating.desk_operator import DeskOperator
    from zkagent.executor.operating.metrics import Metrics

MOST_ROWS = 20
MOST_PROMPT = 40  # characters of a prompt that are shown


class View(Work):
    """Also a Listener."""

    asks = True

    def __init__(self) -> None:
        super().__init__()
        self._live: Live | None = None
        self._notes: dict[int, str] = {}

    def __call__(self, event: Event) -> None:
        line = described(event)
        if number := getattr(event, "number", None):
            self._notes[number] = line
        if not isinstance(event, Begun | Proven):
            with self.aside():
                output.show(in_line(line), err=True)
        elif self._live is None:
            self.stage(line)

    @contextmanager
    def working(self) -> Iterator["View"]:
        with self.shown():
            try:
                yield self
            finally:
                if self._live is not None:
                    self._live.stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        if self._live is None:
            with super().aside():
                yield
            return
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()

    def look(self, operator: "DeskOperator", metrics: "Metrics") -> None:
        """As things are now; elsewhere than on a terminal nothing is shown of it."""
        if self._bar is None:
            return
        table = self._table(operator, metrics)
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._bar.stop()
            self._live = Live(
                table,
                console=Console(stderr=True, highlight=False),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(table, refresh=True)

    def _table(self, operator: "DeskOperator", metrics: "Metrics") -> "Table":
        from rich.markup import escape
        from rich.table import Table

        counts = metrics.counts
        title = (
            f"{metrics.open} open, {metrics.waiting} of them wait for a tool, "
            f"{metrics.on_the_way} on the way, "
            f"{counts['answered_total']} answered for {ether(counts['fees_wei_total'])} ETH, "
            f"{ether(counts['gas_wei_total'])} ETH for gas"
        )
        table = Table("request", "fee, ETH", "until", "prompt", "now", title=title, box=None)
        for posted in operator.watch.open[:MOST_ROWS]:
            order = posted.request.order
            prompt = in_line(text(order.prompt))[:MOST_PROMPT]
            cells = (str(posted.id), ether(order.fee), utc(order.deadline), prompt)
            note = in_line(self._notes.get(posted.id, ""))
            table.add_row(*(escape(cell) for cell in (*cells, note)))
        return table


def described(event: Event) -> str:
    """In a line."""
    line = ""
    match event:
        case Begun(number=number, fee=fee):
            line = f"request {number}: planning, for {ether(fee)} ETH"
        case Proven(number=number, decisions=decisions, seconds=seconds):
            line = f"request {number}: {decisions} decisions proven in {seconds:.1f} s"
        case Sent(number=number, transaction=name, nonce=nonce, replaces=replaces):
            instead = ", in place of an earlier one" if replaces else ""
            line = f"request {number}: sent {name} (nonce {nonce}{instead})"
        case Answered(number=number, fee=fee, cost_wei=cost):
            line = f"request {number}: answered for {ether(fee)} ETH, {ether(cost)} ETH for gas"
        case Suspended(number=number, cost_wei=cost):
            line = f"request {number}: begun, nobody is paid yet, {ether(cost)} ETH for gas so far"
        case Waits(number=number, what=what):
            line = f"request {number}: waits for {what}"
        case Reverted(number=number, transaction=name, cost_wei=cost):
            line = f"request {number}: {name} failed in its block, for {ether(cost)} ETH"
        case Undone(number=number, transaction=name):
            line = f"request {number}: the block of {name} is gone"
        case Lost(number=number, status=status, cost_wei=cost):
            line = f"request {number}: given up, it is {status}, {ether(cost)} ETH for gas"
        case PutOff(number=number, why=why, pause_s=pause):
            line = f"request {number}: not now, {why}; again in {pause:.0f} s"
        case Trouble(why=why):
            line = f"trouble: {why}"
    return line


__all__ = ["View", "described"]
