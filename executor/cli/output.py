"""The one way to a terminal: what commands print has nothing in it that could act on one.

Much of it was written by strangers: reasons of reverts, symbols, observations, what a node answers.
A test sees to it that no command prints by other means.
"""

import click

from zkagent.errors import plain


def show(text: object = "", *, err: bool = False) -> None:
    """Print lines, each without what could act on a terminal. Text of strangers is one line before
    it gets here (`zkagent.errors.plain`): that of errors and checks is."""
    click.echo("\n".join(map(plain, str(text).split("\n"))), err=err)


__all__ = ["show"]
