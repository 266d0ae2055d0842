"""`zkagent agent runner`: deploys what runs an agent that knows only the ERC, with proofs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.deploying import CHAIN_ID_OPTION, RPC_OPTION, YES_OPTION, somebody_to_ask
from zkagent.executor.cli.desk_options import an_address
from zkagent.executor.cli.executor_option import EXECUTOR_OPTION, executor_of
from zkagent.executor.cli.options import JSON_OPTION, SettingOption
from zkagent.executor.cli.run import FILE
from zkagent.executor.cli.sending import fee_options

if TYPE_CHECKING:
    from zkagent.verifier_contracts.chain.signing import FeeCaps


@click.command("runner")
@click.option("--agent", help="The agent's address.")
@EXECUTOR_OPTION
@click.option("--deployment", cls=SettingOption, type=FILE, help="The record that names them.")
@RPC_OPTION
@click.option("--key-file", cls=SettingOption, type=FILE, required=True, help="Who deploys.")
@CHAIN_ID_OPTION
@click.option(
    "--owner",
    callback=an_address,
    metavar="ADDRESS",
    help="Who runs the agent; by default who deploys.",
)
@click.option("--strict", is_flag=True, help="Have proofs at hand for tools that want them first.")
@YES_OPTION
@fee_options
@JSON_OPTION
def runner_command(
    *,
    agent: str | None,
    executor: str | None,
    deployment: Path | None,
    rpc: str,
    key_file: Path,
    chain_id: int | None,
    owner: str | None,
    strict: bool,
    yes: bool,
    fee_caps: "FeeCaps",
    as_json: bool,
) -> None:
    """Deploy a runner for an agent that knows only the ERC (docs/plain-agents.md).

    It belongs to one owner, and `zkagent run --agent RUNNER` has the agent run by it, each decision
    proven. An agent that serves one address has to serve its runner.
    """
    from zkagent.executor.chain.plain_agent import agent_at
    from zkagent.executor.cli.progress import working
    from zkagent.executor.cli.run import signer_of
    from zkagent.executor.runs.target import OPTIONS, Target, agent_of
    from zkagent.verifier_contracts.chain.local import connect
    from zkagent.verifier_contracts.deployment.runner import deploy_runner

    signer = signer_of(key_file)
    address, known_chain = agent_of(Target(rpc, agent, key_file, deployment, chain_id), OPTIONS)
    somebody_to_ask(yes=yes)
    web3 = connect(rpc, known_chain, caps=fee_caps)
    asked = executor_of(web3, address, executor, deployment)
    whose = owner or str(signer.address)
    if not (yes or click.confirm(f"deploy a runner of {whose} for {address}?", err=True)):
        output.show("nothing was sent", err=True)
        raise SystemExit(7)
    with working("deploying the runner"):
        made = deploy_runner(web3, address, asked, whose, signer, needs_proofs=strict)
        output.show(f"the runner is at {made}", err=True)  # whatever the agent says to it
        chain = agent_at(web3, made)
        number = chain.names(chain.head()).model_id
    if as_json:
        told = {"runner": made, "agent": address, "owner": whose, "model_id": number}
        output.show(json.dumps(told))
    else:
        output.show(f"runner {made} runs {address} for {whose}, by model {number}")


__all__ = ["runner_command"]
