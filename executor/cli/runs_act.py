"""`zkagent runs start`, `abort`, `approve` and `decline`: of agents off chain."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.consent import YES_OPTION, ask
from zkagent.executor.cli.options import JSON_OPTION
from zkagent.executor.cli.runs_options import (
    Given,
    complete,
    opened,
    requests_of,
    runs_options,
    store_of,
)
from zkagent.executor.runtime.core.config import MOST_SEED, MOST_STEPS

if TYPE_CHECKING:
    from zkagent.executor.runtime.core.result import AgentResult
    from zkagent.executor.runtime.durable.database import RunsDatabase
    from zkagent.executor.runtime.permissions.approvals import Request


@click.command("start")
@click.argument("agents", metavar="FILE")
@click.argument("task", required=False)
@click.option("--agent", "agent_id", metavar="ID", help="Which of FILE's agents, if several.")
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="Of the task's template."
)
@click.option("--session", metavar="ID", help="The conversation to go on with.")
@click.option("--seed", type=click.IntRange(0, MOST_SEED), default=0, show_default=True)
@click.option("--run", metavar="RUN", help="Go on with this run, which was left or halts.")
@click.option("--in-memory", is_flag=True, help="Keep nothing: the run ends with this process.")
@JSON_OPTION
@runs_options
def start_command(
    *,
    agents: str,
    agent_id: str | None,
    run: str | None,
    in_memory: bool,
    as_json: bool,
    database: str | None,
    database_key: Path | None,
    **given: Any,
) -> None:
    """Run an agent of FILE on TASK, or on its own task; its answer is printed, and what it does
    meanwhile on stderr.

    FILE is FILE.py, a module, or either with :NAME: of an agent or a list of them, which is called
    `agent` or `agents` where no NAME is given. A run that this process does not end is kept, and
    gone on with by --run.
    """
    from zkagent.executor.cli.runs_started import Started, carried_out, kept_run
    from zkagent.executor.runtime.running.loading import one_agent

    started = Started(given["task"], _params(given["params"]), given["session"], given["seed"])
    if run is not None and (in_memory or started.says_anything):
        raise click.UsageError("--run goes on with what is kept: leave out all else but FILE")
    agent = one_agent(agents, agent_id)
    if in_memory:
        _print(carried_out(agent, started), as_json)
        return
    place, which = Given(database, database_key), ("--agent", agent_id) if agent_id else ()

    def again(run_id: str) -> str:
        return place.command("runs", "start", agents, *which, "--run", run_id)

    with opened(database, database_key, new=run is None) as found:
        run_id = None if run is None else complete(store_of(found), run)
        _print(kept_run(found, agent, started, run_id, again=again, given=place), as_json)


@click.command("abort")
@click.argument("run", metavar="RUN")
@runs_options
def abort_command(run: str, database: str | None, database_key: Path | None) -> None:
    """Have RUN, of an agent off chain, end at what it is waiting for, wherever it runs."""
    with opened(database, database_key) as found:
        store = store_of(found)
        run_id = complete(store, run)
        if store.ask_to_abort(run_id):
            output.show(f"run {run_id} was told to end; whoever runs it ends it")
        else:
            output.show(f"run {run_id} had ended already: {store.find(run_id).outcome}")


@click.command("approve")
@click.argument("run", metavar="RUN")
@click.argument("step", type=click.IntRange(0, MOST_STEPS - 1))
@YES_OPTION
@runs_options
def approve_command(
    run: str, step: int, *, yes: bool, database: str | None, database_key: Path | None
) -> None:
    """Let STEP of RUN, which waits for it, be carried out as it is shown."""
    with opened(database, database_key) as found:
        request = _waiting(found, run, step)
        output.show(_question(request), err=True)
        if not yes:
            ask("carry it out?", "nothing was approved")
        _decide(found, request, approve=True)
    output.show(f"step {step} of run {request.run_id} is approved")


@click.command("decline")
@click.argument("run", metavar="RUN")
@click.argument("step", type=click.IntRange(0, MOST_STEPS - 1))
@click.option("--yes", is_flag=True, hidden=True, expose_value=False)  # as of approve; nothing asks
@runs_options
def decline_command(run: str, step: int, database: str | None, database_key: Path | None) -> None:
    """Refuse STEP of RUN, which waits for approval.

    The agent is told so: a language model or a script goes on from there, a proven planner ends the
    run, for its model has learned nothing of refusals.
    """
    with opened(database, database_key) as found:
        request = _waiting(found, run, step)
        _decide(found, request, approve=False)
    output.show(f"step {step} of run {request.run_id} is declined")


def _waiting(database: "RunsDatabase", run: str, step: int) -> "Request":
    """Raises RunUnknown, ApprovalNeeded: nothing waits there."""
    from zkagent.executor.runtime.core.errors import ApprovalNeeded

    run_id = complete(store_of(database), run)
    asked = [one for one in requests_of(database) if one.run_id == run_id]
    found = [one for one in asked if one.number == step]
    if not found:
        steps = ", ".join(str(one.number) for one in asked) or "none does"
        raise ApprovalNeeded(f"step {step} of run {run_id} does not wait for approval ({steps})")
    return found[-1]


def _question(request: "Request") -> str:
    given = json.dumps(request.input, ensure_ascii=False)
    return (
        f"step {request.number} of run {request.run_id}: {request.tool} {given}\n{request.reason}"
    )


def _decide(database: "RunsDatabase", request: "Request", *, approve: bool) -> None:
    """By whoever has the database and its key."""
    from zkagent.executor.runtime.durable.approvals import KeptApprovals
    from zkagent.executor.runtime.permissions.approvals import ApprovalDesk
    from zkagent.executor.runtime.permissions.roles import LOCAL_OWNER
    from zkagent.executor.runtime.running.background import background

    desk = ApprovalDesk(KeptApprovals(database))
    background.run(desk.decide(request.digest, LOCAL_OWNER, approve=approve))


def _params(given: tuple[str, ...]) -> dict[str, str]:
    params: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{one!r} is no NAME=VALUE", param_hint="'--param'")
        if name in params:
            raise click.BadParameter(f"{name!r} is given twice", param_hint="'--param'")
        params[name] = value
    return params


def _print(result: "AgentResult", as_json: bool) -> None:
    """Ends the command with 1 if the run failed."""
    if as_json:
        output.show(json.dumps(result.to_json()))
    elif result.success:
        given = result.result
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        output.show(text)
    if result.error is not None:
        if not as_json:
            output.show(f"error: {result.error.message}", err=True)
        sys.exit(1)


ACTING = (start_command, abort_command, approve_command, decline_command)

__all__ = ["ACTING"]
