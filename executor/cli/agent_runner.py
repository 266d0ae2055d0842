"""`zkagent agent runner`: deploys what runs an agent that knows only the ERC, with proofs."""

import json
from typing import Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.agreed import agreed
from zkagent.executor.cli.executor_option import deploying_for, deploying_options
from zkagent.executor.cli.options import given_address


@click.command("runner")
@deploying_options
@click.option(
    "--owner",
    callback=given_address,
    metavar="ADDRESS",
    help="Who runs the agent; by default who deploys.",
)
@click.option("--strict", is_flag=True, help="Have proofs at hand for tools that want them first.")
def runner_command(
    *, owner: str | None, strict: bool, yes: bool, as_json: bool, **target: Any
) -> None:
    """Deploy a runner for an agent that knows only the ERC (docs/plain-agents.md).

    It belongs to one owner, and `zkagent run --agent RUNNER` has the agent run by it, each decision
    proven. An agent that serves one address has to serve its runner.
    """
    from zkagent.executor.chain.plain_agent import agent_at
    from zkagent.executor.cli.progress import working
    from zkagent.verifier_contracts.deployment.runner import deploy_runner

    it = deploying_for(yes=yes, **target)
    whose = owner or str(it.signer.address)
    agreed([], yes=yes, question=f"deploy a runner of {whose} for {it.agent}?")
    with working("deploying the runner"):
        made = deploy_runner(it.web3, it.agent, it.executor, whose, it.signer, needs_proofs=strict)
        output.show(f"the runner is at {made}", err=True)  # whatever the agent says to it
        chain = agent_at(it.web3, made)
        number = chain.names(chain.head()).model_id
    if as_json:
        told = {"runner": made, "agent": it.agent, "owner": whose, "model_id": number}
        output.show(json.dumps(told))
    else:
        output.show(f"runner {made} runs {it.agent} for {whose}, by model {number}")


__all__ = ["runner_command"]
