"""`zkagent guard ...`: what stands between an agent's decisions and its tools."""

import click

from zkagent.executor.cli.group import Group

#: Commands with dependencies of their own.
LATE = {
    "deploy": (
        "zkagent.executor.cli.guard_deploy",
        "deploy_command",
        "Put a guard before an agent, for good.",
    ),
    "show": (
        "zkagent.executor.cli.guard_show",
        "show_command",
        "Show what an agent may do and spend.",
    ),
    "set": (
        "zkagent.executor.cli.guard_change",
        "set_command",
        "Change mode, rate, budgets, issuers, delay.",
    ),
    "allow": (
        "zkagent.executor.cli.guard_change",
        "allow_command",
        "Let a tool be called.",
    ),
    "wrap": (
        "zkagent.executor.cli.guard_wrap",
        "wrap_command",
        "Put a tool behind a guard, for an agent that knows of none.",
    ),
    "bind": (
        "zkagent.executor.cli.guard_change",
        "bind_command",
        "Name the agent of a guard that was deployed before it.",
    ),
    "disallow": (
        "zkagent.executor.cli.guard_change",
        "disallow_command",
        "Let a tool be called no longer.",
    ),
    "pause": (
        "zkagent.executor.cli.guard_change",
        "pause_command",
        "Have every call refused, and say why.",
    ),
    "resume": (
        "zkagent.executor.cli.guard_change",
        "resume_command",
        "End a pause.",
    ),
    "approve": (
        "zkagent.executor.cli.guard_calls",
        "approve_command",
        "Approve of a call that waits, and make it.",
    ),
    "decline": (
        "zkagent.executor.cli.guard_calls",
        "decline_command",
        "Decline a call that waits.",
    ),
    "manifest": (
        "zkagent.executor.cli.guard_manifest",
        "manifest_group",
        "Issue, present and revoke capability manifests.",
    ),
}


@click.group("guard", cls=Group, late=LATE)
def guard_group() -> None:
    """What an agent may call and spend, and who has the last word."""


__all__ = ["guard_group"]
