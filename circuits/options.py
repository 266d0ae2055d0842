"""Options that several commands take."""

from pathlib import Path

import click


def checked_srs(ctx: click.Context, option: click.Parameter, given: Path | None) -> Path | None:
    """The callback of every --srs: a file that is no set-up is refused here, also where a circuit
    from the cache would need none. Points are checked when it is used. Raises SrsUnreadable."""
    if given is not None:
        from circuits.srs_file import read_logrows

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

__all__ = ["JSON_OPTION", "SRS_OPTION", "checked_srs"]
