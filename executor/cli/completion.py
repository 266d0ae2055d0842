"""`zkagent completion`."""

import click

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ZKAGENT_COMPLETE"  # what click looks for when a shell asks


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and files.

    Install it once, then start a new shell:

    \b
    bash   zkagent completion bash >> ~/.bashrc
    zsh    zkagent completion zsh >> ~/.zshrc      (below the line with compinit)
    fish   zkagent completion fish > ~/.config/fish/completions/zkagent.fish

    The script calls `zkagent` by that name, so it has to be on the PATH.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "zkagent", VARIABLE).source())


__all__ = ["completion_command"]
