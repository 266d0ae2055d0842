"""`zkagent mcp`."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from zkagent.executor.cli.agents_model import agents_model
from zkagent.executor.cli.options import SettingOption
from zkagent.executor.cli.run import opened, target_options
from zkagent.executor.cli.sending import sending_options

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("mcp")
@click.option("--runs", is_flag=True, help="Offer runs of an agent, too, which send transactions.")
@click.option(
    "--rpc",
    cls=SettingOption,
    help="RPC address of the agent's chain; without it, a demo agent on an embedded chain.",
)
@target_options
@sending_options
def mcp_command(*, runs: bool, yes: bool, **options: Any) -> None:
    """Offer models, decisions, receipts and, with --runs, an agent's proven runs to MCP clients.

    Speaks the protocol over standard input and output, for a client that starts it:

    \b
    zkagent mcp
    zkagent mcp --runs --yes --rpc URL --agent ADDRESS --key-file FILE

    Nobody is asked here before a run is sent, so --runs wants --yes: let the client ask. A
    keystore's password is taken from ZKAGENT_KEY_PASSWORD.
    """
    import asyncio

    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.runtime.adapters.mcp_server import (
        mcp_server,
        proven_tools,
        serve_stdio,
    )

    if runs and not yes:
        raise click.UsageError("there is nobody here to ask before a run is sent: give --yes")
    if not runs and (idle := _given_beside("rpc")):
        raise click.UsageError(f"{idle} is of runs, and none are offered: give --runs, too")
    mcp_server(())  # before an agent is opened
    with ExitStack() as stack:
        agent = None
        if runs:
            model = agents_model(options["model_name"], options["deployment"], options["agent"])
            tell = Narrator()
            stack.enter_context(tell.working())
            agent = stack.enter_context(opened(tell, model, options))
        tools = proven_tools(agent, options["rpc"])
        asyncio.run(serve_stdio(mcp_server(tools, allow_destructive=runs)))


def _given_beside(*names: str) -> str:
    """The first option on the command line that is none of these; "" for none."""
    context = click.get_current_context()
    given = (
        option.opts[0]
        for option in context.command.params
        if option.name not in names
        and context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    )
    return next(given, "")


__all__ = ["mcp_command"]
