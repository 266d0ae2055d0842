"""Options of commands that send transactions, and what runs ask and say."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from zkagent.errors import ZkagentError, in_line
from zkagent.executor.chain.deadlines import MOST_LIFETIME_S
from zkagent.executor.cli import output
from zkagent.executor.cli.options import SECONDS, FiniteRange
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.api.agents import Waiting
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.runs.events import Resumed, Signed
    from zkagent.executor.runs.preview import Confirm, Preview
    from zkagent.executor.runs.records import RunRecord
    from zkagent.executor.runs.terms import RunLimits
    from zkagent.verifier_contracts.chain.signing import FeeCaps

GWEI = 10**9
Command = TypeVar("Command", bound=Callable[..., Any])
FEE_OPTIONS = (
    click.option(
        "--max-fee", type=FiniteRange(0), metavar="GWEI", help="Pay at most this for a unit of gas."
    ),
    click.option(
        "--max-priority-fee",
        type=FiniteRange(0),
        metavar="GWEI",
        help="Of that, at most this to the block's proposer.",
    ),
)
SENDING_OPTIONS = (
    click.option("--yes", is_flag=True, help="Do not ask before sending."),
    *FEE_OPTIONS,
    click.option(
        "--tolerance",
        type=FiniteRange(0, 100),
        default=0.5,
        show_default=True,
        metavar="PERCENT",
        help="How far an amount that a tool told may be from the plan when the run happens.",
    ),
    click.option(
        "--deadline",
        type=click.IntRange(1, MOST_LIFETIME_S),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="After proving: later the transaction can do nothing.",
    ),
    click.option(
        "--confirmations",
        type=click.IntRange(1, 10_000),
        metavar="N",
        help="Wait for N blocks, the run's own included; by default 1 on local chains, else 3.",
    ),
    click.option(
        "--timeout", type=SECONDS, default=180.0, show_default=True, help="Seconds to wait."
    ),
)


def sending_options(command: Command) -> Command:
    """--yes, fees and waiting."""
    for option in reversed(SENDING_OPTIONS):
        command = option(command)
    return command


def fee_options(command: Command) -> Command:
    """--max-fee and --max-priority-fee, which reach the command as one `fee_caps`."""

    @functools.wraps(command)
    def capped(
        *arguments: Any, max_fee: float | None, max_priority_fee: float | None, **options: Any
    ) -> Any:
        return command(*arguments, fee_caps=caps(max_fee, max_priority_fee), **options)

    for option in reversed(FEE_OPTIONS):
        capped = option(capped)
    return cast(Command, capped)


def caps(max_fee: float | None, max_priority_fee: float | None) -> "FeeCaps":
    from zkagent.verifier_contracts.chain.signing import FeeCaps

    def wei(gwei: float | None) -> int | None:
        return None if gwei is None else int(Decimal(str(gwei)) * GWEI)

    return FeeCaps(wei(max_fee), wei(max_priority_fee))


def waiting(confirmations: int | None, timeout: float) -> "Waiting":
    from zkagent.executor.api.agents import Waiting

    return Waiting(confirmations, timeout)


def limits(tolerance: float, deadline: int) -> "RunLimits":
    """tolerance: in percent."""
    from zkagent.executor.runs.terms import RunLimits

    return RunLimits(Fraction(str(tolerance)) / 100, deadline)


def asking(tell: "Narrator", *, yes: bool) -> "Confirm | None":
    """Who is asked before a run is signed; None for nobody. Raises UsageError where nobody can
    answer."""
    if yes:
        return None
    if not sys.stdin.isatty():
        raise click.UsageError("there is nobody here to ask: give --yes")
    return _asking(tell)


def asking_of_departures(tell: "Narrator") -> "Confirm | None":
    """Who is asked, also with --yes, when a run is not what was signed for it before: nobody
    without a terminal, and then it is not sent."""
    return _asking(tell) if sys.stdin.isatty() else None


def _asking(tell: "Narrator") -> "Confirm":
    def ask(preview: "Preview") -> bool:
        from zkagent.errors import in_line
        from zkagent.executor.cli.run_output import preview_json, print_preview

        tell.rest("waiting for an answer")
        with tell.aside():
            print_preview(preview_json(preview), err=True)
            for each in preview.departs:
                output.show(f"not what was signed before: {in_line(each)}", err=True)
            if preview.replaces:
                output.show(
                    f"in place of transaction {preview.replaces}, which may still be the one of "
                    "the two that happens",
                    err=True,
                )
            return click.confirm("send it?", err=True)

    return ask


MAY_STILL_HAPPEN = click.option(
    "--may-still-happen",
    is_flag=True,
    help="Though a transaction that was signed for it may still be mined before its deadline.",
)


def asking_again(tell: "Narrator") -> "Callable[[RunRecord], bool]":
    """Who is asked whether an instruction that was carried out shall be carried out again: nobody
    without a terminal, and then it shall not."""

    def ask(record: "RunRecord") -> bool:
        if not sys.stdin.isatty():
            return False
        with tell.aside():
            done = "was carried out already" if record.state == "done" else "was sent, and missed"
            told = f"this {done} (run {record.id}, transaction {record.hash})"
            return click.confirm(f"{told}: again?", err=True)

    return ask


@contextmanager
def saying_what_was_sent(tell: "Narrator") -> Iterator[None]:
    """Whoever interrupts a run is told what is known of its transaction; of one that reverts, which
    call was decided on: a contract's error may not say which function was called with what."""
    from zkagent.executor.runs.errors import RunReverted

    try:
        yield
    except RunReverted as exc:
        if tell.decided and tell.decided.kind == "call":
            exc.args = (f"{exc}, after {in_line(tell.decided.words)}",)
        raise
    except (KeyboardInterrupt, click.Abort):
        if tell.on_its_way:
            output.show(_known_of(tell.on_its_way), err=True)
        raise


def _known_of(sent: "Signed | Resumed") -> str:
    """By the journal, which knows more than was told."""
    from zkagent.executor.runs.journal import Journal

    record = None
    with suppress(ZkagentError):  # what was told is known in any case
        record = next((found for found in Journal().look()[0] if found.id == sent.run), None)
    if record and record.state == "included":
        return (
            f"transaction {record.hash} (nonce {record.nonce}) is in block {record.block}, and has "
            "no receipt here yet: repeat the command, which sends nothing again, or "
            f"`{typed('runs', 'resume', record.id)}`"
        )
    if record and record.state == "waiting":
        return (
            f"transaction {record.hash} (nonce {record.nonce}) is in block {record.block}, and its "
            f"run waits: `{typed('runs', 'resume', record.id)}` goes on with it, once there is an "
            "answer"
        )
    if record and record.receipt:
        return (
            f"transaction {record.hash} (nonce {record.nonce}) is in block {record.block}, its "
            f"receipt {record.receipt}"
        )
    if record and not record.unfinished:
        return f"transaction {record.hash} (nonce {record.nonce}), run {record.id}: {record.state}"
    return (
        f"transaction {sent.transaction} (nonce {sent.nonce}) was signed and may still be "
        "included: repeat the command to go on with it, or "
        f"`{typed('runs', 'forget', sent.run)}`"
    )


__all__ = [
    "FEE_OPTIONS",
    "MAY_STILL_HAPPEN",
    "asking",
    "asking_again",
    "asking_of_departures",
    "caps",
    "fee_options",
    "limits",
    "saying_what_was_sent",
]
__all__ += ["sending_options", "waiting"]
