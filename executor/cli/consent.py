"""Questions before something is removed: y/N, or `--yes` where nobody is there to ask."""

import sys

import click

from zkagent.executor.cli import output

YES_OPTION = click.option("--yes", is_flag=True, help="Do not ask.")


def ask(question: str, otherwise: str) -> None:
    """Ends the command with `otherwise` unless the user agrees. Raises click.UsageError without a
    terminal."""
    if not sys.stdin.isatty():
        raise click.UsageError("there is nobody here to ask: give --yes")
    if not click.confirm(question, err=True):
        output.show(otherwise, err=True)
        sys.exit(1)


__all__ = ["YES_OPTION", "ask"]
