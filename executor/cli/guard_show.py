"""`zkagent guard show`: what an agent may do and spend, as its guard tells."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.guard_target import reading_options, standing

if TYPE_CHECKING:
    from zkagent.executor.chain.guards import AllowedTool, GuardReads, Ticket


@click.command("show")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="For programs: amounts as strings.")
def show_command(*, as_json: bool, **target: Any) -> None:
    """Show mode, budgets, tools, manifest and waiting calls of an agent's guard."""
    told = standing(**target).told
    if as_json:
        output.show(json.dumps(_plain(asdict(told)), indent=2))
        return
    for line in _lines(told):
        output.show(line)


def _plain(value: Any) -> Any:
    """For JSON: amounts are larger than what programs read as numbers."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1 << 53:
        return str(value)
    return value


def _lines(told: "GuardReads") -> Iterator[str]:
    from zkagent.errors import plain

    yield f"guard   {told.guard}, of agent {told.agent}, wallet {told.wallet}"
    yield f"owner   {told.owner}"
    yield f"mode    {told.mode}" + ("" if told.pause is None else f", paused: {plain(told.pause)}")
    yield f"rate    {told.counted} of {told.per_hour} calls in this hour"
    if told.delay_s:
        yield f"delay   {told.delay_s} s before what loosens it"
    for budget in told.budgets:
        yield f"budget  {budget.words}"
    for tool in told.tools:
        yield _tool_line(tool)
    if told.manifest.required or told.manifest.nonce:
        yield _manifest_line(told)
    for ticket in told.tickets:
        if ticket.status in ("waiting", "approved"):
            yield _ticket_line(ticket)
    if older := told.tickets_ever - len(told.tickets):
        yield f"calls 1 to {older} are not looked at here: `zkagent guard approve` looks at any"


def _tool_line(tool: "AllowedTool") -> str:
    from zkagent.executor.chain.guard_rules import wraps_of

    wraps = wraps_of(tool.target, tool.selector, vouched=tool.vouched)
    said = [f"tool    {tool.tool}, {wraps}", f"called {tool.runs} times"]
    if tool.max_runs is not None:
        said.append(f"at most {tool.max_runs}")
    if tool.cooldown_s:
        said.append(f"every {tool.cooldown_s} s")
    if tool.unattended:
        said.append("waits for nobody")
    return ", ".join(said)


def _manifest_line(told: "GuardReads") -> str:
    manifest = told.manifest
    need = "required" if told.manifest.required else "not required"
    if not manifest.expires:
        return f"manifest {need}, none in force"
    return (
        f"manifest {need}, number {manifest.nonce} of {manifest.issuer}, "
        f"expires {when(manifest.expires)}"
    )


def _ticket_line(ticket: "Ticket") -> str:
    until = f" until {when(ticket.until)}" if ticket.status == "approved" else ""
    return f"call {ticket.number}  {ticket.status}{until}, of tool {ticket.tool}"


def when(seconds: int) -> str:
    """A moment of the chain's, which may be any number."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"second {seconds}"


__all__ = ["show_command", "when"]
