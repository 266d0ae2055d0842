"""`zkagent agent ...`: what concerns an agent of one's own."""

import click

from zkagent.executor.cli.group import Group

#: Commands with dependencies of their own.
LATE = {
    "audit": (
        "zkagent.executor.cli.audit",
        "agent_audit_command",
        "Compare all that an agent rests on with its sources.",
    ),
}


@click.group("agent", cls=Group, late=LATE)
def agent_group() -> None:
    """Look into agents."""


__all__ = ["agent_group"]
