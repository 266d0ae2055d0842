"""`zkagent agent desk`: deploys a desk, where an agent's runs can be requested."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION, YES_OPTION, somebody_to_ask
from zkagent.executor.cli.desk_options import Ether, an_address
from zkagent.executor.cli.executor_option import EXECUTOR_OPTION, executor_of
from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.request import MOST_LIFETIME_S
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.command("desk")
@click.option("--agent", help="The agent's address.")
@EXECUTOR_OPTION
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names it.")
@RPC_OPTION
@click.option("--key-file", cls=SettingOption, type=FILE, required=True, help="Who deploys.")
@CHAIN_ID_OPTION
@click.option("--patron", callback=an_address, help="Whose requests are taken.")
@click.option("--anybody", is_flag=True, help="Take everybody's requests instead.")
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
@YES_OPTION
@fee_options
@JSON_OPTION
def desk_command(
    *,
    agent: str | None,
    executor: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    patron: str | None,
    anybody: bool,
    yes: bool,
    fee_caps: "FeeCaps",
    as_json: bool,
    **door: Any,
) -> None:
    """Deploy a desk for an agent: a contract that takes requests of its runs (docs/requests.md).

    The agent has to serve the desk besides. Whoever may request has the agent do what it can do, so
    one that moves its owner's money wants a --patron.
    """
    from zkagent.executor.cli.progress import working
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.operating.session import checked_desk
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.deployment.desk import NOBODY, DeskPlan, deploy_desk

    signer = signer_of(key_file)
    address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    if anybody == (patron is not None):
        raise click.UsageError("say whose requests are taken: --patron ADDRESS, or --anybody")
    somebody_to_ask(yes=yes)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    asked = executor_of(web3, address, executor, deployment)
    plan = DeskPlan(patron or NOBODY, door["door_fee"], door["door_deadline"], door["door_gas"])
    if not (yes or click.confirm(f"deploy a desk for {address}?", err=True)):
        output.show("nothing was sent", err=True)
        raise SystemExit(7)
    with working("deploying the desk"):
        made = deploy_desk(web3, address, asked, plan, signer)
        checked_desk(web3, made)
    if as_json:
        output.show(json.dumps({"desk": made, "agent": address, "patron": plan.patron}))
    else:
        output.show(f"desk {made} takes requests of {patron or 'everybody'} for {address}")


__all__ = ["desk_command"]
