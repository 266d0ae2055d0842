"""`zkagent agent desk`: deploys a desk, where an agent's runs can be requested."""

import json
from typing import Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import agreed
from zkagent.executor.cli.desk_options import Ether
from zkagent.executor.cli.executor_option import deploying_for, deploying_options
from zkagent.executor.cli.options import given_address
from zkagent.executor.cli.request import MOST_LIFETIME_S


@click.command("desk")
@deploying_options
@click.option("--patron", callback=given_address, help="Whose requests are taken.")
@click.option("--anybody", is_flag=True, help="Take everybody's requests instead.")
@click.option("--strict", is_flag=True, help="Have proofs at hand for tools that want them first.")
@click.option(
    "--door-fee",
    type=Ether(),
    default="0",
    show_default=True,
    metavar="ETH",
    help="What `run` costs clients that know only the ERC.",
)
@click.option(
    "--door-deadline",
    type=click.IntRange(1, MOST_LIFETIME_S),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="Their deadline.",
)
@click.option(
    "--door-gas",
    type=click.IntRange(1, (1 << 32) - 1),
    default=200_000,
    show_default=True,
    help="Gas of their callbacks.",
)
def desk_command(
    *,
    patron: str | None,
    anybody: bool,
    strict: bool,
    door_fee: int,
    door_deadline: int,
    door_gas: int,
    yes: bool,
    as_json: bool,
    **target: Any,
) -> None:
    """Deploy a desk for an agent: a contract that takes requests of its runs (docs/requests.md).

    The agent has to serve the desk besides. Whoever may request has the agent do what it can do, so
    one that moves its owner's money wants a --patron.
    """
    from zkagent.executor.cli.progress import working
    from zkagent.executor.operating.session import checked_desk
    from zkagent.verifier_contracts.deployment.desk import NOBODY, DeskPlan, deploy_desk

    it = deploying_for(yes=yes, **target)
    if anybody == (patron is not None):
        raise click.UsageError("say whose requests are taken: --patron ADDRESS, or --anybody")
    plan = DeskPlan(patron or NOBODY, door_fee, door_deadline, door_gas, strict)
    agreed([], yes=yes, question=f"deploy a desk for {it.agent}?")
    with working("deploying the desk"):
        made = deploy_desk(it.web3, it.agent, it.executor, plan, it.signer)
        checked_desk(it.web3, made)
    if as_json:
        output.show(json.dumps({"desk": made, "agent": it.agent, "patron": plan.patron}))
    else:
        output.show(f"desk {made} takes requests of {patron or 'everybody'} for {it.agent}")


__all__ = ["desk_command"]
