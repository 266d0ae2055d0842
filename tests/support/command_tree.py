"""Every command that there is, found by walking the tree as users do."""

from collections.abc import Iterator

import click

from zkagent.executor.cli.main import command


def walk(name: str, found: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Everything that can be called, groups apart that only show their help."""
    if not isinstance(found, click.Group) or found.invoke_without_command:
        yield name, found
    if isinstance(found, click.Group):
        ctx = click.Context(found)
        for word in found.list_commands(ctx):
            inner = found.get_command(ctx, word)
            assert inner is not None
            yield from walk(f"{name} {word}", inner)


TREE = dict(walk("zkagent", command))

__all__ = ["TREE", "walk"]
