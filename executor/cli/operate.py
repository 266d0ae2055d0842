"""`zkagent operate`: answers the requests of a desk until it is told to stop."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.api.limits import MOST_SECONDS
from zkagent.executor.cli import output
from zkagent.executor.cli.desk_options import (
    FROM_BLOCK_OPTION,
    desk_opened,
    proving_options,
    where_options,
)
from zkagent.executor.cli.options import JSON_OPTION, FiniteRange
from zkagent.executor.cli.run import FILE, signer_of
from zkagent.executor.cli.sending import fee_options
from zkagent.executor.cli.termination import sigterm_as_ctrl_c

if TYPE_CHECKING:
    from zkagent.executor.operating.desk_operator import DeskOperator
    from zkagent.executor.operating.metrics import Metrics
    from zkagent.executor.operating.session import DeskSession
    from zkagent.models.whole import Place
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.command("operate")
@where_options
@proving_options
@FROM_BLOCK_OPTION
@click.option("--once", is_flag=True, help="End when nothing is left to answer.")
@click.option("--at-a-loss", is_flag=True, help="Pay more for gas than a request's fee.")
@click.option(
    "--facts", is_flag=True, help="Serve requests that are bound to facts of their requester's."
)
@click.option(
    "--begin/--no-begin",
    default=True,
    help="Begin runs that wait for a tool, though others may be paid for going on with them.",
)
@click.option(
    "--confirmations",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Blocks until an answer is settled; by default 1 on local chains, else 3.",
)
@click.option(
    "--interval",
    type=FiniteRange(0.05, MOST_SECONDS),
    default=2.0,
    show_default=True,
    help="Seconds from one look at the chain to the next.",
)
@click.option(
    "--metrics-port", type=click.IntRange(0, 65535), help="Serve Prometheus' text on 127.0.0.1."
)
@click.option("--metrics-file", type=FILE, help="Write the same to a file at each look.")
@fee_options
@JSON_OPTION
def operate_command(
    *,
    from_block: int,
    once: bool,
    at_a_loss: bool,
    facts: bool,
    begin: bool,
    confirmations: int | None,
    interval: float,
    metrics_port: int | None,
    metrics_file: Path | None,
    fee_caps: "FeeCaps",
    as_json: bool,
    **options: Any,
) -> None:
    """Answer the requests of a desk: plan, prove, send, and be paid the fee.

    What is signed is kept, and gone on with after an interruption. A transaction never may cost
    more than what is left of its request's fee, unless --at-a-loss. Ctrl-C ends it between two
    steps; give it an account of its own.
    """
    from zkagent.executor.cli.operate_view import View
    from zkagent.executor.operating.journal import AnswerJournal
    from zkagent.executor.operating.metrics import Metrics
    from zkagent.executor.operating.policy import Policy

    place = _place(metrics_file)
    signer, view, metrics = signer_of(options["key_file"]), View(), Metrics()
    policy = Policy(at_a_loss, facts, confirmations, begin)
    with ExitStack() as stack:
        stack.enter_context(sigterm_as_ctrl_c())
        stack.enter_context(view.working())
        session = stack.enter_context(desk_opened(view, signer, options, fee_caps=fee_caps))
        journal = AnswerJournal(session.place)
        stack.enter_context(journal.held())
        stack.enter_context(_served(metrics, metrics_port))
        operator = _operator(session, journal, from_block, policy, (metrics, view))
        view.rest(f"watching the desk {session.desk.address}")
        try:
            _work(operator, metrics, view, interval, once=once, place=place)
        except KeyboardInterrupt:
            if once:
                raise
    shown = {
        "account": str(signer.address).lower(),
        "desk": session.desk.address,
        "open": metrics.open,
        "waiting": metrics.waiting,
        **metrics.counts,
        "proving_seconds": round(metrics.seconds, 3),
    }
    if as_json:
        output.show(json.dumps(shown))
    else:
        answered, paid = metrics.counts["answered_total"], metrics.counts["fees_wei_total"]
        output.show(f"answered {answered} requests for {paid:,} wei; {metrics.open} are open")


def _operator(
    session: "DeskSession", journal: Any, first: int, policy: Any, listeners: Any
) -> "DeskOperator":
    from zkagent.executor.operating.desk_operator import DeskOperator
    from zkagent.executor.operating.watch import Watch

    def report(event: Any) -> None:
        for listener in listeners:
            listener(event)

    watch = Watch(session.desk, first)
    return DeskOperator(
        session.desk, session.sender, session.runner, journal, watch, policy, report
    )


def _work(
    operator: "DeskOperator",
    metrics: "Metrics",
    view: Any,
    interval: float,
    *,
    once: bool,
    place: "Place | None",
) -> None:
    while True:
        busy = operator.turn()
        metrics.open, metrics.waiting = len(operator.watch.open), len(operator.watch.waiting)
        metrics.on_the_way = sum(
            record.state in {"sent", "included"} for record in operator.journal.records()
        )
        view.look(operator, metrics)
        if place:
            place.put(metrics.text().encode())
            place = replace(place, new=False)  # the next one takes the place of ours
        if once and (not busy or operator.rests):
            return
        time.sleep(interval)


@contextmanager
def _served(metrics: "Metrics", port: int | None) -> Iterator[None]:
    from zkagent.executor.operating.metrics import served

    if port is None:
        yield
        return
    with served(metrics, port) as found:
        output.show(f"metrics: http://127.0.0.1:{found}/metrics", err=True)
        yield


def _place(path: Path | None) -> "Place | None":
    """Raises PlaceRefused for a place that cannot take the metrics, FileInTheWay for one that has
    something else."""
    from zkagent.executor.places import check_place

    return check_place(path, replaceable=_is_metrics) if path else None


def _is_metrics(text: str) -> bool:
    return text.startswith("# HELP zkagent_operator_")


__all__ = ["operate_command"]
