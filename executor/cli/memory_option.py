"""`--max-memory`, and what a build will take as it is told on stderr."""

import re
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output

if TYPE_CHECKING:
    from zkagent.circuits.halo2.forecast import Forecast

SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(|B|[KMGT]i?B)", re.IGNORECASE)
POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
MOST_BYTES = 1e18
TOLD_FROM_S = 2.0  # as stages are, in zkagent.executor.cli.progress
TOLD_FROM_BYTES = 1e9


def memory_size(ctx: click.Context, option: click.Parameter, given: str | None) -> int | None:
    """The option's callback, in bytes: ``8GB`` is 8 x 10^9, ``8GiB`` 8 x 2^30, ``8000000000`` as it
    is."""
    if given is None:
        return None
    found = SIZE.fullmatch(given.strip())
    unit = found[2].lower() if found else ""
    size = float(found[1]) * (1024 if "i" in unit else 1000) ** POWERS[unit[:1]] if found else 0
    if not 1 <= size < MOST_BYTES:
        problem = f"{given!r} is no amount of memory: write 8GB, 512MB or 4GiB"
        raise click.BadParameter(problem, ctx, option)
    return int(size)


MAX_MEMORY_OPTION = click.option(
    "--max-memory",
    callback=memory_size,
    metavar="SIZE",
    help="Memory that making keys and a proof may take, as 8GB; by default what is free. A network "
    "that needs more gets a smaller layout, or is refused before the work.",
)


def tell(forecast: "Forecast") -> None:
    """Say what a build will take, where that is worth a line."""
    if forecast.seconds < TOLD_FROM_S and forecast.peak_bytes < TOLD_FROM_BYTES:
        return
    what = "a development set-up, keys" if forecast.setup_s else "keys"
    output.show(f"{what} and a first proof will take {forecast}", err=True)


__all__ = ["MAX_MEMORY_OPTION", "memory_size", "tell"]
