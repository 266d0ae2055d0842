"""Groups of commands: loaded when called, and helpful when a word is mistyped."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

#: Command name -> (module, attribute, help line).
Late = Mapping[str, tuple[str, str, str]]


class Group(click.Group):
    """late: commands whose modules are imported when they are called, so that help and completion
    are instant; listed after the others, in this order."""

    group_class = type

    def __init__(self, *arguments: Any, late: Late | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.late = late or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.late]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.late:
            return super().get_command(ctx, cmd_name)
        module, attribute, _ = self.late[cmd_name]
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word, known = args[0], self.list_commands(ctx)
        if word not in known and not word.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command {word!r}{meant(word, known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if names := self.list_commands(ctx):
            lines = [(name, self._help_line(ctx, name)) for name in names]
            with formatter.section("Commands"):
                formatter.write_dl(lines)

    def _help_line(self, ctx: click.Context, name: str) -> str:
        if name in self.late:
            return self.late[name][2]
        command = self.get_command(ctx, name)
        return command.get_short_help_str(100) if command else ""


def meant(word: str, known: Iterable[str]) -> str:
    """``: did you mean verify?``, with the closest of `known`; a full stop when none is close."""
    close = get_close_matches(word, known, n=2)
    return f": did you mean {' or '.join(close)}?" if close else "."


__all__ = ["Group", "Late", "meant"]
