"""`zkagent runs`: those of agents off chain, and on chains what was signed and has not ended."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agents_model import agents_model
from zkagent.executor.cli.consent import YES_OPTION, ask
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.run import FILE, opened, target_options
from zkagent.executor.cli.runs_act import ACTING
from zkagent.executor.cli.runs_audit import audit_command
from zkagent.executor.cli.runs_look import LOOKING
from zkagent.executor.cli.runs_shown import on_chain_json, on_chain_line
from zkagent.executor.cli.sending import (
    MAY_STILL_HAPPEN,
    asking,
    asking_of_departures,
    saying_what_was_sent,
    sending_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zkagent.executor.runs.records import RunRecord


@click.group("runs", cls=Group)
def runs_group() -> None:
    """Runs of agents: off chain begin, follow, replay and approve them; on a chain list what was
    signed, go on with it, give it up."""


@runs_group.command("pending")
@click.option("--all", "everything", is_flag=True, help="Those that came to an end, too.")
@JSON_OPTION
def pending_command(everything: bool, as_json: bool) -> None:
    """List runs whose transaction was signed and that did not come to an end, oldest first."""
    from zkagent.executor.runs.journal import Journal

    records, damaged = Journal().look()
    shown = [record for record in records if everything or record.unfinished]
    if as_json:
        output.show(json.dumps([on_chain_json(record) for record in shown]))
    else:
        for record in shown:
            output.show(on_chain_line(record))
        if not shown and not damaged:
            output.show("no runs" if everything else "no run is pending")
    for reason in damaged:
        output.show(f"error: {reason}", err=True)
    if damaged:
        sys.exit(1)


def continuing(command: "Callable[..., None]") -> "Callable[..., None]":
    """RUN, and how its transaction is sent: of `resume` and `replace`."""
    for option in (
        JSON_OPTION,
        click.option("--receipt", "receipt_path", type=FILE, help="Where to write the receipt."),
        sending_options,
        target_options,
        click.option("--rpc", cls=SettingOption, required=True, help="RPC address."),
        click.argument("run", metavar="RUN"),
    ):
        command = option(command)
    return command


@runs_group.command("resume")
@continuing
def resume_command(run: str, **options: Any) -> None:
    """Go on with RUN: send its transaction again and wait, or plan anew when the state moved; of
    one that happened and has no receipt, make that. One that waited, for its owner's approval or
    for a tool, goes on by another transaction."""
    _continue(run, dearer=False, **options)


@runs_group.command("replace")
@continuing
def replace_command(run: str, **options: Any) -> None:
    """Send RUN with a higher fee, under the same nonce: one transaction of the two can be mined,
    and that may still be the earlier one."""
    _continue(run, dearer=True, **options)


@runs_group.command("forget")
@click.argument("run", metavar="RUN")
@YES_OPTION
@MAY_STILL_HAPPEN
def forget_command(run: str, yes: bool, may_still_happen: bool) -> None:
    """Give RUN up. Nobody can take back what was sent: before the deadline it may still be mined,
    and is given up with --may-still-happen alone.

    No chain is asked. Whoever gives the instruction again has it looked for on its chain first.
    """
    from dataclasses import replace

    from zkagent.executor.runs.journal import Journal
    from zkagent.executor.runs.nonces import still_possible

    journal = Journal()
    with journal.held(journal.find(run).intent):
        record = journal.find(run)
        if not record.unfinished:
            output.show(f"run {record.id} came to an end already: {record.state}")
            return
        if record.may_happen() and not may_still_happen:
            raise still_possible(record)
        if not yes:
            _ask(record)
        journal.write(replace(record, state="forgotten"))
    output.show(
        f"run {record.id} on chain {record.intent.chain_id} is forgotten; transaction "
        f"{record.hash} {_threat(record)}"
    )


def _ask(record: "RunRecord") -> None:
    """Ends the command unless the user agrees."""
    output.show(on_chain_line(record), err=True)
    ask(f"its transaction {_threat(record)}; forget it?", "nothing was forgotten")


def _threat(record: "RunRecord") -> str:
    """Until when what was sent can take effect, by its signed terms."""
    from zkagent.executor.chain.deadlines import utc

    return f"may still be mined until {utc(record.deadline)}"


def _continue(
    run: str,
    *,
    dearer: bool,
    receipt_path: "Path | None",
    as_json: bool,
    yes: bool,
    **options: Any,
) -> None:
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.cli.run_output import (
        completed_json,
        print_rest,
        print_run,
        rest_json,
        show,
    )
    from zkagent.executor.runs.errors import RunWaits
    from zkagent.executor.runs.journal import Journal

    record = Journal().find(run)
    options["agent"] = options["agent"] or record.intent.agent
    options["chain_id"] = options["chain_id"] or record.intent.chain_id
    model = agents_model(options["model_name"], options["deployment"], options["agent"])
    tell = Narrator()
    confirm = asking(tell, yes=yes)
    departing, done = asking_of_departures(tell), None
    with tell.working(), saying_what_was_sent(tell), opened(tell, model, options) as agent:
        try:
            if not record.intent.resumes:
                done = agent.resume(
                    record,
                    receipt=receipt_path,
                    confirm=confirm,
                    departing=departing,
                    dearer=dearer,
                )
        except RunWaits:
            if dearer:
                raise
        if done is None:
            rest = agent.go_on(record, confirm=confirm, departing=departing, dearer=dearer)
            shown, pretty = rest_json(rest, agent.rest_on_paper(rest)), print_rest
        else:
            shown, pretty = completed_json(done), print_run
    show(shown, as_json, pretty)


for _command in (*LOOKING, *ACTING, audit_command):
    runs_group.add_command(_command)

__all__ = ["runs_group"]
