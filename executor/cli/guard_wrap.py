"""`zkagent guard wrap`: a tool behind a guard, for an agent that knows nothing of guards."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import agreed
from zkagent.executor.cli.executor_option import EXECUTOR_OPTION, executor_of
from zkagent.executor.cli.guard_target import changing_options, standing
from zkagent.executor.cli.options import JSON_OPTION, given_address
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.cli.guard_target import Standing


@click.command("wrap")
@click.argument("tool", metavar="ADDRESS", callback=given_address)
@EXECUTOR_OPTION
@click.option("--strict", is_flag=True, help="Have decisions proven before the tool is called.")
@changing_options
@JSON_OPTION
def wrap_command(
    *,
    tool: str,
    executor: str | None,
    strict: bool,
    yes: bool,
    as_json: bool,
    **target: Any,
) -> None:
    """Put the tool at ADDRESS behind a guard: deploy a contract that looks like it, obeys the
    guard's agent alone, and has the guard asked.

    The agent gets that contract in the place of the tool, which has to obey it alone: a tool can be
    made for it beforehand, at the address that the question names. Its owner then lets it be called
    (`zkagent guard allow --wrapped`).
    """
    from zkagent.executor.cli.progress import working
    from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
    from zkagent.verifier_contracts.deployment.deployer import Deployer

    it = standing(**target)
    whom = it.told.agent
    asked = executor or executor_of(it.web3, whom, None, target["deployment"])
    lines = [
        f"deploys a tool for agent {whom}, which calls {tool} if guard {it.guard} lets it",
        *_obeyed(it, tool),
    ]
    if strict:
        lines.append(f"each decision has to be proven to executor {asked} before that")
    agreed(lines, yes=yes)
    with working("deploying the tool"):
        deployer = Deployer(DirectCarrier(it.web3, it.owner))
        made = deployer.address("tool", "GuardedTool", it.guard, tool, asked, strict)
    if as_json:
        told = {"tool": made, "behind": tool, "guard": it.guard, "executor": asked}
        output.show(json.dumps(told | {"strict": strict}))
    else:
        output.show(f"tool    {made} calls {tool} if {it.guard} lets it")
    then = typed("guard", "allow", made, "--wrapped", "--guard", it.guard)
    output.show(f"it is called once its guard's owner says so: {then}", err=True)


def _obeyed(it: "Standing", tool: str) -> Iterator[str]:
    """Whom the tool says that it obeys, beside the contract that is about to be made."""
    from eth_utils.address import to_checksum_address

    from zkagent.executor.chain import abi
    from zkagent.executor.cli.guard_wiring import told_wiring
    from zkagent.verifier_contracts.chain.code import created_address
    from zkagent.verifier_contracts.chain.signing import next_nonce

    coming = created_address(it.owner.address, next_nonce(it.web3, it.owner.address))
    obeys = told_wiring(it.web3, tool)[0]
    if obeys == abi.NO_TOOL:
        yield f"{tool} does not tell whom it obeys: nothing here keeps others from calling it"
    elif to_checksum_address(obeys) != coming:
        yield f"{tool} obeys {to_checksum_address(obeys)}, and not {coming}, which is made here"


__all__ = ["wrap_command"]
