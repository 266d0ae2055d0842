"""Options that several commands take."""

import math
from pathlib import Path
from typing import Any

import click

MOST_SECONDS = 1_000_000.0  # eleven days; what the operating system waits for has an end


class FiniteRange(click.FloatRange):
    """A number within bounds. click's own lets NaN pass, and infinity where there is no bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


SECONDS = FiniteRange(0, MOST_SECONDS, min_open=True)


def checked_srs(ctx: click.Context, option: click.Parameter, given: Path | None) -> Path | None:
    """The callback of every --srs: a file that is no set-up is refused here, also where a circuit
    from the cache would need none. Points are checked when it is used. Raises SrsUnreadable."""
    if given is not None:
        from zkagent.circuits.bn254.srs_file import read_logrows

        read_logrows(given)
    return given


SRS_OPTION = click.option(
    "--srs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=checked_srs,
    help="KZG set-up; without one, a development set-up that is good on local chains only.",
)
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

__all__ = ["JSON_OPTION", "MOST_SECONDS", "SECONDS", "SRS_OPTION", "FiniteRange", "checked_srs"]
