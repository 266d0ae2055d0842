"""`zkagent agent ...`: what concerns an agent of one's own."""

import click

from zkagent.executor.cli.group import Group

#: Commands with dependencies of their own.
LATE = {
    "new": (
        "zkagent.executor.cli.agent_sources",
        "new_command",
        "Begin an agent of one's own in a new folder, of any kind.",
    ),
    "init": (
        "zkagent.executor.cli.agent_sources",
        "init_command",
        "Begin a wallet's agent of one's own in a new folder.",
    ),
    "build": (
        "zkagent.executor.cli.agent_sources",
        "build_command",
        "Compile an agent's contracts.",
    ),
    "test": (
        "zkagent.executor.cli.agent_project",
        "test_command",
        "Run the Solidity tests of an agent's folder.",
    ),
    "deploy": (
        "zkagent.executor.cli.agent_deploy",
        "deploy_command",
        "Compile and deploy an agent of one's own.",
    ),
    "run": (
        "zkagent.executor.cli.agent_project",
        "project_run_command",
        "Run an agent that was deployed from its folder.",
    ),
    "remappings": (
        "zkagent.executor.cli.agent_sources",
        "remappings_command",
        "Print remappings for plain forge.",
    ),
    "accept": (
        "zkagent.executor.cli.agent_accept",
        "accept_command",
        "Have an agent obey its model as it is now.",
    ),
    "contacts": (
        "zkagent.executor.cli.agent_owner",
        "contacts_command",
        "Show or change whom an agent pays by name.",
    ),
    "caution": (
        "zkagent.executor.cli.agent_owner",
        "caution_command",
        "Show or set how sure an agent has to be.",
    ),
    "serves": (
        "zkagent.executor.cli.agent_serves",
        "serves_command",
        "Show or change whom an agent serves besides its owner.",
    ),
    "desk": (
        "zkagent.executor.cli.agent_desk",
        "desk_command",
        "Deploy a desk, where an agent's runs can be requested.",
    ),
    "runner": (
        "zkagent.executor.cli.agent_runner",
        "runner_command",
        "Deploy a runner, which runs an agent of the ERC with proofs.",
    ),
    "succeed": (
        "zkagent.executor.cli.agent_succeed",
        "succeed_command",
        "Have a new version take over an agent's wallet and guard.",
    ),
    "audit": (
        "zkagent.executor.cli.audit",
        "agent_audit_command",
        "Compare all that an agent rests on with its sources.",
    ),
}


@click.group("agent", cls=Group, late=LATE)
def agent_group() -> None:
    """Agents of one's own, and what an agent rests on."""


__all__ = ["agent_group"]
