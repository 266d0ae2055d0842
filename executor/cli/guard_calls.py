"""`zkagent guard approve` and `zkagent guard decline`: calls that wait for the owner."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.guard_target import GuardChange, carry_out, changing_options, standing
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.chain.guards import Ticket
    from zkagent.executor.cli.guard_target import Standing


@click.command("approve")
@click.argument("number", type=click.IntRange(1, (1 << 64) - 1))
@click.option(
    "--for",
    "lasts_s",
    type=click.IntRange(1, 10 * 365 * 86_400),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="After that the approval is worth nothing.",
)
@click.option("--only-approve", is_flag=True, help="Leave it to somebody else to make the call.")
@changing_options
def approve_command(
    *, number: int, lasts_s: int, only_approve: bool, yes: bool, **target: Any
) -> None:
    """Approve of call NUMBER, exactly as it is shown, and make it.

    What is approved is the hash of what is shown, computed here, whatever the node says that it is.
    """
    from zkagent.executor.chain.guards import call_hash_of, waiting_input
    from zkagent.executor.chain.reader import ContractReader
    from zkagent.verifier_contracts.chain.local import send
    from zkagent.verifier_contracts.deployment.deployer import at

    it = standing(**target)
    ticket = _ticket(it, number)
    given = waiting_input(ContractReader(it.web3), it.guard, ticket)
    for line in _shown(number, ticket, given):
        output.show(line, err=True)
    made_by = _waits_at(it, ticket)
    if not only_approve:
        output.show(f"it is made by {made_by}", err=True)
    until = int(time.time()) + lasts_s  # by our clock: a node may say any time
    approved = (number, call_hash_of(ticket.tool, given), until)
    carry_out(
        it,
        [GuardChange(f"call {number} is approved for {lasts_s} s", "approve", approved)],
        yes=yes,
    )
    if only_approve:
        return
    caller = at(it.web3, "IGuardedCalls", made_by)
    send(it.web3, caller.functions.makeApproved(number, given), it.owner)
    output.show(f"call {number} was made; {_goes_on()}")


@click.command("decline")
@click.argument("number", type=click.IntRange(1, (1 << 64) - 1))
@click.argument("reason")
@changing_options
def decline_command(*, number: int, reason: str, yes: bool, **target: Any) -> None:
    """Decline call NUMBER for REASON, and tell the run that waits."""
    from zkagent.verifier_contracts.chain.local import send
    from zkagent.verifier_contracts.deployment.deployer import at

    it = standing(**target)
    ticket = _ticket(it, number)
    waits_at = _waits_at(it, ticket)
    output.show(f"the run of {waits_at} is told", err=True)
    carry_out(it, [GuardChange(f"call {number} is declined", "decline", (number, reason))], yes=yes)
    caller = at(it.web3, "IGuardedCalls", waits_at)
    send(it.web3, caller.functions.tellDeclined(number), it.owner)
    output.show(f"the run was told; {_goes_on()}")


def _goes_on() -> str:
    """What whoever began the run types next."""
    resumed, listed = typed("runs", "resume", "RUN"), typed("runs", "pending")
    return f"`{resumed}` goes on with the run that waited for it, `{listed}` lists that"


def _shown(number: int, ticket: "Ticket", given: tuple[Any, ...]) -> Iterator[str]:
    """All that is approved: a tool may read its parameters one by one, or all of them together."""
    singly, together = given
    yield f"call {number} of tool {ticket.tool}: 0x{together.hex()}"
    for index, (kind, value) in enumerate(singly):
        yield f"  parameter {index}, type {kind}: 0x{value.hex()}"


def _ticket(it: "Standing", number: int) -> "Ticket":
    """Raises click.UsageError for a call that does not wait."""
    from zkagent.executor.chain.guards import read_ticket
    from zkagent.executor.chain.reader import ContractReader

    reader = ContractReader(it.web3)
    ticket = read_ticket(reader, it.guard.lower(), number, reader.block("latest"))
    if ticket.status in ("waiting", "approved"):
        return ticket
    waiting = [str(t.number) for t in it.told.tickets if t.status in ("waiting", "approved")]
    raise click.UsageError(
        f"no call {number} waits at {it.guard}; waiting, of the last "
        f"{len(it.told.tickets)}: {', '.join(waiting) or 'none'}"
    )


def _waits_at(it: "Standing", ticket: "Ticket") -> str:
    """Who makes the call: the agent, or the wrapped tool itself. Raises NoAgentThere where that
    would be another agent than was named."""
    from eth_utils.address import to_checksum_address

    from zkagent.executor.errors import NoAgentThere

    wrapped = any(tool.wrapped for tool in it.told.tools if tool.tool == ticket.tool)
    found = str(to_checksum_address(ticket.tool if wrapped else it.told.agent))
    if it.agent and not wrapped and found != it.agent:
        raise NoAgentThere(it.guard, f"it guards {found}, and not {it.agent}")
    return found


__all__ = ["approve_command", "decline_command"]
