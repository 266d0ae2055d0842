"""`zkagent runs list`, `show`, `tail` and `replay`: what agents off chain, and on chains, did."""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import JSON_OPTION
from zkagent.executor.cli.runs_options import (
    AGENTS_HELP,
    INCLUDE_OPTION,
    Given,
    complete,
    opened,
    requests_of,
    runs_options,
    signed_run,
    store_of,
)
from zkagent.executor.cli.runs_shown import (
    content_lines,
    event_line,
    off_chain_json,
    off_chain_line,
    on_chain_json,
    on_chain_line,
    replay_lines,
    step_lines,
)

if TYPE_CHECKING:
    from zkagent.executor.runs.records import RunRecord
    from zkagent.executor.runtime.durable.database import RunsDatabase
    from zkagent.executor.runtime.durable.kept import KeptRun, Whole
    from zkagent.executor.runtime.events.contents import Include
    from zkagent.executor.runtime.permissions.approvals import Request

KINDS = ("agent", "chain")
LOOK_EVERY_S = 0.3
AT_ONCE = 500  # events read at a time
UNKNOWN = 3  # a verdict that nothing here can give


@click.command("list")
@click.option("--kind", type=click.Choice(KINDS), help="Of agents off chain, or on a chain, only.")
@click.option("--agent", "agent_id", metavar="ID", help="Of this agent off chain only.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@JSON_OPTION
@runs_options
def list_command(
    *,
    kind: str | None,
    agent_id: str | None,
    limit: int,
    as_json: bool,
    database: str | None,
    database_key: Path | None,
) -> None:
    """List runs, newest first: of agents off chain, and what was signed for agents on chains."""
    kept = {} if kind == "chain" else _kept(database, database_key, agent_id, limit)
    signed, damaged = ([], []) if kind == "agent" or agent_id else _signed()
    lines = [(run.started_at.timestamp(), off_chain_json(run, left=left) | {"kind": "agent"},
              off_chain_line(run, datetime.now(UTC), left=left,
                             given=Given(database, database_key)))
             for run, left in kept.items()]  # fmt: skip
    lines += [
        (record.created, on_chain_json(record) | {"kind": "chain"}, on_chain_line(record))
        for record in signed
    ]
    lines.sort(key=lambda one: -one[0])
    if as_json:
        output.show(json.dumps([shown for _, shown, _ in lines[:limit]]))
    else:
        for _, _, line in lines[:limit]:
            output.show(line)
        if not lines and not damaged:
            output.show("no runs")
    for reason in damaged:
        output.show(f"error: {reason}", err=True)
    if damaged:
        sys.exit(1)


@click.command("show")
@click.argument("run", metavar="RUN")
@INCLUDE_OPTION
@JSON_OPTION
@runs_options
def show_command(
    *,
    run: str,
    include: tuple[str, ...],
    as_json: bool,
    database: str | None,
    database_key: Path | None,
) -> None:
    """Show RUN, by its id or the beginning of it: its state, its steps, and what it came to."""
    from zkagent.executor.runtime.core.errors import RunUnknown
    from zkagent.executor.runtime.durable.database import RunsMissing

    try:
        with opened(database, database_key, reads=True) as found:
            _show(found, run, include, as_json, Given(database, database_key))
    except (RunUnknown, RunsMissing):
        if (record := signed_run(run)) is None:
            raise
        output.show(json.dumps(on_chain_json(record)) if as_json else on_chain_line(record))


@click.command("tail")
@click.argument("run", metavar="RUN")
@click.option("--follow", is_flag=True, help="Go on until the run has ended.")
@INCLUDE_OPTION
@JSON_OPTION
@runs_options
def tail_command(
    *,
    run: str,
    follow: bool,
    include: tuple[str, ...],
    as_json: bool,
    database: str | None,
    database_key: Path | None,
) -> None:
    """Print the events of RUN, of an agent off chain, a line each; with --json an object each."""
    from zkagent.executor.runtime.events.contents import Include, shown

    wanted, since = Include.of(include), 0
    with opened(database, database_key, reads=True) as found:
        store = store_of(found)
        run_id = complete(store, run)
        while True:
            over = not follow or store.find(run_id).state == "finished"
            while events := store.events(run_id, since, AT_ONCE):
                for event in events:
                    told = shown(event, wanted)
                    output.show(json.dumps(told.to_json()) if as_json else event_line(told))
                since += len(events)
            if over:
                return
            time.sleep(LOOK_EVERY_S)


@click.command("replay")
@click.argument("run", metavar="RUN")
@click.option("--agents", required=True, metavar="FILE", help=AGENTS_HELP)
@click.option("--verify", is_flag=True, help="Check the proofs of its steps, too.")
@JSON_OPTION
@runs_options
def replay_command(
    *,
    run: str,
    agents: str,
    verify: bool,
    as_json: bool,
    database: str | None,
    database_key: Path | None,
) -> None:
    """Decide RUN again from its events, without its tools and models: is every decision the same?

    Exit code 1 if not, or if a proof is false; 3 if that could not be told of some step.
    """
    from zkagent.executor.runtime.replays.replaying import replay
    from zkagent.executor.runtime.running.loading import load_agents

    with opened(database, database_key, reads=True) as found:
        store = store_of(found)
        run_id = complete(store, run)
        report = replay(run_id, store, load_agents(agents), verify=verify)
    if as_json:
        output.show(json.dumps(report.to_json()))
    else:
        for line in replay_lines(report):
            output.show(line)
    unclear = any(
        step.proof == "unverified" or step.outcome == "not_compared" for step in report.steps
    )
    if not report.agrees:
        untold = all(step.outcome != "differs" and step.proof != "false" for step in report.steps)
        sys.exit(UNKNOWN if unclear and untold and not report.difference else 1)
    if unclear:
        sys.exit(UNKNOWN)


def _kept(
    database: str | None, database_key: Path | None, agent_id: str | None, limit: int
) -> "dict[KeptRun, bool]":
    """With whether nobody is at them; none where nobody said where they are, and there are none
    yet. Raises FileLocked: what was named as a key is none."""
    from zkagent.executor.runtime.durable.database import VARIABLE, RunsMissing
    from zkagent.executor.runtime.durable.left import left
    from zkagent.prover.durable.encrypted import read_key

    if database_key is not None:
        read_key(database_key, VARIABLE)
    try:
        with opened(database, database_key, reads=True) as found:
            kept: list[KeptRun] = store_of(found).page(agent=agent_id, most=limit)
            alone = left(found, kept)
            return {run: run.id in alone for run in kept}
    except RunsMissing:
        if database is not None:
            raise
        return {}


def _signed() -> "tuple[list[RunRecord], list[Any]]":
    from zkagent.executor.runs.journal import Journal

    records, damaged = Journal().look()
    return list(records), list(damaged)


def _show(
    database: "RunsDatabase", run: str, include: tuple[str, ...], as_json: bool, given: Given
) -> None:
    from zkagent.executor.runtime.durable.left import left
    from zkagent.executor.runtime.events.contents import Include, shown_result, shown_text

    store, wanted = store_of(database), Include.of(include)
    whole = store.whole(store.complete(run))
    result = None if whole.result is None else shown_result(whole.result.to_json(), wanted)
    actions = result["actions"] if result else _taken(whole, wanted)
    is_left = whole.run.id in left(database, [whole.run])
    waits = [one for one in requests_of(database) if one.run_id == whole.run.id]
    asked = [_asked(one, wanted) for one in waits]
    task = shown_text(whole.run.task, wanted)
    if as_json:
        shown = off_chain_json(whole.run, left=is_left) | {"task": task, "actions": actions}
        steps = [one.number for one in waits]
        shown |= {"waiting": steps, "waits": asked, "result": result}
        output.show(json.dumps(shown))
        return
    output.show(off_chain_line(whole.run, datetime.now(UTC), left=is_left, given=given))
    lines = content_lines({"task": task}, "  ")
    for action in actions:
        lines += step_lines(action)
    for one, each in zip(waits, asked, strict=True):
        approving = given.command("runs", "approve", one.run_id, one.number)
        lines.append(f"  step {one.number} waits: {approving}")
        lines += content_lines({name: each[name] for name in ("tool", "input", "reason")}, "    ")
    if result:
        told = {"error": (result["error"] or {}).get("message")}
        lines += content_lines(told, "  ")
        lines.append(f"  result  {json.dumps(result['result'], ensure_ascii=False)}")
    for line in lines:
        output.show(line)


def _taken(whole: "Whole", wanted: "Include") -> list[dict[str, Any]]:
    """The steps so far of a run that has not ended."""
    from zkagent.executor.runtime.events.contents import shown

    told = [shown(event, wanted).data for event in whole.events if event.kind == "step_finished"]
    actions: list[Any] = [data["action"] for data in told]
    return actions


def _asked(request: "Request", wanted: "Include") -> dict[str, Any]:
    """reason: of the rules, as in events."""
    from zkagent.executor.runtime.events.contents import WITHHELD

    given = request.input if wanted.inputs else WITHHELD
    told = {"step": request.number, "tool": request.tool}
    return told | {"input": given, "reason": request.reason}


LOOKING = (list_command, show_command, tail_command, replay_command)

__all__ = ["LOOKING"]
