"""`zkagent bench runtime`: what the loop of an agent costs by itself, beside smolagents'."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from zkagent.executor.cli import output


@click.command("runtime")
@click.option(
    "--runs",
    type=click.IntRange(1, 100_000),
    default=200,
    show_default=True,
    metavar="N",
    help="Of each loop, in turns.",
)
@click.option("--alone", is_flag=True, help="Leave smolagents out; it has to be installed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def runtime_command(*, runs: int, alone: bool, as_json: bool) -> None:
    """Measure an agent's loop: three steps with a scripted model and tools that do nothing.

    smolagents' loop gets the same answers of a model and the same tools, in turns with ours: in
    memory, and with each run kept in an encrypted file, which lies where runs usually do while it
    is measured.

    \b
    zkagent bench runtime
    zkagent bench runtime --runs 1000 --alone
    """
    from zkagent.executor.bench.agents import measured, ours, ours_kept, smolagents, table
    from zkagent.executor.cli.progress import working
    from zkagent.executor.runtime.durable.database import usual_folder

    # The folder for temporary files may be in memory, where nothing is flushed to a disk.
    beside = TemporaryDirectory(prefix="bench-", dir=usual_folder())
    with beside as folder, ours_kept(Path(folder)) as kept:
        loops = {"in memory": ours(), "kept": kept}
        loops |= {} if alone else {"smolagents": smolagents()}
        with working(f"{runs} runs each: {', '.join(loops)}"):
            found = measured(loops, runs)
    if as_json:
        output.show(json.dumps([one.to_json() for one in found], indent=1))
    else:
        output.show(table(found))


__all__ = ["runtime_command"]
